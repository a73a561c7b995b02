// SPDX-License-Identifier: GPL-2.0-or-later
// Reads DWARF numbers from bytes that may be damaged. Defined in the header, because walking over entries
// spends its time here.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace op::pp {

/// A position in a section. A read beyond the end changes nothing and returns false.
struct DwarfCursor {
    std::span<const std::byte> rest = {};
    bool is_swapped = false;  ///< numbers are of the other byte order

    bool skip(uint64_t size) {
        if (size > rest.size()) return false;
        rest = rest.subspan(size);
        return true;
    }

    /// `size`: bytes, up to 8.
    bool number(size_t size, uint64_t& value) {
        if (size > rest.size()) return false;
        value = 0;
        if (size == sizeof(uint32_t) && !is_swapped) {  // most are
            uint32_t word;
            std::memcpy(&word, rest.data(), sizeof word);
            value = word;
            return skip(size);
        }
        const bool is_little = (std::endian::native == std::endian::little) != is_swapped;
        for (size_t i = 0; i < size; ++i)
            value = value << 8 | std::to_integer<uint64_t>(rest[is_little ? size - 1 - i : i]);
        return skip(size);
    }

    /// A number of variable length (DWARF 5, 7.6); signed numbers can only be skipped.
    bool leb(uint64_t& value) {
        constexpr unsigned bits = 64;
        value = 0;
        for (unsigned shift = 0; !rest.empty(); shift += 7) {
            const auto byte = std::to_integer<uint64_t>(rest.front());
            rest = rest.subspan(1);
            if (shift < bits) value |= (byte & 0x7f) << shift;
            if ((byte & 0x80) == 0) return true;
        }
        return false;
    }
};

}  // namespace op::pp
