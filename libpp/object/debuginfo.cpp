// SPDX-License-Identifier: GPL-2.0-or-later
// Debug files by build-id or debug link.
#include "libpp/object/debuginfo.h"

#include <sys/stat.h>

#include <algorithm>
#include <vector>

#include "libop/base/checksum.h"
#include "libop/base/elf_object.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"

namespace op::pp {
namespace {

constexpr const char* debug_dir = "/usr/lib/debug";
/// Files for which the checksum is calculated: a second's work.
constexpr uint64_t largest_summed = uint64_t{1} << 30;  // bytes
/// A file that takes less than this part of its size on the disk is sparse: file systems that compress save
/// less.
constexpr uint64_t least_stored = 32;

/// The reason why the checksum of an open file is not calculated; else empty. Strangers choose how many
/// debug links there are, and a sparse file of any size costs them nothing.
std::string summing_fault(const Fd& file) {
    struct stat st {};
    if (::fstat(file.get(), &st) != 0) return "its size cannot be read";
    if (static_cast<uint64_t>(st.st_size) > largest_summed)
        return "it is larger than 1 GiB, too much for a checksum";
    constexpr uint64_t small = 1 << 20;
    const uint64_t size = static_cast<uint64_t>(st.st_size),
                   stored = static_cast<uint64_t>(st.st_blocks) * 512;
    return size > small && stored < size / least_stored ? "it is sparse" : "";
}

/// Empty = fits, else what does not. Without a descriptor the path is opened.
std::string fault_of(const Fd& given, const std::string& path, const std::string& build_id,
                     const DebugLink* link) {
    try {
        const Fd opened = given ? Fd() : open_regular(path);
        const Fd& fd = given ? given : opened;
        const MappedFile file(fd, path);
        const std::string found = open_elf(file.bytes(), path)->build_id();
        const bool has_ids = !build_id.empty() && !found.empty();
        if (has_ids || !link) return found == build_id ? "" : "its build-id differs";
        if (std::string why = summing_fault(fd); !why.empty()) return why;
        return checksum(file.bytes()) == link->crc ? "" : "its checksum differs";
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

}  // namespace

std::string debug_file_path(const std::string& build_id) {
    return debug_dir + ("/.build-id/" + build_id.substr(0, 2)) + "/" + build_id.substr(2) + ".debug";
}

std::string debug_file_fault(const std::string& path, const std::string& build_id) {
    return fault_of(Fd(), path, build_id, nullptr);
}

std::string debug_file_fault(const Fd& file, const std::string& path, const ObjectFile& binary) {
    const auto link = binary.debug_link();
    return fault_of(file, path, binary.build_id(), link ? &*link : nullptr);
}

std::optional<std::string> find_debug_file(const std::string& binary, const ObjectFile& object,
                                           std::span<const std::string> roots, Diagnostics& notes) {
    const std::string build_id = object.build_id();
    const auto link = object.debug_link();
    for (const Candidate& c : candidates(binary, build_id, link ? &*link : nullptr, roots)) {
        if (!is_regular_file(c.path)) continue;
        const std::string why = fault_of(Fd(), c.path, build_id, c.link);
        if (why.empty()) return c.path;
        notes.warn("debug file " + printable(c.path) + " is not used: " + printable(why));
    }
    return std::nullopt;
}

}  // namespace op::pp
