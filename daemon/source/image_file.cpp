// SPDX-License-Identifier: GPL-2.0-or-later
// Files through /proc/PID. Nothing is read but the notes of an ELF file.
#include "daemon/source/image_file.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "daemon/source/proc_scan.h"
#include "libop/base/access_policy.h"
#include "libop/base/build_id.h"
#include "libop/base/error.h"
#include "libop/base/kernel_file.h"
#include "libop/base/text.h"

namespace op::collect {
namespace {

FileIdentity identity_of(const struct stat& st) {
    return {st.st_dev, st.st_ino};
}

std::optional<struct stat> stat_of(const std::string& path) {
    struct stat st {};
    return ::stat(path.c_str(), &st) == 0 ? std::optional(st) : std::nullopt;
}

std::optional<FileIdentity> identity_at(const std::string& path) {
    const auto st = stat_of(path);
    return st ? std::optional(identity_of(*st)) : std::nullopt;
}

/// False for file systems without a device of their own (btrfs, overlays): they may have another device in
/// mappings than by stat(2).
bool is_comparable(const FileIdentity& file, const FileIdentity& mapping) {
    return major(mapping.device) != 0 && major(file.device) != 0;
}

/// True if the file may be the one of a mapping. Where devices cannot be compared, the inode decides.
bool fits_mapping(const FileIdentity& file, const FileIdentity& mapping) {
    return file.inode == mapping.inode && (file.device == mapping.device || !is_comparable(file, mapping)) &&
           file.may_have_generation_of(mapping);
}

/// Reading a text of the kernel's may take it away from others.
bool is_kernel_text(const Fd& file) {
    struct statfs fs {};
    if (::fstatfs(file.get(), &fs) != 0) return true;
    constexpr std::array<unsigned long, 6> magics{PROC_SUPER_MAGIC, SYSFS_MAGIC,      TRACEFS_MAGIC,
                                                  DEBUGFS_MAGIC,    SECURITYFS_MAGIC, CGROUP2_SUPER_MAGIC};
    return std::ranges::find(magics, static_cast<unsigned long>(fs.f_type)) != magics.end();
}

/// 0 if the file system does not give it.
uint64_t generation_of(const Fd& file) {
    std::array<uint32_t, 2> value{};  // an int as most file systems have it, a long by its definition
    return ::ioctl(file.get(), FS_IOC_GETVERSION, value.data()) == 0 ? value[0] : 0;
}

/// The open file; none if it is not regular, may not be read, or is refused by `is_wanted`, which is asked
/// before it is opened for reading and, with the generation, afterwards.
template <class IsWanted>
std::optional<ImageFile> open_image(const std::string& path, IsWanted is_wanted) try {
    const Fd place = open_file(path, O_PATH);
    struct stat st {};
    if (::fstat(place.get(), &st) != 0 || !S_ISREG(st.st_mode)) return std::nullopt;
    if (!is_wanted(identity_of(st)) || is_kernel_text(place)) return std::nullopt;
    ImageFile file;
    file.fd = reopen_regular(place);
    if (!file.fd) return std::nullopt;
    file.id = identity_of(st);
    file.id.generation = generation_of(file.fd);
    if (!is_wanted(file.id)) return std::nullopt;
    file.changed = nanoseconds(st.st_ctim);
    file.mtime = static_cast<uint64_t>(st.st_mtim.tv_sec);
    file.size = static_cast<uint64_t>(st.st_size);
    file.is_deleted = st.st_nlink == 0;
    file.is_trusted = is_trusted_owner(st.st_uid);
    file.build_id = build_id_of_fd(file.fd);
    return file;
} catch (const Error&) {
    return std::nullopt;
}

bool is_of_build(const ImageFile& file, const MappedFileFacts& wanted) {
    return wanted.build_id.empty() || file.build_id == wanted.build_id;
}

/// The file at the path in the recorder's root, if it is the one and has not changed since. `fits`: its
/// identity does not contradict.
template <class Fits>
std::optional<ImageFile> look_here(const MappedFileFacts& wanted, Fits fits) {
    if (!wanted.path.starts_with('/')) return std::nullopt;
    auto file = open_image(
        wanted.path, [&](const FileIdentity& id) { return !wanted.id.is_known() || fits(id, wanted.id); });
    if (!file || !is_of_build(*file, wanted)) return std::nullopt;
    if (wanted.build_id.empty() && wanted.mapped != 0 && file->changed > wanted.mapped) return std::nullopt;
    file->is_here = true;
    return file;
}

/// Opens a way through the process, if what it leads to is wanted and not of another build.
template <class IsWanted>
std::optional<ImageFile> open_way(const std::string& way, const MappedFileFacts& wanted, IsWanted is_wanted) {
    auto file = open_image(proc_path(wanted.tgid, way), is_wanted);
    return file && is_of_build(*file, wanted) ? std::move(file) : std::nullopt;
}

/// The same where the identity or the build-id shows whether it is the right file.
std::optional<ImageFile> open_identified(const std::string& way, const MappedFileFacts& wanted,
                                         const FileIdentity& mapping) {
    return open_way(way, wanted,
                    [&](const FileIdentity& id) { return !mapping.is_known() || fits_mapping(id, mapping); });
}

/// The name of a mapping's own file below /proc/PID.
std::string map_file(uint64_t start, uint64_t end) {
    return "map_files/" + hex(start) + "-" + hex(end);
}

/// True if the link leads to a file of that name, wherever.
bool leads_to_name_of(const std::string& link, const std::string& path) {
    std::string target = read_kernel_link(link);
    if (base_name(target) != base_name(path) && target.ends_with(deletion_mark))
        target.resize(target.size() - deletion_mark.size());
    return base_name(target) == base_name(path);
}

/// The mapping's own file, for which root is needed. Where the file system has no device of its own, the
/// mapping may have the inode, too, of a file below: then the link and its name decide.
std::optional<ImageFile> open_mapping(const MappedFileFacts& wanted, uint64_t start, uint64_t end,
                                      const FileIdentity& mapping) {
    const std::string way = map_file(start, end);
    return open_way(way, wanted, [&](const FileIdentity& id) {
        if (!mapping.is_known() || fits_mapping(id, mapping)) return true;
        return !is_comparable(id, mapping) && leads_to_name_of(proc_path(wanted.tgid, way), wanted.path);
    });
}

/// The path of a line is as the reader sees it, which another root may put a directory in front of.
bool is_mapping_of(const MapsLine& line, const MappedFileFacts& wanted) {
    std::string_view path = line.path;
    if (wanted.id.is_known()) return fits_mapping(line.file, wanted.id);
    if (path != wanted.path && path.ends_with(deletion_mark)) path.remove_suffix(deletion_mark.size());
    return wanted.build_id.empty() ? path == wanted.path : base_name(path) == base_name(wanted.path);
}

/// The executable lines of the process's maps, as far as the limit goes.
std::string limited_maps(uint32_t tgid, SearchLimit& limit) {
    constexpr uint64_t search_bytes = 8192;  // what a search costs besides what it reads: opening files
    ScanBudget budget(limit.left());
    if (budget.left() == 0) return {};
    std::string maps = executable_maps(tgid, budget);
    limit.charge(search_bytes + budget.spent());
    return maps;
}

std::optional<ImageFile> search_mappings(const MappedFileFacts& wanted, SearchLimit& limit) {
    constexpr int most_tries = 8;  // a process may have the name mapped any number of times
    const std::string maps = limited_maps(wanted.tgid, limit);
    int tries = 0;
    for (const MapsLine& line : parse_maps(maps)) {
        if (!is_mapping_of(line, wanted)) continue;
        if (++tries > most_tries) break;
        const FileIdentity mapping{line.file.device, line.file.inode, wanted.id.generation};
        if (auto file = open_mapping(wanted, line.start, line.end, mapping)) return file;
        if (auto file = open_identified("root" + wanted.path, wanted, mapping)) return file;
    }
    return std::nullopt;
}

std::optional<ImageFile> look_in_process(const MappedFileFacts& wanted, SearchLimit& limit) {
    std::optional<ImageFile> file;
    const bool is_identified = wanted.id.is_known() || !wanted.build_id.empty();
    if (wanted.end != 0) file = open_mapping(wanted, wanted.start, wanted.end, wanted.id);
    if (!file && is_identified) file = open_identified("exe", wanted, wanted.id);
    if (!file) file = search_mappings(wanted, limit);
    if (!file) return std::nullopt;
    const auto here = identity_at(wanted.path);
    file->is_here = here && here->may_be(file->id);
    if (!file->is_here) file->root = describe_root(wanted.tgid);
    return file;
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

std::optional<ImageFile> find_image_file(const MappedFileFacts& wanted, SearchLimit& limit) {
    if (auto file = look_here(wanted, std::mem_fn(&FileIdentity::may_be))) return file;
    if (wanted.tgid != 0)
        if (auto file = look_in_process(wanted, limit)) return file;
    return look_here(wanted, fits_mapping);
}

std::optional<int64_t> change_time(uint32_t tgid, const std::string& path, const FileIdentity& mapping) {
    auto there = tgid != 0 ? stat_of(proc_path(tgid, "root" + path)) : std::nullopt;
    if (!there) there = stat_of(path);
    if (!there || !fits_mapping(identity_of(*there), mapping)) return std::nullopt;
    return nanoseconds(there->st_ctim);
}

bool is_real_name(const MappedFileFacts& mapping) {
    std::string path = mapping.tgid != 0 ? proc_path(mapping.tgid, "root" + mapping.path) : mapping.path;
    auto there = identity_at(path);
    if (!there) there = identity_at(path = mapping.path);
    if (!there) return false;
    if (mapping.id.is_known()) return fits_mapping(*there, mapping.id);
    if (const auto mapped = identity_at(proc_path(mapping.tgid, map_file(mapping.start, mapping.end))))
        return *mapped == *there;
    if (mapping.build_id.empty()) return false;
    const auto file = open_image(path, [](const FileIdentity&) { return true; });
    return file && file->build_id == mapping.build_id;
}

std::string describe_root(uint32_t tgid) {
    const std::string own = read_kernel_link("/proc/self/ns/mnt"),
                      other = read_kernel_link(proc_path(tgid, "ns/mnt"));
    if (other.empty()) return {};
    if (own == other && identity_at("/") == identity_at(proc_path(tgid, "root/"))) return {};
    std::string directory = read_kernel_link(proc_path(tgid, "root"));
    if (!directory.empty() && directory != "/") return directory;
    return "mount namespace " + namespace_number(other) + control_group(tgid);
}

}  // namespace op::collect
