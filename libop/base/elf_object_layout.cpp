// SPDX-License-Identifier: GPL-2.0-or-later
// Laying out the sections of a relocatable file.
#include "libop/base/elf_object_layout.h"

#include <gelf.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string_view>

#include "libop/base/object_file.h"

namespace op {

namespace {

/// No section asks for more; that of relocatable_base.
constexpr uint64_t largest_alignment = relocatable_base;

struct LoadedSection {
    size_t index;
    int turn;  ///< lower ones come first
    uint64_t size, alignment;
};

/// Code before data, and what is dropped after loading last.
int turn_of(const GElf_Shdr& header, std::string_view name) {
    if (name.starts_with(".init")) return 2;
    return header.sh_flags & SHF_EXECINSTR ? 0 : 1;
}

std::vector<LoadedSection> loaded_sections(Elf* elf) {
    size_t names = 0;
    elf_getshdrstrndx(elf, &names);
    std::vector<LoadedSection> sections;
    for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr header;
        if (!gelf_getshdr(scn, &header) || !(header.sh_flags & SHF_ALLOC)) continue;
        const char* const name = elf_strptr(elf, names, header.sh_name);
        sections.push_back({elf_ndxscn(scn), turn_of(header, name ? name : ""), header.sh_size,
                            std::clamp<uint64_t>(header.sh_addralign, 1, largest_alignment)});
    }
    std::ranges::stable_sort(sections, {}, &LoadedSection::turn);
    return sections;
}

}  // namespace

std::vector<uint64_t> relocatable_layout(Elf* elf) {
    size_t count = 0;
    elf_getshdrnum(elf, &count);
    std::vector<uint64_t> addresses(count, 0);
    uint64_t next = relocatable_base;
    for (const LoadedSection& section : loaded_sections(elf)) {
        const uint64_t step = std::bit_floor(section.alignment);
        const uint64_t address = (next + step - 1) / step * step;
        if (section.index >= count || section.size > INT64_MAX - address) break;  // damaged
        addresses[section.index] = address;
        next = address + section.size;
    }
    return addresses;
}

}  // namespace op
