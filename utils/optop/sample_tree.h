// SPDX-License-Identifier: GPL-2.0-or-later
// The sample files below a session's directory, listed again where a directory changed. Reads no file.
#pragma once

#include <sys/stat.h>
#include <time.h>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "libop/base/fd.h"
#include "utils/optop/directory_watch.h"

namespace op::tool {

/// Finds the files that came since the last time. A directory is read again if the kernel reports a change.
/// Where it cannot, as of remote file systems, a directory is read again if its modification time is another
/// one, or so young that a change may have come within the same tick of the file system's clock; all of these
/// are every half a minute of looks, as clocks of remote file systems are not this machine's.
class SampleTree {
public:
    /// A tree that nothing is known of, `label` for messages; at most `limit` files are found, in at most
    /// so many directories.
    SampleTree(std::string label, size_t limit) : label_(std::move(label)), limit_(limit) {}

    /// The paths below `dir`, always the same directory, of files that were not returned before. Only regular
    /// files whose path is a sample file's name; links are not followed. Throws a system error if a directory
    /// cannot be read; one that vanishes meanwhile is passed over.
    std::vector<std::string> find_new(const Fd& dir);
    /// A file that is found again if it is there again.
    void forget(const std::string& path) { files_.erase(path); }
    /// True if there may be more than that.
    bool is_full() const noexcept { return files_.size() >= limit_ || directories_.size() >= limit_; }

private:
    /// A directory as it was when it was read.
    struct Directory {
        std::string path;  ///< empty = the session's
        timespec changed;
        bool is_settled;  ///< its clock has ticked since
        int watch = DirectoryWatch::none;
    };

    bool is_unchanged(const Fd& dir, const Directory& known, bool is_all) const;
    void read(const Fd& dir, Directory& directory, std::vector<std::string>& found);
    bool visit(const Fd& dir, Directory& directory, std::vector<std::string>& found);

    std::string label_;
    size_t limit_;
    DirectoryWatch watch_;
    std::vector<Directory> directories_{{"", {}, false}};
    std::set<std::string> known_directories_, files_;
    unsigned looks_ = 0;
};

}  // namespace op::tool
