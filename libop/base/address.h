// SPDX-License-Identifier: GPL-2.0-or-later
// One type per address space, so that a run-time pc cannot be looked up as a file offset by mistake.
#pragma once

#include <compare>
#include <cstdint>

namespace op {

/// A number in one address space. The places where the number of one space becomes an address of another are
/// few and named (doc/adr/0013-where-addresses-are-converted.md).
template <class Tag>
struct Address {
    uint64_t raw = 0;

    constexpr uint64_t value() const noexcept { return raw; }
    friend constexpr auto operator<=>(const Address&, const Address&) = default;
    /// Distance in bytes, modulo 2^64.
    friend constexpr uint64_t operator-(Address a, Address b) noexcept { return a.raw - b.raw; }
    friend constexpr Address operator+(Address a, uint64_t n) noexcept { return {a.raw + n}; }
    friend constexpr Address operator-(Address a, uint64_t n) noexcept { return {a.raw - n}; }
};

/// An address in a running process: the value of the program counter.
using RuntimeAddress = Address<struct RuntimeTag>;
/// The key of a sample file: the file offset in a user binary, the distance from the image's start in
/// the kernel or a module, the distance from the region's start in anonymous memory.
using ImageOffset = Address<struct OffsetTag>;
/// An address that the linker assigned: an ELF virtual address (st_value, p_vaddr).
using LinkAddress = Address<struct LinkTag>;

}  // namespace op
