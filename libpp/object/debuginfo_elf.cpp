// SPDX-License-Identifier: GPL-2.0-or-later
// Compressed sections (ELF gABI 4.3, "Compressed Sections"). Those of zstd are put behind the file's end, and
// their headers changed accordingly.
#include "libpp/object/debuginfo_elf.h"

#include <gelf.h>

#include <new>
#include <string_view>
#include <vector>

#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/unpack.h"
#include "libpp/object/debuginfo_section.h"

namespace op::pp {

namespace {

struct PackedSection {
    size_t index;
    GElf_Shdr header;
    GElf_Chdr unpacked;       ///< its size and alignment
    std::string_view stream;  ///< what zstd wrote
};

/// Those of debug information: libdw reads no others.
std::vector<PackedSection> sections_of_zstd(Elf* elf) {
    std::vector<PackedSection> found;
    size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0) return found;
    const size_t head_size = gelf_fsize(elf, ELF_T_CHDR, 1, EV_CURRENT);
    for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr header;
        GElf_Chdr unpacked;
        if (!gelf_getshdr(scn, &header) || !(header.sh_flags & SHF_COMPRESSED) ||
            !gelf_getchdr(scn, &unpacked) || unpacked.ch_type != zstd_section)
            continue;
        const char* const name = elf_strptr(elf, names, header.sh_name);
        const Elf_Data* const data = elf_rawdata(scn, nullptr);
        if (!name || !std::string_view(name).starts_with(".debug_")) continue;
        if (!data || !data->d_buf || data->d_size < head_size) continue;
        const std::string_view content(static_cast<const char*>(data->d_buf), data->d_size);
        found.push_back({elf_ndxscn(scn), header, unpacked, content.substr(head_size)});
    }
    return found;
}

/// Replaces a section's header in the bytes of a file. Throws an input error if it does not fit there.
void write_header(Elf* elf, std::string& file, size_t index, GElf_Shdr header) {
    GElf_Ehdr head;
    Elf32_Shdr narrow{};
    Elf_Data from{}, to{};
    from.d_buf = &header;
    from.d_size = sizeof header;
    if (gelf_getclass(elf) == ELFCLASS32) {
        const auto word = [](uint64_t value) { return static_cast<Elf32_Word>(value); };
        if (header.sh_offset + header.sh_size > UINT32_MAX) throw_input("sections of more than 4 GiB");
        narrow = {header.sh_name,         header.sh_type,         word(header.sh_flags),
                  word(header.sh_addr),   word(header.sh_offset), word(header.sh_size),
                  header.sh_link,         header.sh_info,         word(header.sh_addralign),
                  word(header.sh_entsize)};
        from.d_buf = &narrow;
        from.d_size = sizeof narrow;
    }
    from.d_type = ELF_T_SHDR;
    from.d_version = to.d_version = EV_CURRENT;
    if (!gelf_getehdr(elf, &head) || head.e_shoff > file.size() ||
        (file.size() - head.e_shoff) / from.d_size <= index)
        throw_input("no header of a section");
    to.d_buf = file.data() + head.e_shoff + index * from.d_size;
    to.d_size = from.d_size;
    if (!gelf_xlatetof(elf, &to, &from, static_cast<unsigned char>(elf_getident(elf, nullptr)[EI_DATA])))
        throw_input("no header of a section");
}

/// The file with sections unpacked. Throws an input error if one is damaged.
std::string unpack(Elf* elf, std::span<const std::byte> bytes, const std::vector<PackedSection>& sections) {
    constexpr size_t alignment = 16;
    size_t size = bytes.size() + unpack_room;
    for (const PackedSection& section : sections)
        size += section.unpacked.ch_size + alignment;
    std::string file;
    file.reserve(size);
    file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (const PackedSection& section : sections) {
        file.resize((file.size() + alignment - 1) / alignment * alignment);
        GElf_Shdr header = section.header;
        header.sh_flags &= ~GElf_Xword{SHF_COMPRESSED};
        header.sh_addralign = section.unpacked.ch_addralign;
        header.sh_offset = file.size();
        file = append_unzstd(std::move(file), section.stream, "section", section.unpacked.ch_size);
        header.sh_size = file.size() - header.sh_offset;
        if (header.sh_size != section.unpacked.ch_size) throw_input("a section of another size");
        write_header(elf, file, section.index, header);
    }
    return file;
}

}  // namespace

void DebugElf::open(std::span<const std::byte> bytes) {
    elf_version(EV_CURRENT);
    bytes_ = bytes;
    elf_.reset(elf_memory(const_cast<char*>(reinterpret_cast<const char*>(bytes.data())), bytes.size()));
}

DebugElf::DebugElf(std::span<const std::byte> bytes) {
    open(bytes);
    if (elf_ && elf_kind(elf_.get()) != ELF_K_ELF) elf_.reset();
    if (!elf_) return;
    fault_ = unpacking_fault(elf_.get());
    if (!fault_.empty()) return;
    const auto sections = sections_of_zstd(elf_.get());
    if (sections.empty()) return;
    try {
        unpacked_ = unpack(elf_.get(), bytes, sections);
        open(op::as_bytes(unpacked_));
    } catch (const Error&) {
        fault_ = "a section that zstd compressed is damaged";
    } catch (const std::bad_alloc&) {
        fault_ = "memory ran out while its sections were unpacked";
    }
}

}  // namespace op::pp
