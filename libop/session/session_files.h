// SPDX-License-Identifier: GPL-2.0-or-later
// The files in a session's directory samples/<session>: finds the sample files and reads the manifest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"
#include "libop/session/sample_file.h"
#include "libop/session/session_info.h"

namespace op {

/// At most so many bytes of a sample file, of the manifest and the kallsyms snapshot, and of a file in stats/
/// are read.
inline constexpr size_t sample_file_limit = size_t{1} << 30, side_file_limit = size_t{64} << 20;
inline constexpr size_t statistic_limit = 4096;
/// The directory of the statistics in samples/<session>, and the file beside samples/ that describes sample
/// files.
inline constexpr const char* statistics_dir = "stats";
inline constexpr const char* abi_name = "abi";
/// The directory of the call stacks in samples/<session> (libop/stacks).
inline constexpr const char* stacks_dir = "stacks";

/// Whoever sends a session elsewhere begins the names of his files in it like this.
inline constexpr std::string_view fleet_prefix = "fleet.";

/// The parts of a session's directory.
enum class SessionPart : uint8_t {
    samples,
    manifest,
    kallsyms,
    statistics,
    kept_images,
    stacks,
    fleet,
    unknown
};
/// The part that an entry of the directory belongs to, by its name.
SessionPart session_part(std::string_view name);

/// Paths below `dir` of the regular files whose path parses as a sample file's name from its first component
/// on, sorted; the search ends after `limit` of them. Links are not followed. Throws a system error naming a
/// path below `label` if a directory cannot be read; one that vanishes meanwhile is passed over.
std::vector<std::string> list_sample_files(const Fd& dir, const std::string& label,
                                           size_t limit = std::numeric_limits<size_t>::max());

/// The same for the regular files of which `is_wanted` returns true, given their paths below `dir`.
std::vector<std::string> list_session_files(const Fd& dir, const std::string& label,
                                            const std::function<bool(std::string_view)>& is_wanted,
                                            size_t limit = std::numeric_limits<size_t>::max());

/// True if a session's directory holds nothing but what a run without samples leaves: manifest, kallsyms
/// snapshot, stats/, images/, stacks/, directories without a file. Throws a system error naming a path below
/// `label`.
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
