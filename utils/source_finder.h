// SPDX-License-Identifier: GPL-2.0-or-later
// Where a source file that debug information names lies on this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace op::tool {

/// A source file as it is now.
struct Source {
    std::string text;
    int64_t changed;  ///< seconds since the epoch; of a copy in an archive 0
};

/// Looks for source files.
class SourceFinder {
public:
    /// `archive` may be empty. Base directories are stripped from names before they are looked for below the
    /// search directories.
    SourceFinder(std::string archive, std::vector<std::string> search_dirs,
                 std::vector<std::string> base_dirs);

    /// The source, from the first of: its whole path below the search directories, the archive, the name as
    /// recorded, the end of its path, as much of it as helps, below the search directories. None if none can
    /// be read.
    std::optional<Source> read(const std::string& recorded) const;

private:
    std::string without_base(const std::string& recorded) const;
    std::optional<Source> read_below(std::string_view path) const;

    std::string archive_;
    std::vector<std::string> search_dirs_, base_dirs_;
};

/// "source a.c is not found", or how many are not, with the first five.
std::string not_found_text(const std::vector<std::string>& sources);

}  // namespace op::tool
