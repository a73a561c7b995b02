// SPDX-License-Identifier: GPL-2.0-or-later
// ELF files in memory.
#include "libpp/object/elf_image_builder.h"

#include <cstring>
#include <utility>

namespace op::pp {

namespace {

template <class T>
void append(std::string& bytes, const T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

void ElfImageBuilder::add(std::string_view name, std::string_view bytes) {
    if (bytes.empty()) return;
    Elf64_Shdr header{};
    header.sh_name = static_cast<Elf64_Word>(names_.size());
    header.sh_type = SHT_PROGBITS;
    header.sh_offset = sizeof(Elf64_Ehdr) + content_.size();
    header.sh_size = bytes.size();
    header.sh_addralign = 1;
    headers_.push_back(header);
    names_ += name;
    names_ += '\0';
    content_ += bytes;
    content_.resize((content_.size() + 7) / 8 * 8);
}

void ElfImageBuilder::add(std::string_view name, std::span<const std::byte> bytes) {
    add(name, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

std::string ElfImageBuilder::build() && {
    add(".shstrtab", names_ + ".shstrtab" + std::string(1, '\0'));
    headers_.back().sh_type = SHT_STRTAB;
    Elf64_Ehdr head{};
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
    head.e_ident[EI_VERSION] = EV_CURRENT;
    head.e_type = ET_DYN;
    head.e_version = EV_CURRENT;
    head.e_shoff = sizeof head + content_.size();
    head.e_ehsize = sizeof head;
    head.e_shentsize = sizeof(Elf64_Shdr);
    head.e_shnum = static_cast<Elf64_Half>(headers_.size());
    head.e_shstrndx = static_cast<Elf64_Half>(headers_.size() - 1);
    std::string image;
    append(image, head);
    image += content_;
    for (const Elf64_Shdr& header : headers_)
        append(image, header);
    return image;
}

}  // namespace op::pp
