// SPDX-License-Identifier: GPL-2.0-or-later
// The processor and layout of an ELF file, by its first bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace op::pp {

/// The machine that an ELF file's code is for.
struct Machine {
    uint16_t elf_machine = 0;  ///< e_machine (ELF specification, "ELF Header")
    bool is_64bit = false;
    bool is_big_endian = false;
};

/// The machine of an ELF file; empty for other files.
std::optional<Machine> machine_of(std::span<const std::byte> elf);

}  // namespace op::pp
