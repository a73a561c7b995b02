// SPDX-License-Identifier: GPL-2.0-or-later
// An owned handle of libdw.
#pragma once

#include <elfutils/libdw.h>

#include <memory>

namespace op::pp {

struct DwarfEnd {
    void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};

/// The file's ElfHandle must outlive its DwarfHandle; the file's bytes must outlive both.
using DwarfHandle = std::unique_ptr<Dwarf, DwarfEnd>;

}  // namespace op::pp
