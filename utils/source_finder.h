// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the source files that debug information names on this machine.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libop/base/fd.h"

namespace op::tool {

/// The current content of a source file.
struct Source {
    std::string text;
    int64_t changed = 0;       ///< seconds since the epoch; 0 for a copy in an archive
    std::string refusal = {};  ///< why the file is not read; empty if it is
    std::optional<std::pair<dev_t, ino_t>> file =
        {};  ///< that it was read from; none for a copy in an archive
};

/// Why a file that exists is not read as a source: "it is not a regular file", "its size is 0" (a file of
/// /proc, which may wait), "it is larger than 64 MiB"; empty if it is read. Binaries name these files, so any
/// name is possible.
std::string source_refusal(const std::string& path);

/// Why a file that debug information names as a source, and that not everyone may read (see is_public()), is
/// not handed on: whoever made the binary chooses the names. Empty if all of this holds: its name, links
/// followed, ends as sources do; it has no other name; it belongs to the owner of the image, or the image is
/// root's; and nobody but these two can choose what absolute `path` leads to. `image_owner`: none = unknown.
/// Throws a system error if the file's status cannot be read.
std::string private_source_fault(const Fd& file, const std::string& path, std::optional<uid_t> image_owner);

/// Looks for source files.
class SourceFinder {
public:
    /// `archive` may be empty. Base directories are removed from names before they are searched below the
    /// search directories.
    SourceFinder(std::string archive, std::vector<std::string> search_dirs,
                 std::vector<std::string> base_dirs);

    /// The source, from the first of these that can be read, or exists and is refused: its whole path below
    /// the search directories; the archive; the name as recorded; the longest end of its path that exists
    /// below the search directories. None if there is no such file.
    std::optional<Source> read(const std::string& recorded) const;

private:
    std::string without_base(const std::string& recorded) const;
    std::optional<Source> read_below(std::string_view path) const;

    std::string archive_;
    std::vector<std::string> search_dirs_, base_dirs_;
};

/// "source a.c is not found", or the number of missing sources with the first five.
std::string not_found_text(const std::vector<std::string>& sources);

}  // namespace op::tool
