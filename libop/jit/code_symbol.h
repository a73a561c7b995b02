// SPDX-License-Identifier: GPL-2.0-or-later
// A function that was compiled while its process ran. Knows no file format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace op {

/// Code that replaces other code at an address has the next generation there. It is in the top byte of
/// addresses, which no user address needs; the first code has generation 0 and plain addresses.
inline constexpr unsigned code_generation_bit = 56;
/// Code beyond the last named generation is of the unnamed one, which has no symbols.
inline constexpr unsigned last_code_generation = 126, unnamed_code_generation = 127;

constexpr uint64_t tagged_address(uint64_t address, unsigned generation) noexcept {
    return address | uint64_t{generation} << code_generation_bit;
}
/// 0 for addresses of the kernel, whose top bits are set.
constexpr unsigned code_generation(uint64_t address) noexcept {
    const auto top = static_cast<unsigned>(address >> code_generation_bit);
    return top <= unnamed_code_generation ? top : 0;
}
constexpr uint64_t plain_address(uint64_t address) noexcept {
    return address & ~(uint64_t{code_generation(address)} << code_generation_bit);
}

/// Code from `address` on belongs to a line. Addresses are tagged as those of symbols.
struct CodeLine {
    uint64_t address = 0;
    uint32_t line = 0;
    std::string file;  ///< any form of path, also relative ones and URLs

    bool operator==(const CodeLine&) const = default;
};

/// [address, address + size)
struct CodeRange {
    uint64_t address = 0, size = 0;

    uint64_t end() const noexcept { return address + size; }
    bool operator==(const CodeRange&) const = default;
};

struct CodeSymbol {
    uint64_t address = 0;  ///< run-time address of the first byte, with its generation in the top byte
    uint64_t size = 0;     ///< bytes
    std::string name;
    std::vector<CodeLine> lines = {};  ///< sorted by address, within the symbol
    std::vector<std::byte> code = {};  ///< empty or `size` bytes

    uint64_t end() const noexcept { return address + size; }
    bool operator==(const CodeSymbol&) const = default;
};

}  // namespace op
