// SPDX-License-Identifier: GPL-2.0-or-later
// Finding the build-id note.
#include "libop/base/build_id.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "libop/base/bytes.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"

namespace op {
namespace {

constexpr size_t id_limit = 64;
/// Files name ever so many segments and notes; a build-id is among the first of them.
constexpr size_t segment_limit = 256, note_segment_limit = 16;

/// Gives up to `size` bytes of a file at `offset`, fewer at its end; valid until the next call.
using Fetch = std::function<std::span<const std::byte>(uint64_t offset, size_t size)>;

size_t padded(size_t n) {
    return (n + 3) & ~size_t{3};
}

uint32_t value_of(uint32_t raw, bool swapped) {
    return swapped ? __builtin_bswap32(raw) : raw;
}

std::string find_in_notes(ByteReader in, bool swapped) {
    while (in.remaining() >= sizeof(Elf64_Nhdr)) {
        const auto raw = in.get<Elf64_Nhdr>();
        const uint32_t name_size = value_of(raw.n_namesz, swapped), id_size = value_of(raw.n_descsz, swapped);
        const auto owner = in.take(padded(name_size));
        const bool wanted = value_of(raw.n_type, swapped) == NT_GNU_BUILD_ID && name_size == 4 &&
                            std::memcmp(owner.data(), "GNU", 4) == 0 && id_size <= id_limit;
        if (wanted) return hex(in.take(id_size));
        in.skip(std::min(padded(id_size), in.remaining()));
    }
    return {};
}

template <class Header, class Segment>
std::string find_in_elf(const Fetch& fetch) {
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
        if (auto id = build_id_of_notes(notes); !id.empty()) return id;
    }
    return {};
}

/// `fetch` may throw an error, too.
std::string find_in_file(const Fetch& fetch) {
    constexpr auto native = __BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
    try {
        const auto start = fetch(0, EI_NIDENT);
        if (start.size() < EI_NIDENT || std::memcmp(start.data(), ELFMAG, SELFMAG) != 0 ||
            start[EI_DATA] != std::byte{native})
            return {};
        return start[EI_CLASS] == std::byte{ELFCLASS64} ? find_in_elf<Elf64_Ehdr, Elf64_Phdr>(fetch)
                                                        : find_in_elf<Elf32_Ehdr, Elf32_Phdr>(fetch);
    } catch (const Error&) {
        return {};
    }
}

}  // namespace

std::string build_id_of_notes(std::span<const std::byte> notes, bool swapped) {
    try {
        return find_in_notes({notes.first(std::min(notes.size(), notes_limit)), "notes"}, swapped);
    } catch (const Error&) {
        return {};
    }
}

std::string build_id_of_elf(std::span<const std::byte> file) {
    return find_in_file([file](uint64_t offset, size_t size) {
        const auto rest = file.subspan(std::min<uint64_t>(offset, file.size()));
        return rest.first(std::min(size, rest.size()));
    });
}

// Not mapped: its owner may cut it off while it is read.
std::string build_id_of_fd(const Fd& file) {
    std::vector<std::byte> buffer;
    return find_in_file([&](uint64_t offset, size_t size) -> std::span<const std::byte> {
        if (offset > INT64_MAX) return {};
        buffer.resize(size);
        const ssize_t n = ::pread(file.get(), buffer.data(), size, static_cast<off_t>(offset));
        return std::span(buffer).first(n > 0 ? n : 0);
    });
}

std::string build_id_of_file(const std::string& path) try {
    return build_id_of_fd(open_regular(path));
} catch (const Error&) {
    return {};
}

}  // namespace op
