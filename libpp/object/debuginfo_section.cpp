// SPDX-License-Identifier: GPL-2.0-or-later
// Finding a section by its name.
#include "libpp/object/debuginfo_section.h"

#include <gelf.h>

namespace op::pp {

std::span<const std::byte> section_content(Elf* elf, std::string_view wanted) {
    size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0) return {};
    for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr header;
        const char* const name =
            gelf_getshdr(scn, &header) ? elf_strptr(elf, names, header.sh_name) : nullptr;
        if (!name || name != wanted || header.sh_type == SHT_NOBITS) continue;
        if ((header.sh_flags & SHF_COMPRESSED) && elf_compress(scn, 0, 0) < 0) return {};
        const Elf_Data* const data = elf_rawdata(scn, nullptr);
        if (data && data->d_buf) return {static_cast<const std::byte*>(data->d_buf), data->d_size};
    }
    return {};
}

}  // namespace op::pp
