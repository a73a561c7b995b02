// SPDX-License-Identifier: GPL-2.0-or-later
// The files in a session's directory samples/<session>: finds the sample files and reads the manifest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"
#include "libop/session/sample_file.h"
#include "libop/session/session_info.h"

namespace op {

/// Paths below `dir` of the regular files whose path parses as a sample file's name from its first component
/// on, sorted; the search ends after `limit` of them. Links are not followed. Throws a system error naming a
/// path below `label` if a directory cannot be read; one that vanishes meanwhile is passed over.
std::vector<std::string> list_sample_files(const Fd& dir, const std::string& label,
                                           size_t limit = std::numeric_limits<size_t>::max());

/// True if a session's directory holds nothing but what a run without samples leaves: manifest, kallsyms
/// snapshot, stats/, directories without a file. Throws a system error naming a path below `label`.
bool holds_only_leavings(const Fd& dir, const std::string& label);

/// The sums over all sample files of a session; saturating.
struct HeldSamples {
    uint64_t samples = 0;  ///< of files without callee
    uint64_t arcs = 0;     ///< of call-graph files
};

/// Reads all sample files below `dir` and adds up their samples. An unreadable file is a warning and adds
/// nothing. Throws as list_sample_files.
HeldSamples count_held_samples(const Fd& dir, const std::string& label, Diagnostics& notes);

/// Reads one sample file at a path below `dir`. Throws as parse_sample_file, or a system error.
SampleFileContent read_sample_file(const Fd& dir, const std::string& path, const std::string& label,
                                   Diagnostics& notes);

/// The manifest in `dir`, if it exists. An unreadable or damaged manifest is a warning and no result.
std::optional<SessionInfo> read_manifest(const Fd& dir, const std::string& label, Diagnostics& notes);

}  // namespace op
