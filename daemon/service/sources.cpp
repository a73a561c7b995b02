// SPDX-License-Identifier: GPL-2.0-or-later
// The table of sample sources. A new one is a row here.
#include "daemon/service/sources.h"

#include "daemon/source/replay_source.h"
#include "libop/base/error.h"

namespace op::collect {
namespace {

using Opened = std::unique_ptr<SampleSource>;

Opened open_driver(const SourceOptions& o, Diagnostics& notes) {
    return std::make_unique<DriverSource>(o.files, o.described, notes, o.driver);
}

Opened open_perf(const SourceOptions& o, Diagnostics& notes) {
    return std::make_unique<PerfSource>(o.perf, o.described, notes);
}

Opened open_replay(const SourceOptions& o, Diagnostics& notes) {
    return std::make_unique<ReplaySource>(o.stream, notes);
}

constexpr SourceKind kinds[] = {
    {"driver", open_driver},
    {"perf", open_perf},
    {"replay", open_replay},
};

}  // namespace

std::span<const SourceKind> source_kinds() {
    return kinds;
}

const SourceKind& source_kind(std::string_view name) {
    std::string known;
    for (const SourceKind& kind : kinds) {
        if (kind.name == name) return kind;
        known += (known.empty() ? "" : ", ") + std::string(kind.name);
    }
    throw_usage("no sample source \"" + std::string(name) + "\"; there are: " + known);
}

}  // namespace op::collect
