// SPDX-License-Identifier: GPL-2.0-or-later
// The index of a slice: which sample files its session has, and the content of those that rows of `samples`
// cannot give back. Format: doc/FORMATS.md, "Index of a slice".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libop/session/sample_file.h"
#include "libop/session/sample_path.h"

namespace op::fleet {

/// A sample file of a session.
struct IndexedFile {
    SampleName name;
    SampleHeader header;
    bool is_apart = false;                  ///< else its counters are rows of `samples`
    std::vector<SampleEntry> entries = {};  ///< of a file apart

    bool operator==(const IndexedFile&) const = default;
};

/// The text of an index. Throws as mangle().
std::string index_text(std::span<const IndexedFile> files);
/// The files of an index, whose names mangle() can spell. Throws an input error that begins with `label` if
/// the text is no index.
std::vector<IndexedFile> parse_index(std::string_view text, std::string_view label);

}  // namespace op::fleet
