// SPDX-License-Identifier: GPL-2.0-or-later
// Who may read a file, and who can change what its path leads to.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>

#include "libop/base/fd.h"

namespace op::tool {

/// True if everyone may read an open file: by its mode, and by those of the directories that its real path
/// leads through. The last of these that is one of `tops`, directories that the user named, and those above
/// it do not count. False for what cannot be read, and for a file without a name.
bool is_public(const Fd& file, std::span<const std::string> tops = {});

/// The path of an open file, all links followed; empty if it is unknown, or the file has none any more.
std::string resolved_path(const Fd& file);

/// True if absolute `path` leads to an open file by directories and links that belong to root or `owner`, of
/// which no directory can be written to by everyone, unless it is sticky. Groups do not count, nor does the
/// file's own owner. False for a relative path.
bool is_path_trusted(const Fd& file, const std::string& path, uid_t owner);

}  // namespace op::tool
