// SPDX-License-Identifier: GPL-2.0-or-later
// Sections through libelf.
#include "libpp/object/debuginfo_section.h"

#include <gelf.h>

#include <algorithm>

namespace op::pp {

namespace {

constexpr uint64_t most_growth = 64;
constexpr uint64_t most_unpacked = uint64_t{8} << 30;  // bytes

/// The size that a section claims to have unpacked; 0 if it is not compressed. Sections .zdebug_* of old
/// linkers begin with "ZLIB" and that size, big-endian.
uint64_t unpacked_size(Elf_Scn* scn, const GElf_Shdr& header, std::string_view name) {
    GElf_Chdr compressed;
    if (header.sh_flags & SHF_COMPRESSED) return gelf_getchdr(scn, &compressed) ? compressed.ch_size : 0;
    if (!name.starts_with(".zdebug")) return 0;
    constexpr std::string_view mark = "ZLIB";
    const Elf_Data* const data = elf_rawdata(scn, nullptr);
    if (!data || !data->d_buf || data->d_size < mark.size() + sizeof(uint64_t)) return 0;
    const std::string_view bytes(static_cast<const char*>(data->d_buf), data->d_size);
    uint64_t size = 0;
    for (const char byte : bytes.substr(mark.size(), sizeof size))
        size = size << 8 | static_cast<unsigned char>(byte);
    return bytes.starts_with(mark) ? size : 0;
}

}  // namespace

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

uint64_t unpacked_limit(uint64_t file_size) noexcept {
    return std::min(file_size, most_unpacked / most_growth) * most_growth;
}

std::string unpacking_fault(Elf* elf) {
    size_t names = 0, file_size = 0;
    if (elf_getshdrstrndx(elf, &names) != 0 || !elf_rawfile(elf, &file_size)) return "";
    const uint64_t limit = unpacked_limit(file_size);
    uint64_t sum = 0;
    for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr header;
        if (!gelf_getshdr(scn, &header) || header.sh_type == SHT_NOBITS) continue;
        const char* const name = elf_strptr(elf, names, header.sh_name);
        sum += std::min(unpacked_size(scn, header, name ? name : ""), limit + 1);
        if (sum > limit)
            return "its compressed sections take more than " + std::to_string(limit >> 20) +
                   " MiB unpacked: 64 times the file or 8 GiB";
    }
    return "";
}

}  // namespace op::pp
