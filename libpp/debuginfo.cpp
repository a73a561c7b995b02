// SPDX-License-Identifier: GPL-2.0-or-later
// Debug files by build-id or debug link; lines by unit.
#include "libpp/debuginfo.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <zlib.h>

#include <algorithm>

#include "libop/error.h"
#include "libop/fd.h"
#include "libop/text.h"
#include "libpp/elf_object.h"

namespace op::pp {
namespace {

constexpr const char* debug_dir = "/usr/lib/debug";

uint32_t checksum(std::span<const std::byte> bytes) {
    uLong crc = ::crc32(0, nullptr, 0);
    for (size_t at = 0; at < bytes.size();) {
        const size_t n = std::min<size_t>(bytes.size() - at, 1u << 30);
        crc = ::crc32(crc, reinterpret_cast<const Bytef*>(bytes.data() + at), static_cast<uInt>(n));
        at += n;
    }
    return static_cast<uint32_t>(crc);
}

/// Empty = fits, else what does not.
std::string mismatch(const std::string& path, const std::string& build_id, const DebugLink* link) {
    try {
        const MappedFile file(path);
        const std::string found = open_elf(file.bytes(), path)->build_id();
        if (!build_id.empty() && !found.empty()) return found == build_id ? "" : "its build-id differs";
        if (link && checksum(file.bytes()) != link->crc) return "its checksum differs";
        return "";
    } catch (const Error& e) {
        return e.what();
    }
}

struct Candidate {
    std::string path;
    const DebugLink* link;  ///< null = found by build-id
};

std::vector<Candidate> candidates(const std::string& binary, const std::string& build_id,
                                  const DebugLink* link, std::span<const std::string> roots) {
    std::vector<Candidate> paths;
    if (build_id.size() > 2)
        for (const std::string& root : roots)
            paths.push_back({root + debug_file_path(build_id), nullptr});
    if (!link) return paths;
    const std::string dir = binary.substr(0, binary.rfind('/'));
    paths.push_back({dir + "/.debug/" + link->name, link});
    for (const std::string& root : roots) {
        const std::string inner = dir.starts_with(root) ? dir.substr(root.size()) : dir;
        paths.push_back({root + debug_dir + inner + "/" + link->name, link});
    }
    if (const std::string beside = dir + "/" + link->name; beside != binary) paths.push_back({beside, link});
    return paths;
}

struct DwarfEnd {
    void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};
struct ElfEnd {
    void operator()(Elf* elf) const { elf_end(elf); }
};

}  // namespace

std::string debug_file_path(const std::string& build_id) {
    return debug_dir + ("/.build-id/" + build_id.substr(0, 2)) + "/" + build_id.substr(2) + ".debug";
}

std::optional<std::string> find_debug_file(const std::string& binary, const ObjectFile& object,
                                           std::span<const std::string> roots, Diagnostics& notes) {
    const std::string build_id = object.build_id();
    const auto link = object.debug_link();
    for (const Candidate& c : candidates(binary, build_id, link ? &*link : nullptr, roots)) {
        if (!is_regular_file(c.path)) continue;
        const std::string why = mismatch(c.path, build_id, c.link);
        if (why.empty()) return c.path;
        notes.warn("debug file " + printable(c.path) + " is not used: " + printable(why));
    }
    return std::nullopt;
}

struct LineTable::Impl {
    /// The addresses of one compilation unit, or a part of them.
    struct Range {
        uint64_t start, end;  ///< half-open
        Dwarf_Off unit;
    };

    std::unique_ptr<Elf, ElfEnd> elf;
    std::unique_ptr<Dwarf, DwarfEnd> dwarf;
    std::vector<Range> ranges;  ///< sorted by start

    void read_ranges();
    void add_ranges(Dwarf_Die& unit);
};

void LineTable::Impl::add_ranges(Dwarf_Die& unit) {
    Dwarf_Addr base, start, end;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(&unit, at, &base, &start, &end)) > 0;)
        if (start < end) ranges.push_back({start, end, dwarf_dieoffset(&unit)});
}

void LineTable::Impl::read_ranges() {
    Dwarf_Off at = 0, next = 0;
    size_t head = 0;
    while (dwarf_nextcu(dwarf.get(), at, &next, &head, nullptr, nullptr, nullptr) == 0) {
        Dwarf_Die unit;
        if (dwarf_offdie(dwarf.get(), at + head, &unit)) add_ranges(unit);
        if (next <= at) break;
        at = next;
    }
    std::ranges::sort(ranges, {}, &Range::start);
}

LineTable::LineTable(std::span<const std::byte> bytes) : impl_(std::make_unique<Impl>()) {
    elf_version(EV_CURRENT);
    auto* image = const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));
    impl_->elf.reset(elf_memory(image, bytes.size()));
    GElf_Ehdr head;
    // The addresses in a relocatable file's debug information are not final: they would give wrong lines.
    if (!impl_->elf || !gelf_getehdr(impl_->elf.get(), &head) || head.e_type == ET_REL) return;
    impl_->dwarf.reset(dwarf_begin_elf(impl_->elf.get(), DWARF_C_READ, nullptr));
    if (impl_->dwarf) impl_->read_ranges();
}

LineTable::~LineTable() = default;

bool LineTable::has_lines() const noexcept {
    return !impl_->ranges.empty();
}

std::optional<LineTable::Line> LineTable::find(LinkAddress address) {
    const uint64_t pc = address.value();
    const auto next = std::ranges::upper_bound(impl_->ranges, pc, {}, &Impl::Range::start);
    if (next == impl_->ranges.begin() || pc >= std::prev(next)->end) return std::nullopt;
    Dwarf_Die unit;
    if (!dwarf_offdie(impl_->dwarf.get(), std::prev(next)->unit, &unit)) return std::nullopt;
    Dwarf_Line* line = dwarf_getsrc_die(&unit, pc);
    int number = 0;
    const char* file = line ? dwarf_linesrc(line, nullptr, nullptr) : nullptr;
    if (!file || dwarf_lineno(line, &number) != 0 || number <= 0) return std::nullopt;
    return Line{file, static_cast<uint32_t>(number)};
}

}  // namespace op::pp
