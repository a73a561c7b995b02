// SPDX-License-Identifier: GPL-2.0-or-later
// The kinds of recordings of other profilers that can be imported, and how one is recognised.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/source/sample_source.h"
#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"

namespace op::collect {

/// A recording to import.
struct ImportedFile {
    MappedFile file;
    std::string label;      ///< its name in messages, printable
    uint64_t mtime_ns = 0;  ///< when it was written last, ns since the epoch
};

/// What the command line adds. Each kind takes its own.
struct ImportOptions {
    std::string root;  ///< of kinds without build-ids: where the recorded machine's files lie here; empty = /
};

/// A recording that was opened.
struct OpenedRecording {
    std::unique_ptr<SampleSource> source;
    bool has_stacks = false;  ///< samples have callers
    /// True if it was recorded with the kernel that runs here now, whose code begins at that run-time
    /// address. To be called when the source was drained; empty = no.
    std::function<bool(uint64_t start)> is_running_kernel = {};
    /// Kernel images that are one function each and named after it; when the source was drained.
    std::function<std::set<std::string>()> made_kernel_code = {};
    bool is_same_host = false;              ///< recorded on a machine of this one's name
    bool has_dump_times = false;            ///< samples have times of CLOCK_MONOTONIC, as jitdumps have
    std::vector<std::string> remarks = {};  ///< what to know about its numbers, where nothing is wrong
};

/// One kind of recordings.
struct Importer {
    std::string_view name;         ///< as --from has it
    std::string_view description;  ///< for people
    /// True if the bytes begin like such a recording. Formats without a magic number are opened by name only:
    /// null.
    bool (*matches)(std::span<const std::byte> bytes);
    size_t least_bytes;  ///< a shorter file ends within its header
    /// Opens the recording. `notes` must outlive the source. Throws an input error if it cannot be used at
    /// all; what is damaged further on is noted by the source.
    OpenedRecording (*open)(ImportedFile file, const ImportOptions& options, Diagnostics& notes);
};

/// All kinds.
std::span<const Importer> importers();
/// The kind of that name or, with an empty name, the one that the bytes match. Throws a usage error for an
/// unknown name, an input error naming `label` if no kind matches or the bytes are too few for it.
const Importer& importer_for(std::string_view name, std::span<const std::byte> bytes, std::string_view label);

}  // namespace op::collect
