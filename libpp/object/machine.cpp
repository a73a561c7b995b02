// SPDX-License-Identifier: GPL-2.0-or-later
// The identification of ELF files (gABI, "ELF Header").
#include "libpp/object/machine.h"

#include <elf.h>

#include <cstring>

namespace op::pp {

std::optional<Machine> machine_of(std::span<const std::byte> elf) {
    if (elf.size() < 20 || std::memcmp(elf.data(), ELFMAG, SELFMAG) != 0) return std::nullopt;
    const auto byte = [&](size_t at) { return std::to_integer<uint16_t>(elf[at]); };
    const bool is_big = byte(EI_DATA) == ELFDATA2MSB;
    const auto number = static_cast<uint16_t>(is_big ? byte(18) << 8 | byte(19) : byte(19) << 8 | byte(18));
    return Machine{number, byte(EI_CLASS) == ELFCLASS64, is_big};
}

}  // namespace op::pp
