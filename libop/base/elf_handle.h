// SPDX-License-Identifier: GPL-2.0-or-later
// An owned handle of libelf.
#pragma once

#include <libelf.h>

#include <memory>

namespace op {

struct ElfEnd {
    void operator()(Elf* elf) const { elf_end(elf); }
};

/// The bytes of the file must outlive the handle.
using ElfHandle = std::unique_ptr<Elf, ElfEnd>;

}  // namespace op
