// SPDX-License-Identifier: GPL-2.0-or-later
// Bounds-checked reading of foreign bytes in the byte order of whoever wrote them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "libop/base/error.h"

namespace op::collect {

/// A cursor over bytes. A read beyond the end throws an input error.
class FieldReader {
public:
    FieldReader(std::span<const std::byte> bytes, bool is_big_endian) noexcept
        : bytes_(bytes), is_swapped_(is_big_endian != (std::endian::native == std::endian::big)) {}

    uint16_t u16() {
        const auto value = get<uint16_t>();
        return is_swapped_ ? __builtin_bswap16(value) : value;
    }
    uint32_t u32() {
        const auto value = get<uint32_t>();
        return is_swapped_ ? __builtin_bswap32(value) : value;
    }
    uint64_t u64() {
        const auto value = get<uint64_t>();
        return is_swapped_ ? __builtin_bswap64(value) : value;
    }
    std::span<const std::byte> take(uint64_t n) {
        if (n > remaining()) throw_input("cut off");
        const auto part = bytes_.subspan(at_, n);
        at_ += n;
        return part;
    }
    void skip(uint64_t n) { take(n); }
    /// The bytes up to the first NUL or, without one, all of them.
    static std::string_view text(std::span<const std::byte> bytes) noexcept {
        const auto* const begin = reinterpret_cast<const char*>(bytes.data());
        return {begin, bytes.empty() ? 0 : ::strnlen(begin, bytes.size())};
    }
    uint64_t remaining() const noexcept { return bytes_.size() - at_; }

private:
    template <class T>
    T get() {
        T value;
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }

    std::span<const std::byte> bytes_;
    uint64_t at_ = 0;
    bool is_swapped_;
};

}  // namespace op::collect
