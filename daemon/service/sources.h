// SPDX-License-Identifier: GPL-2.0-or-later
// The sample sources by name.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "daemon/driver/driver_source.h"
#include "daemon/perf/perf_source.h"
#include "daemon/source/sample_source.h"
#include "libop/base/diagnostics.h"

namespace op::collect {

/// What the sources need; each takes its own.
struct SourceOptions {
    SessionInfo described;  ///< driver, perf: machine and events
    Oprofilefs files;       ///< driver
    DriverOptions driver;
    PerfOptions perf;
    std::string stream;  ///< replay: the recorded stream's path
};

struct SourceKind {
    std::string_view name;  ///< "driver", "perf", "replay"
    /// Opens the source, sampling off. `notes` must outlive it. Throws as its constructor does.
    std::unique_ptr<SampleSource> (*open)(const SourceOptions& options, Diagnostics& notes);
};

/// All there are, the best first.
std::span<const SourceKind> source_kinds();
/// The source of that name. Throws a usage error naming those there are.
const SourceKind& source_kind(std::string_view name);

}  // namespace op::collect
