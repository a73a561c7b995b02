// SPDX-License-Identifier: GPL-2.0-or-later
// Sections through libelf.
#include "libpp/object/debuginfo_section.h"

#include <gelf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace op::pp {

namespace {

/// Of sections that old linkers compressed. libdw looks for such a name of each section that it knows:
/// .zdebug_info, .zgnu_debugaltlink.
constexpr std::string_view old_compressed = ".z";
constexpr uint64_t most_growth = 64;
constexpr uint64_t most_unpacked = uint64_t{8} << 30;  // bytes

/// The size that a section claims to have unpacked; 0 if it is not compressed. Those of old linkers begin
/// with "ZLIB" and that size, big-endian.
uint64_t unpacked_size(Elf_Scn* scn, const GElf_Shdr& header, std::string_view name) {
    GElf_Chdr compressed;
    if (header.sh_flags & SHF_COMPRESSED) return gelf_getchdr(scn, &compressed) ? compressed.ch_size : 0;
    if (!name.starts_with(old_compressed)) return 0;
    constexpr std::string_view mark = "ZLIB";
    const Elf_Data* const data = elf_rawdata(scn, nullptr);
    if (!data || !data->d_buf || data->d_size < mark.size() + sizeof(uint64_t)) return 0;
    const std::string_view bytes(static_cast<const char*>(data->d_buf), data->d_size);
    uint64_t size = 0;
    for (const char byte : bytes.substr(mark.size(), sizeof size))
        size = size << 8 | static_cast<unsigned char>(byte);
    return bytes.starts_with(mark) ? size : 0;
}

/// Makes the table of the sections' headers writable. False if that fails.
bool allow_writing_headers(Elf* elf) {
    size_t file_size = 0, sections = 0;
    GElf_Ehdr head;
    char* const file = elf_rawfile(elf, &file_size);
    if (!file || !gelf_getehdr(elf, &head) || elf_getshdrnum(elf, &sections) != 0) return false;
    const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto start = reinterpret_cast<uintptr_t>(file);
    const uint64_t offset = std::min<uint64_t>(head.e_shoff, file_size);
    const uint64_t size = std::min<uint64_t>(sections * uint64_t{head.e_shentsize}, file_size - offset);
    const uintptr_t first = (start + offset) / page * page;
    return ::mprotect(reinterpret_cast<void*>(first), start + offset + size - first,
                      PROT_READ | PROT_WRITE) == 0;
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
    bool is_compressed = false;
    for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr header;
        if (!gelf_getshdr(scn, &header) || header.sh_type == SHT_NOBITS) continue;
        const char* const text = elf_strptr(elf, names, header.sh_name);
        const std::string_view name = text ? text : "";
        is_compressed |= (header.sh_flags & SHF_COMPRESSED) || name.starts_with(old_compressed);
        sum += std::min(unpacked_size(scn, header, name), limit + 1);
        if (sum > limit)
            return "its compressed sections take more than " + std::to_string(limit >> 20) +
                   " MiB unpacked: 64 times the file or 8 GiB";
    }
    return !is_compressed || allow_writing_headers(elf) ? ""
                                                        : "its compressed sections cannot be unpacked here";
}

}  // namespace op::pp
