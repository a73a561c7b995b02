// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers of ELF and DWARF in a file's own byte order, written and read.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "libop/base/bytes.h"

namespace op {

/// The host's number in the other byte order.
template <class T>
constexpr T byte_swapped(T value) noexcept {
    if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
    if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
    if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
    return value;
}

/// How a file spells numbers.
struct NumberLayout {
    bool is_64bit = true;  ///< addresses have 8 bytes, else 4
    bool is_big_endian = std::endian::native == std::endian::big;

    bool is_swapped() const noexcept { return is_big_endian != (std::endian::native == std::endian::big); }
    unsigned address_size() const noexcept { return is_64bit ? 8 : 4; }
};

/// Appends numbers to a text.
class OrderedWriter {
public:
    explicit OrderedWriter(NumberLayout layout) : layout_(layout) {}

    template <class T>
    void put(T value) {
        if (layout_.is_swapped()) value = byte_swapped(value);
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void put_u8(unsigned value) { put(static_cast<uint8_t>(value)); }
    void put_u16(unsigned value) { put(static_cast<uint16_t>(value)); }
    void put_address(uint64_t value) {
        if (layout_.is_64bit)
            put(value);
        else
            put(static_cast<uint32_t>(value));
    }
    void put_unsigned_leb(uint64_t value) {
        for (; value >= 0x80; value >>= 7)
            put_u8((value & 0x7f) | 0x80);
        put_u8(static_cast<unsigned>(value));
    }
    void put_signed_leb(int64_t value) {
        for (; value >= 0x40 || value < -0x40; value >>= 7)
            put_u8((value & 0x7f) | 0x80);
        put_u8(value & 0x7f);
    }
    /// With a NUL behind it; the text ends at its first NUL.
    void put_text(std::string_view text) { bytes_.append(text.substr(0, text.find('\0'))).push_back('\0'); }
    void put_bytes(std::string_view bytes) { bytes_.append(bytes); }
    /// Zeros up to a multiple of `alignment`.
    void align(size_t alignment) { bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment); }
    /// Replaces a number that was put at `at`.
    template <class T>
    void patch(size_t at, T value) {
        if (layout_.is_swapped()) value = byte_swapped(value);
        std::memcpy(bytes_.data() + at, &value, sizeof value);
    }

    const NumberLayout& layout() const noexcept { return layout_; }
    size_t size() const noexcept { return bytes_.size(); }
    const std::string& bytes() const noexcept { return bytes_; }
    std::string take() && { return std::move(bytes_); }

private:
    NumberLayout layout_;
    std::string bytes_;
};

/// Reads numbers; throws as ByteReader.
class OrderedReader : public ByteReader {
public:
    OrderedReader(std::span<const std::byte> bytes, NumberLayout layout, std::string_view what)
        : ByteReader(bytes, what), layout_(layout) {}

    template <class T>
    T number() {
        const T value = get<T>();
        return layout_.is_swapped() ? byte_swapped(value) : value;
    }
    uint8_t u8() { return get<uint8_t>(); }
    uint16_t u16() { return number<uint16_t>(); }
    uint32_t u32() { return number<uint32_t>(); }
    uint64_t u64() { return number<uint64_t>(); }
    uint64_t address() { return layout_.is_64bit ? u64() : u32(); }
    /// Bits beyond the 64th are dropped.
    uint64_t unsigned_leb() {
        uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const uint8_t byte = u8();
            if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
            if (byte < 0x80) return value;
        }
    }
    int64_t signed_leb() {
        uint64_t value = 0;
        for (unsigned shift = 0;;) {
            const uint8_t byte = u8();
            if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
            shift += 7;
            if (byte >= 0x80) continue;
            if (byte & 0x40 && shift < 64) value |= UINT64_MAX << shift;
            return static_cast<int64_t>(value);
        }
    }
    /// Up to its NUL, which is skipped. Valid as long as the bytes.
    std::string_view text() {
        const size_t at = position();
        while (u8() != 0) {
        }
        const size_t end = position();
        seek(at);
        const auto bytes = take(end - at);
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size() - 1};
    }

    const NumberLayout& layout() const noexcept { return layout_; }

private:
    NumberLayout layout_;
};

}  // namespace op
