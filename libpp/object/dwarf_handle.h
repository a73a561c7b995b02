// SPDX-License-Identifier: GPL-2.0-or-later
// An owned handle of libdw.
#pragma once

#include <elfutils/libdw.h>

#include <memory>

namespace op::pp {

struct DwarfEnd {
    void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};

/// The ElfHandle of the file must outlive a DwarfHandle made of it, the bytes of the file both.
using DwarfHandle = std::unique_ptr<Dwarf, DwarfEnd>;

}  // namespace op::pp
