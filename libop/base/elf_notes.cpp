// SPDX-License-Identifier: GPL-2.0-or-later
// Walks over segments of notes.
#include "libop/base/elf_notes.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "libop/base/bytes.h"
#include "libop/base/error.h"

namespace op {
namespace {

using Content = std::vector<std::byte>;

/// Files name ever so many segments and notes; what is wanted is among the first of them.
constexpr size_t segment_limit = 256, note_segment_limit = 16;

/// Gives up to `size` bytes of a file at `offset`, fewer at its end; valid until the next call.
using Fetch = std::function<std::span<const std::byte>(uint64_t offset, size_t size)>;

size_t padded(size_t n) {
    return (n + 3) & ~size_t{3};
}

uint32_t value_of(uint32_t raw, bool swapped) {
    return swapped ? __builtin_bswap32(raw) : raw;
}

/// True if a field of `size` bytes is the owner and a NUL.
bool is_owner(std::span<const std::byte> field, size_t size, std::string_view owner) {
    return size == owner.size() + 1 && std::memcmp(field.data(), owner.data(), owner.size()) == 0 &&
           field[owner.size()] == std::byte{0};
}

Content find_in_notes(ByteReader in, const NoteKind& kind, bool swapped) {
    while (in.remaining() >= sizeof(Elf64_Nhdr)) {
        const auto raw = in.get<Elf64_Nhdr>();
        const uint32_t name_size = value_of(raw.n_namesz, swapped), size = value_of(raw.n_descsz, swapped);
        const auto owner = in.take(padded(name_size));
        const bool wanted = value_of(raw.n_type, swapped) == kind.type && size != 0 &&
                            size <= kind.most_bytes && is_owner(owner, name_size, kind.owner);
        if (wanted) {
            const auto content = in.take(size);
            return {content.begin(), content.end()};
        }
        in.skip(std::min(padded(size), in.remaining()));
    }
    return {};
}

template <class Header, class Segment>
Content find_in_elf(const Fetch& fetch, const NoteKind& kind) {
    const auto head = ByteReader(fetch(0, sizeof(Header)), "ELF").get<Header>();
    if (head.e_phentsize != sizeof(Segment)) return {};
    std::vector<Segment> segments(std::min<size_t>(head.e_phnum, segment_limit));
    ByteReader in(fetch(head.e_phoff, segments.size() * sizeof(Segment)), "ELF");
    for (Segment& segment : segments)
        segment = in.get<Segment>();
    std::erase_if(segments, [](const Segment& s) { return s.p_type != PT_NOTE; });
    if (segments.size() > note_segment_limit) segments.resize(note_segment_limit);
    for (const Segment& s : segments) {
        const auto notes = fetch(s.p_offset, std::min<uint64_t>(s.p_filesz, notes_limit));
        if (auto content = find_note(notes, kind); !content.empty()) return content;
    }
    return {};
}

/// `fetch` may throw an error, too.
Content find_in_file(const Fetch& fetch, const NoteKind& kind) {
    constexpr auto native = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
    try {
        const auto start = fetch(0, EI_NIDENT);
        if (start.size() < EI_NIDENT || std::memcmp(start.data(), ELFMAG, SELFMAG) != 0 ||
            start[EI_DATA] != std::byte{native})
            return {};
        return start[EI_CLASS] == std::byte{ELFCLASS64} ? find_in_elf<Elf64_Ehdr, Elf64_Phdr>(fetch, kind)
                                                        : find_in_elf<Elf32_Ehdr, Elf32_Phdr>(fetch, kind);
    } catch (const Error&) {
        return {};
    }
}

}  // namespace

Content find_note(std::span<const std::byte> notes, const NoteKind& kind, bool swapped) {
    try {
        return find_in_notes({notes.first(std::min(notes.size(), notes_limit)), "notes"}, kind, swapped);
    } catch (const Error&) {
        return {};
    }
}

Content find_note_in_elf(std::span<const std::byte> file, const NoteKind& kind) {
    const auto fetch = [file](uint64_t offset, size_t size) {
        const auto rest = file.subspan(std::min<uint64_t>(offset, file.size()));
        return rest.first(std::min(size, rest.size()));
    };
    return find_in_file(fetch, kind);
}

// Not mapped: its owner may cut it off while it is read.
Content find_note_in_fd(const Fd& file, const NoteKind& kind) {
    std::vector<std::byte> buffer;
    const auto fetch = [&](uint64_t offset, size_t size) -> std::span<const std::byte> {
        if (offset > INT64_MAX) return {};
        buffer.resize(size);
        const ssize_t n = ::pread(file.get(), buffer.data(), size, static_cast<off_t>(offset));
        return std::span(buffer).first(n > 0 ? n : 0);
    };
    return find_in_file(fetch, kind);
}

}  // namespace op
