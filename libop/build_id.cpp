// SPDX-License-Identifier: GPL-2.0-or-later
// Finding the build-id note.
#include "libop/build_id.h"

#include <elf.h>

#include <cstring>

#include "libop/bytes.h"
#include "libop/error.h"
#include "libop/fd.h"
#include "libop/text.h"

namespace op {
namespace {

constexpr size_t id_limit = 64;

size_t padded(size_t n) {
    return (n + 3) & ~size_t{3};
}

std::string find_in_notes(ByteReader in) {
    while (in.remaining() >= sizeof(Elf64_Nhdr)) {
        const auto note = in.get<Elf64_Nhdr>();
        const auto owner = in.take(padded(note.n_namesz));
        const bool wanted = note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
                            std::memcmp(owner.data(), "GNU", 4) == 0 && note.n_descsz <= id_limit;
        if (wanted) return hex(in.take(note.n_descsz));
        in.skip(std::min(padded(note.n_descsz), in.remaining()));
    }
    return {};
}

template <class Header, class Segment>
std::string find_in_elf(std::span<const std::byte> file) {
    ByteReader in(file, "ELF");
    const auto head = in.get<Header>();
    if (head.e_phentsize != sizeof(Segment)) return {};
    in.seek(head.e_phoff);
    for (int i = 0; i < head.e_phnum; ++i) {
        const auto segment = in.get<Segment>();
        if (segment.p_type != PT_NOTE) continue;
        ByteReader notes(file, "ELF");
        notes.seek(segment.p_offset);
        if (auto id = find_in_notes({notes.take(segment.p_filesz), "ELF"}); !id.empty()) return id;
    }
    return {};
}

}  // namespace

std::string build_id_of_notes(std::span<const std::byte> notes) {
    try {
        return find_in_notes({notes, "notes"});
    } catch (const Error&) {
        return {};
    }
}

std::string build_id_of_elf(std::span<const std::byte> file) {
    constexpr auto native = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
    if (file.size() < EI_NIDENT || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0 ||
        file[EI_DATA] != std::byte{native})
        return {};
    try {
        return file[EI_CLASS] == std::byte{ELFCLASS64} ? find_in_elf<Elf64_Ehdr, Elf64_Phdr>(file)
                                                       : find_in_elf<Elf32_Ehdr, Elf32_Phdr>(file);
    } catch (const Error&) {
        return {};
    }
}

std::string build_id_of_file(const std::string& path) {
    try {
        const MappedFile file(path);
        return build_id_of_elf(file.bytes());
    } catch (const Error&) {
        return {};
    }
}

}  // namespace op
