// SPDX-License-Identifier: GPL-2.0-or-later
// The sample sources by name, and what distinguishes them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/driver/driver_source.h"
#include "daemon/perf/perf_events.h"
#include "daemon/perf/perf_source.h"
#include "daemon/source/sample_source.h"
#include "libop/base/diagnostics.h"
#include "libop/events/event_spec.h"

namespace op::collect {

/// What is wanted of a source and what it needs; each takes its own.
struct SourceOptions {
    std::vector<DaemonEventSpec> events;  ///< wanted; none: the default one
    uint64_t callgraph = 0;               ///< most callers of a sample, 0 = none
    uint32_t stack_bytes = 0;             ///< perf: copied of each sample's user stack, to find callers; 0 =
                                          ///< by frame pointers
    uint32_t larger_stack_bytes = 0;      ///< perf: copied where that is too little; 0 = never
    NamedKernel kernel;
    KallsymsCopy* kallsyms = nullptr;   ///< perf: see PerfOptions
    Oprofilefs files;                   ///< driver
    PerfTarget perf_target;             ///< perf
    EventMeter rate;                    ///< perf: may be empty, see EventRequest
    std::string* fallback = nullptr;    ///< perf: see EventRequest; null: the notes get the line
    std::function<bool()> is_stopping;  ///< perf: see PerfOptions
    std::string stream;                 ///< replay: the recorded stream's path

    // What describe() fills in.
    SessionInfo described;                 ///< machine and events
    std::string model;                     ///< the driver's, else empty
    std::vector<int> counters;             ///< driver: by event
    std::vector<Sampling> samplings;       ///< driver: events that share a counter
    std::vector<EventEncoding> encodings;  ///< perf: by event
};

/// A source, and what it was granted when it was opened.
struct OpenedSource {
    std::unique_ptr<SampleSource> source;
    bool kernel_mode = true;  ///< false if this user may not sample kernel mode
    size_t ring_bytes = 0;    ///< perf: room per CPU for records; 0 = the source has no such rings
};

struct SourceKind {
    std::string_view name;         ///< "driver", "perf", "replay"
    std::string_view description;  ///< for people
    std::string_view absence;      ///< for people: why it is not there
    bool is_live;   ///< samples this machine: its images are files here, its processes can be looked at
    bool has_path;  ///< it is written NAME:PATH
    /// True if it can be used where nobody names a source.
    bool (*is_there)(const SourceOptions& options);
    /// Adds CPU type and events to `options.described`, and how the source is asked for them. Adds nothing
    /// for a source that describes itself. Throws a usage error for events that the source cannot sample.
    void (*describe)(SourceOptions& options, Diagnostics& notes);
    /// Opens the source as described, sampling off. `notes` must outlive it. Throws as its constructor does.
    OpenedSource (*open)(const SourceOptions& options, Diagnostics& notes);
};

/// All there are, the best first.
std::span<const SourceKind> source_kinds();
/// The source of that name. Throws a usage error naming those there are.
const SourceKind& source_kind(std::string_view name);

/// A source as the command line names it.
struct SourceName {
    const SourceKind* kind;
    std::string path;  ///< of those that have one
};
/// Parses NAME or NAME:PATH. Throws a usage error for an unknown name and for a path that is missing or that
/// the source does not take.
SourceName parse_source(std::string_view text);

/// The best source that is there. Throws a usage error with the absence of each if no source is there.
const SourceKind& best_source(const SourceOptions& options,
                              std::span<const SourceKind> kinds = source_kinds());

}  // namespace op::collect
