// SPDX-License-Identifier: GPL-2.0-or-later
// Directories by descriptor: opening, listing and removing trees that others may have put traps into.
// No symbolic link below the given descriptor is followed, except where noted.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libop/base/access_policy.h"
#include "libop/base/fd.h"

namespace op {

/// One name in a directory; neither flag is set for links, sockets and the like.
struct DirectoryEntry {
    std::string name;
    bool is_directory = false;
    bool is_regular = false;
};

/// True if an errno value means that a directory, or one on the way to it, is not there or not any more.
bool is_gone(int code) noexcept;

/// The entries of an open directory without "." and "..", in no order. Throws a system error naming `label`.
std::vector<DirectoryEntry> read_directory(Fd dir, const std::string& label);

/// Opens directory `name` below `dir`; `make` creates it if it is missing, with a strict `policy` under
/// another name first, so that what somebody else puts there meanwhile is not taken for it. Throws a system
/// error that names `label` and reports whether a link or a file is in its place, an input error if `policy`
/// refuses the directory.
Fd open_directory_at(const Fd& dir, const std::string& name, const std::string& label, bool make,
                     const AccessPolicy& policy = {});

/// Checks a file opened for writing by its `st`. Throws an input error naming `label` unless it is a regular
/// file with a single link: a hard link may lead to somebody else's file, put there to be overwritten.
void check_own_file(const struct stat& st, const std::string& label);

/// Opens relative `path`, of any length, below `dir`. Follows symbolic links except in the last component.
/// Returns an empty Fd with errno set on failure.
Fd open_below(const Fd& dir, std::string_view path, int flags) noexcept;

/// Opens regular file `path` below `dir` for reading; no part of `path` may be a symbolic link or "..". Where
/// there is a /proc, nothing else is opened even for a moment. Returns an empty Fd if the file does not
/// exist. Throws a system error, or an input error if it is not a regular file, naming `label`.
Fd open_regular_below(const Fd& dir, std::string_view path, const std::string& label);

/// The content of regular file `path` below `dir` (see open_below); none if the file does not exist. Throws a
/// system error, or an input error if it is not a regular file or exceeds `limit` bytes, naming `label`.
std::optional<std::string> read_file_below(const Fd& dir, std::string_view path, const std::string& label,
                                           size_t limit);

/// Removes `name` below `dir` with everything in it, at any depth, without leaving its file system. Does
/// nothing if it does not exist. Throws a system error that names an entry it could not remove.
void remove_tree_at(const Fd& dir, const std::string& name, const std::string& label);

}  // namespace op
