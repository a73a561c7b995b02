// SPDX-License-Identifier: GPL-2.0-or-later
// Reading ELF headers as far as call frame information needs them.
#include "daemon/unwind/elf_frames.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "daemon/unwind/cfi_bytes.h"
#include "libop/base/bytes.h"
#include "libop/base/error.h"
#include "libop/base/gzip.h"
#include "libop/base/unpack.h"

namespace op::collect {

namespace {

constexpr size_t most_segments = 256, most_sections = 65536, longest_names = 1 << 20;
constexpr std::string_view what = "ELF header";

/// Fewer bytes if the file is shorter. Throws a system error.
std::vector<std::byte> read_part(const Fd& file, uint64_t offset, uint64_t size) {
    std::vector<std::byte> bytes(size);
    bytes.resize(read_at(file, offset, bytes));
    return bytes;
}

template <class T>
std::vector<T> read_table(const Fd& file, uint64_t offset, size_t count) {
    const auto bytes = read_part(file, offset, count * sizeof(T));
    std::vector<T> table(bytes.size() / sizeof(T));
    std::memcpy(table.data(), bytes.data(), table.size() * sizeof(T));
    return table;
}

const UnwindMachine* machine_of(uint16_t number) {
    switch (number) {
        case EM_X86_64:
            return &unwind_x86_64;
        case EM_AARCH64:
            return &unwind_aarch64;
        case EM_PPC64:
            return &unwind_ppc64;
        default:
            return nullptr;
    }
}

bool is_readable(const Elf64_Ehdr& head) {
    constexpr auto native = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
    return std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
           head.e_ident[EI_DATA] == native && head.e_phentsize == sizeof(Elf64_Phdr);
}

void add_section(const FrameSectionPlace& place, ElfFrames& out) {
    if (place.size != 0) out.sections.push_back(place);
}

/// By the section headers, which a loaded file need not have.
void find_sections(const Fd& file, const Elf64_Ehdr& head, ElfFrames& out) {
    if (head.e_shentsize != sizeof(Elf64_Shdr)) return;
    const auto sections =
        read_table<Elf64_Shdr>(file, head.e_shoff, std::min<size_t>(head.e_shnum, most_sections));
    if (head.e_shstrndx >= sections.size()) return;
    const Elf64_Shdr& names = sections[head.e_shstrndx];
    const auto text = read_part(file, names.sh_offset, std::min<uint64_t>(names.sh_size, longest_names));
    FrameSectionPlace eh_frame, debug_frame;
    for (const Elf64_Shdr& section : sections) {
        if (section.sh_type == SHT_NOBITS || section.sh_name >= text.size()) continue;
        const char* start = reinterpret_cast<const char*>(text.data()) + section.sh_name;
        const std::string_view name(start, ::strnlen(start, text.size() - section.sh_name));
        const bool is_debug_frame = name == ".debug_frame";
        if (!is_debug_frame && name != ".eh_frame") continue;
        (is_debug_frame ? debug_frame : eh_frame) = {section.sh_offset,
                                                     section.sh_size,
                                                     {section.sh_addr},
                                                     is_debug_frame,
                                                     (section.sh_flags & SHF_COMPRESSED) != 0};
    }
    add_section(eh_frame, out);
    add_section(debug_frame, out);
}

/// The header of .eh_frame, which is a segment.
struct FrameHeader {
    LinkAddress section;
    FrameSearchTable search;
};

/// u8 version, 3 encodings, the section's address, the number of pairs, the pairs. None if it is not there or
/// of another form; without a table if that has another form than linkers give it.
std::optional<FrameHeader> read_header(const Fd& file, const std::vector<Elf64_Phdr>& segments) {
    constexpr uint8_t encoding_of_section = 0x1b, encoding_of_count = 0x03, encoding_of_table = 0x3b;
    const auto segment = std::ranges::find(segments, Elf64_Word{PT_GNU_EH_FRAME}, &Elf64_Phdr::p_type);
    if (segment == segments.end()) return std::nullopt;
    const auto bytes = read_part(file, segment->p_offset, std::min<uint64_t>(segment->p_filesz, 16));
    if (bytes.size() < 8) return std::nullopt;
    ByteReader in(bytes, what);
    in.skip(1);
    const auto encoding = in.get<uint8_t>(), of_count = in.get<uint8_t>(), of_table = in.get<uint8_t>();
    if (encoding != encoding_of_section) return std::nullopt;
    FrameHeader header{{read_encoded(in, encoding, segment->p_vaddr + 4)}, {}};
    if (of_count != encoding_of_count || of_table != encoding_of_table || in.remaining() < 4) return header;
    const uint64_t count = in.get<uint32_t>();
    const uint64_t most = (segment->p_filesz - in.position()) / (2 * sizeof(int32_t));
    header.search = {segment->p_offset + in.position(), std::min(count, most), {segment->p_vaddr}};
    return header;
}

/// The section ends at its terminator, at the latest with the part of the file that holds it.
void find_by_header(const FrameHeader& header, const std::vector<Elf64_Phdr>& segments, ElfFrames& out) {
    for (const Elf64_Phdr& s : segments) {
        const uint64_t into = header.section.value() - s.p_vaddr;
        if (s.p_type != PT_LOAD || into >= s.p_filesz) continue;
        return add_section({s.p_offset + into, s.p_filesz - into, header.section}, out);
    }
}

void add_search_table(const FrameHeader& header, ElfFrames& out) {
    for (FrameSectionPlace& place : out.sections)
        if (!place.is_debug_frame && place.address == header.section) place.search = header.search;
}

}  // namespace

std::vector<std::byte> read_compressed(const Fd& file, const FrameSectionPlace& place) {
    constexpr const char* label = "compressed call frame information";
    const auto bytes = read_part(file, place.offset, place.size);
    ByteReader in(bytes, label);
    const uint32_t kind = in.get<Elf64_Chdr>().ch_type;
    const auto rest = in.take(in.remaining());
    const std::string_view packed(reinterpret_cast<const char*>(rest.data()), rest.size());
    if (kind != ELFCOMPRESS_ZLIB && kind != zstd_section) throw_input(label);
    const std::string text = kind == zstd_section ? unzstd(packed, label, largest_listed_section)
                                                  : gunzip(packed, label, largest_listed_section);
    const auto* const start = reinterpret_cast<const std::byte*>(text.data());
    return {start, start + text.size()};
}

std::optional<LinkAddress> ElfFrames::link_address(uint64_t file_offset) const noexcept {
    for (const LoadedPart& part : code)
        if (file_offset - part.file_offset < part.size)
            return part.address + (file_offset - part.file_offset);
    return std::nullopt;
}

CodeWindow read_code(const Fd& file, const ElfFrames& frames, uint64_t file_offset) {
    constexpr uint64_t each_way = 256;
    for (const LoadedPart& part : frames.code) {
        const uint64_t into = file_offset - part.file_offset;
        if (into >= part.size) continue;
        const uint64_t before = std::min(into, each_way), after = std::min(part.size - into, each_way);
        return {read_part(file, file_offset - before, before + after), before};
    }
    return {};
}

std::optional<ElfFrames> find_elf_frames(const Fd& file) {
    const auto start = read_part(file, 0, sizeof(Elf64_Ehdr));
    if (start.size() < sizeof(Elf64_Ehdr)) return std::nullopt;
    const auto head = ByteReader(start, what).get<Elf64_Ehdr>();
    ElfFrames out;
    out.machine = is_readable(head) ? machine_of(head.e_machine) : nullptr;
    if (out.machine == nullptr) return std::nullopt;
    out.entry = {head.e_entry};
    const auto segments =
        read_table<Elf64_Phdr>(file, head.e_phoff, std::min<size_t>(head.e_phnum, most_segments));
    for (const Elf64_Phdr& s : segments)
        if (s.p_type == PT_LOAD && (s.p_flags & PF_X))
            out.code.push_back({s.p_offset, s.p_filesz, {s.p_vaddr}});
    find_sections(file, head, out);
    if (const auto header = read_header(file, segments)) {
        if (out.sections.empty()) find_by_header(*header, segments, out);
        add_search_table(*header, out);
    }
    return out;
}

}  // namespace op::collect
