// SPDX-License-Identifier: GPL-2.0-or-later
// Files through /proc/PID. Nothing is read but the notes of an ELF file.
#include "daemon/source/image_file.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <utility>

#include "daemon/source/proc_scan.h"
#include "libop/base/build_id.h"
#include "libop/base/error.h"
#include "libop/base/kernel_file.h"
#include "libop/base/text.h"

namespace op::collect {
namespace {

std::string proc_path(uint32_t tgid, std::string_view file) {
    return "/proc/" + std::to_string(tgid) + "/" + std::string(file);
}

FileIdentity identity_of(const struct stat& st) {
    return {st.st_dev, st.st_ino};
}

std::optional<FileIdentity> identity_at(const std::string& path) {
    struct stat st {};
    return ::stat(path.c_str(), &st) == 0 ? std::optional(identity_of(st)) : std::nullopt;
}

std::string read_link(const std::string& path) {
    std::array<char, 4096> text{};
    const ssize_t n = ::readlink(path.c_str(), text.data(), text.size());
    return {text.data(), n > 0 ? static_cast<size_t>(n) : 0};
}

/// True if the file may be the one of a mapping. The device of a mapping is comparable only if it has a
/// major number: file systems without a device of their own may report another one by stat(2).
bool fits_mapping(const FileIdentity& file, const FileIdentity& mapping) {
    return file.inode == mapping.inode && (file.device == mapping.device || major(mapping.device) == 0);
}

/// The open file; none if it is not regular or may not be read.
std::optional<ImageFile> open_image(const std::string& path) try {
    ImageFile file;
    file.fd = open_regular(path);
    struct stat st {};
    if (::fstat(file.fd.get(), &st) != 0) return std::nullopt;
    file.id = identity_of(st);
    file.changed = st.st_ctim.tv_sec * 1'000'000'000 + st.st_ctim.tv_nsec;
    file.mtime = static_cast<uint64_t>(st.st_mtim.tv_sec);
    file.is_deleted = st.st_nlink == 0;
    file.build_id = build_id_of_fd(file.fd);
    return file;
} catch (const Error&) {
    return std::nullopt;
}

/// The file at the path in the recorder's root, if it is the one.
std::optional<ImageFile> look_here(const MappedFileFacts& wanted) {
    auto file = open_image(wanted.path);
    if (!file) return std::nullopt;
    file->is_here = true;
    if (!wanted.build_id.empty()) return file->build_id == wanted.build_id ? std::move(file) : std::nullopt;
    if (!wanted.id.is_known() || file->id == wanted.id) return file;
    return std::nullopt;
}

/// The path of a line is as the reader sees it, which another root may put a directory in front of.
bool is_mapping_of(const MapsLine& line, const MappedFileFacts& wanted) {
    std::string_view path = line.path;
    if (wanted.id.is_known()) return line.file.inode == wanted.id.inode;
    if (path != wanted.path && path.ends_with(deletion_mark)) path.remove_suffix(deletion_mark.size());
    return wanted.build_id.empty() ? path == wanted.path : base_name(path) == base_name(wanted.path);
}

/// Opens the mapping's own file, for which root is needed; else by the ways that other users have, where the
/// inode shows whether it is the right one.
std::optional<ImageFile> open_mapping(const MapsLine& line, const MappedFileFacts& wanted) {
    std::array<char, 40> range{};
    std::snprintf(range.data(), range.size(), "map_files/%llx-%llx",
                  static_cast<unsigned long long>(line.start), static_cast<unsigned long long>(line.end));
    if (auto file = open_image(proc_path(wanted.tgid, range.data()))) return file;
    for (const std::string& way : {std::string("exe"), "root" + wanted.path})
        if (auto file = open_image(proc_path(wanted.tgid, way)); file && fits_mapping(file->id, line.file))
            return file;
    return std::nullopt;
}

std::optional<ImageFile> look_in_process(const MappedFileFacts& wanted) {
    const std::string maps = read_kernel_file(proc_path(wanted.tgid, "maps"));
    for (const MapsLine& line : parse_maps(maps)) {
        if (!is_mapping_of(line, wanted)) continue;
        auto file = open_mapping(line, wanted);
        if (!file || (!wanted.build_id.empty() && file->build_id != wanted.build_id)) continue;
        file->is_here = identity_at(wanted.path) == file->id;
        if (!file->is_here) file->root = describe_root(wanted.tgid);
        return file;
    }
    return std::nullopt;
}

/// "mnt:[4026531841]" -> "4026531841"
std::string namespace_number(const std::string& link) {
    const size_t begin = link.find('['), end = link.find(']');
    return begin == link.npos || end == link.npos ? link : link.substr(begin + 1, end - begin - 1);
}

/// ", cgroup NAME" of cgroup v2 (cgroups(7)); empty if it is the root's.
std::string control_group(uint32_t tgid) {
    const std::string text = read_kernel_file(proc_path(tgid, "cgroup"));
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view line = take_line(rest);
        if (!line.starts_with("0::/") || line == "0::/") continue;
        return ", cgroup " + std::string(line.substr(line.rfind('/') + 1));
    }
    return {};
}

}  // namespace

std::optional<ImageFile> find_image_file(const MappedFileFacts& wanted) {
    if (auto file = look_here(wanted)) return file;
    if (wanted.tgid == 0) return std::nullopt;
    return look_in_process(wanted);
}

bool is_real_name(uint32_t tgid, const std::string& path, const FileIdentity& id) {
    auto there = tgid != 0 ? identity_at(proc_path(tgid, "root" + path)) : std::nullopt;
    if (!there) there = identity_at(path);
    return there && (!id.is_known() || fits_mapping(*there, id));
}

std::string describe_root(uint32_t tgid) {
    const std::string own = read_link("/proc/self/ns/mnt"), other = read_link(proc_path(tgid, "ns/mnt"));
    if (other.empty()) return {};
    if (own == other && identity_at("/") == identity_at(proc_path(tgid, "root/"))) return {};
    std::string directory = read_link(proc_path(tgid, "root"));
    if (!directory.empty() && directory != "/") return directory;
    return "mount namespace " + namespace_number(other) + control_group(tgid);
}

}  // namespace op::collect
