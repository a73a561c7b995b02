// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the file that a process has mapped. The path of a mapping is the process's own: in another mount
// namespace, or after the file was replaced, it leads to another file here. See proc(5), /proc/PID/map_files.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "libop/base/clock.h"
#include "libop/base/fd.h"
#include "libop/base/file_identity.h"
#include "libop/base/rate_limit.h"

namespace op::collect {

/// What is known of a mapped file before it is looked for.
struct MappedFileFacts {
    uint32_t tgid = 0;            ///< a process that has it mapped; 0 = not known
    std::string path;             ///< as that process has it, without the kernel's mark of deletion
    FileIdentity id = {};         ///< as the mapping has it
    std::string build_id = {};    ///< lower-case hex; empty = not known
    uint64_t start = 0, end = 0;  ///< run-time addresses of a mapping, half-open; 0 = not known
    int64_t mapped = 0;           ///< when it was mapped, ns since the epoch; 0 = not known
};

/// A mapped file that was found.
struct ImageFile {
    Fd fd;                    ///< open for reading
    FileIdentity id;          ///< as stat(2) gives it, with the generation if the file system has it
    int64_t changed = 0;      ///< change time, ns since the epoch
    uint64_t mtime = 0;       ///< seconds since the epoch
    uint64_t size = 0;        ///< bytes
    std::string build_id;     ///< lower-case hex; empty = it has none
    bool is_here = false;     ///< its path leads to it in the recorder's root, too
    bool is_deleted = false;  ///< it has no name any more
    bool is_trusted = false;  ///< it belongs to root or the recorder's user
    std::string root;         ///< the process's root, for people; empty = the recorder's, or not known
};

/// Limits what is read of maps files to find files, in bytes, because other users choose how long and how
/// many they are: 8 MB at once, then 4 MB a second.
class SearchLimit {
public:
    using Clock = std::function<uint64_t()>;  ///< ns, only goes forward

    explicit SearchLimit(Clock clock = monotonic_ns) : clock_(std::move(clock)) {}

    /// The bytes that may be read now.
    uint64_t left() const { return limit_.left(clock_()); }
    /// Spends bytes, also more than are left: they are paid later.
    void charge(uint64_t bytes) { limit_.charge(bytes, clock_()); }

private:
    Clock clock_;
    RateLimit limit_{250, 2'000'000'000};
};

/// Looks for the file at its path, and if that is another one, through the process. None if it cannot be
/// found, for whatever reason, or if it lies in a file system of the kernel's own texts. With no known
/// identity the file at the path is taken. A file that changed after it was mapped may be another one in the
/// same inode: it is taken only while the process has it mapped. Opens a few files at most, whatever the
/// process has mapped, and reads no more of its maps than the limit permits.
std::optional<ImageFile> find_image_file(const MappedFileFacts& wanted, SearchLimit& limit);

/// The change time of the file at `path`, as the process sees it, in ns since the epoch; none if its identity
/// is not that of the mapping.
std::optional<int64_t> change_time(uint32_t tgid, const std::string& path, const FileIdentity& mapping);

/// True if the mapped file is really named like `mapping.path`, with the mark: the path leads to it, as the
/// process sees it. With neither identity nor build-id only the mapping itself can show that.
bool is_real_name(const MappedFileFacts& mapping);

/// The root of a process for people: a directory, or its mount namespace and control group. Empty if it is
/// the recorder's, or not known.
std::string describe_root(uint32_t tgid);

}  // namespace op::collect
