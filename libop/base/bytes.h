// SPDX-License-Identifier: GPL-2.0-or-later
// Bounds-checked reading of foreign bytes in host byte order.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "libop/base/error.h"

namespace op {

/// After copying from memory that somebody else may write to: the compiler does not read it again in place of
/// the copies made before, so what is checked is what is used.
inline void settle_copies() noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// A cursor over bytes. A read beyond the end throws an input error "<what>: cut off at byte N", where N
/// counts from the start of the given span.
class ByteReader {
public:
    ByteReader(std::span<const std::byte> bytes, std::string_view what) : bytes_(bytes), what_(what) {}

    /// Reads a trivially copyable value, unaligned.
    template <class T>
    T get() {
        static_assert(std::is_trivially_copyable_v<T>);
        T value;
        std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
        return value;
    }
    /// The next n bytes; valid as long as the given bytes.
    std::span<const std::byte> take(size_t n) {
        if (n > remaining()) throw_input(std::string(what_) + ": cut off at byte " + std::to_string(at_));
        const auto part = bytes_.subspan(at_, n);
        at_ += n;
        return part;
    }
    void skip(size_t n) { take(n); }
    /// Goes to an absolute position within the bytes.
    void seek(size_t at) {
        at_ = 0;
        take(at);
    }
    size_t remaining() const noexcept { return bytes_.size() - at_; }
    size_t position() const noexcept { return at_; }
    bool done() const noexcept { return remaining() == 0; }

private:
    std::span<const std::byte> bytes_;
    std::string_view what_;
    size_t at_ = 0;
};

}  // namespace op
