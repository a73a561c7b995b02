// SPDX-License-Identifier: GPL-2.0-or-later
// Owned handles of libelf and libdw.
#pragma once

#include <elfutils/libdw.h>
#include <libelf.h>

#include <memory>

namespace op::pp {

struct ElfEnd {
    void operator()(Elf* elf) const { elf_end(elf); }
};
struct DwarfEnd {
    void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};

/// The file of an ElfHandle must be kept longer than a DwarfHandle made of it, its bytes longer than both.
using ElfHandle = std::unique_ptr<Elf, ElfEnd>;
using DwarfHandle = std::unique_ptr<Dwarf, DwarfEnd>;

}  // namespace op::pp
