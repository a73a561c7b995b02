// SPDX-License-Identifier: GPL-2.0-or-later
// Writes a tree of files below one directory, with names that come from foreign files.
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>

#include "libop/base/fd.h"

namespace op::tool {

/// Writes below a directory and nowhere else: ".." removes the name before it, and no symbolic link below the
/// directory is followed.
class TreeWriter {
public:
    /// Creates the directory and its parents if they do not exist. Copies get no mode bits but `allowed`.
    /// Throws a usage error if it is the root of the file system or "-", else a system error.
    explicit TreeWriter(std::string top, mode_t allowed = 0777);

    /// Replaces the file at `path` below the directory (a leading '/' is ignored); creates the directories of
    /// the path. Throws an input error if the path leads out of the directory or has no name, else a system
    /// error that names the file.
    void write(std::string_view path, std::string_view bytes, mode_t mode = 0644);
    /// The same with the content, mode and modification time of an open regular file; `label` names it in
    /// messages. Not more than its first `most` bytes are copied, nor what it gains meanwhile; its holes, and
    /// long runs of zeros, become holes.
    void copy(const Fd& from, const std::string& label, std::string_view path, uint64_t most = UINT64_MAX);

private:
    struct Place {
        Fd dir;
        std::string name;
        std::string label;  ///< its path, for messages
    };
    Place place(std::string_view path) const;

    std::string top_;
    mode_t allowed_;
    Fd dir_;
};

}  // namespace op::tool
