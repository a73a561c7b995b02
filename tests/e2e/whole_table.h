// SPDX-License-Identifier: GPL-2.0-or-later
// A file's whole unwind table, which the unwinder itself never builds: it builds pages as it meets them.
#pragma once

#include "daemon/unwind/elf_frames.h"
#include "daemon/unwind/section_rules.h"
#include "libop/base/fd.h"

namespace op::test {

/// The pages of all code that the first section of the file with call frame information describes. There must
/// be one.
inline collect::SectionRules whole_table(const Fd& file, const collect::ElfFrames& found) {
    collect::SectionRules rules(found.sections.front(), *found.machine);
    constexpr uint64_t page = uint64_t{1} << collect::UnwindTable::page_bits;
    for (const collect::LoadedPart& part : found.code)
        for (uint64_t at = part.address.value() & ~(page - 1); at < part.address.value() + part.size;
             at += page)
            if (!rules.has_page({at})) rules.build_page(file, {at});
    return rules;
}

}  // namespace op::test
