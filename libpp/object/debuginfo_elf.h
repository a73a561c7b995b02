// SPDX-License-Identifier: GPL-2.0-or-later
// An ELF file that libdw may open: what its sections take unpacked is limited, and what libelf cannot unpack,
// or not everywhere, is unpacked here.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "libop/base/elf_handle.h"

namespace op::pp {

/// Sections that zstd compressed are unpacked in a copy of the file: libelf can only since 0.189.
class DebugElf {
public:
    DebugElf() = default;
    /// `bytes` must outlive the object; those of a mapped file must be mapped privately, as libelf unpacks in
    /// place.
    explicit DebugElf(std::span<const std::byte> bytes);
    DebugElf(DebugElf&&) = delete;

    /// Null if the bytes are no ELF file. Valid as long as this object.
    Elf* get() const noexcept { return elf_.get(); }
    /// Why libdw must not open the file: its sections cannot be unpacked, or take more than unpacked_limit().
    /// Empty if it may.
    const std::string& fault() const noexcept { return fault_; }
    /// Of the file that get() is of. Valid as long as this object and the bytes that were given.
    std::span<const std::byte> bytes() const noexcept { return bytes_; }

private:
    void open(std::span<const std::byte> bytes);

    std::span<const std::byte> bytes_;
    std::string unpacked_;  ///< the copy, if there is one
    ElfHandle elf_;
    std::string fault_;
};

}  // namespace op::pp
