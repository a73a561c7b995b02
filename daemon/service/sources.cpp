// SPDX-License-Identifier: GPL-2.0-or-later
// The table of sample sources. A new one is a row here.
#include "daemon/service/sources.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "daemon/driver/driver_session.h"
#include "daemon/perf/perf_probe.h"
#include "daemon/source/replay_source.h"
#include "libop/base/access_policy.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/events/event_table.h"

namespace op::collect {
namespace {

bool is_driver_there(const SourceOptions& o) {
    return o.files.present();
}

void describe_driver(SourceOptions& o, Diagnostics&) {
    DriverOptions driver;
    describe_driver_session(o.files, o.events, o.callgraph, o.described, driver);
    o.counters = std::move(driver.counters);
    o.samplings = std::move(driver.samplings);
    o.model = o.files.text("model");
}

OpenedSource open_driver(const SourceOptions& o, Diagnostics& notes) {
    DriverOptions options{o.kernel, o.counters, o.samplings};
    return {std::make_unique<DriverSource>(o.files, o.described, notes, std::move(options))};
}

bool is_perf_there(const SourceOptions&) {
    return true;
}

void describe_perf(SourceOptions& o, Diagnostics& notes) {
    std::vector<EventSpec> specs;
    for (const DaemonEventSpec& event : o.events)
        specs.push_back(event.spec);
    // The list of a processor's events is long; the clock is in none.
    const auto is_clock = [](const EventSpec& spec) { return spec.name == timer_event; };
    const bool is_clock_alone = !specs.empty() && std::ranges::all_of(specs, is_clock);
    const EventCatalogue catalogue = is_clock_alone ? EventCatalogue{} : running_catalogue();
    o.encodings = choose_events({specs, o.callgraph > 0, catalogue, perf_event_works, o.rate, o.fallback},
                                o.described, notes);
}

/// Room for half a second of samples at 1 kHz.
size_t ring_bytes_for(uint32_t stack_bytes) {
    constexpr size_t without_stacks = size_t{1} << 19, stacks = 512;
    return std::bit_ceil(std::max<size_t>(without_stacks, stacks * stack_bytes));
}

OpenedSource open_perf(const SourceOptions& o, Diagnostics& notes) {
    auto source = std::make_unique<PerfSource>(PerfOptions{.target = o.perf_target,
                                                           .callgraph = o.callgraph > 0,
                                                           .stack_bytes = o.stack_bytes,
                                                           .larger_stack_bytes = o.larger_stack_bytes,
                                                           .encodings = o.encodings,
                                                           .kernel = o.kernel,
                                                           .kallsyms = o.kallsyms,
                                                           .ring_bytes = ring_bytes_for(o.stack_bytes),
                                                           .is_stopping = o.is_stopping},
                                               o.described, notes);
    const bool kernel_mode = source->kernel_mode();
    const size_t ring_bytes = source->ring_bytes();
    return {std::move(source), kernel_mode, ring_bytes};
}

/// A recording is never there by itself.
bool is_replay_there(const SourceOptions&) {
    return false;
}

void describe_replay(SourceOptions&, Diagnostics&) {}

OpenedSource open_replay(const SourceOptions& o, Diagnostics& notes) {
    const Fd file = open_regular(o.stream);
    own_access_policy().check(file, o.stream);
    return {std::make_unique<ReplaySource>(MappedFile(file, o.stream), o.stream, notes)};
}

constexpr SourceKind kinds[] = {
    {.name = "driver",
     .description = "the driver",
     .absence = no_driver,
     .is_live = true,
     .has_path = false,
     .is_there = is_driver_there,
     .describe = describe_driver,
     .open = open_driver},
    {.name = "perf",
     .description = "perf_event_open",
     .absence = "this kernel has no perf_event_open",
     .is_live = true,
     .has_path = false,
     .is_there = is_perf_there,
     .describe = describe_perf,
     .open = open_perf},
    {.name = "replay",
     .description = "a recorded stream",
     .absence = "no stream is named",
     .is_live = false,
     .has_path = true,
     .is_there = is_replay_there,
     .describe = describe_replay,
     .open = open_replay},
};

}  // namespace

std::span<const SourceKind> source_kinds() {
    return kinds;
}

const SourceKind& source_kind(std::string_view name) {
    std::vector<std::string> known;
    for (const SourceKind& kind : kinds) {
        if (kind.name == name) return kind;
        known.emplace_back(kind.name);
    }
    throw_usage("no sample source \"" + printable(name) + "\"; there are: " + joined(known));
}

SourceName parse_source(std::string_view text) {
    const size_t colon = text.find(':');
    const SourceKind& kind = source_kind(text.substr(0, colon));
    const std::string path(colon == text.npos ? "" : text.substr(colon + 1));
    const std::string name(kind.name);
    if (kind.has_path && path.empty())
        throw_usage("source " + name + ": name the file of " + std::string(kind.description) + ", " + name +
                    ":FILE");
    if (!kind.has_path && colon != text.npos) throw_usage("source " + name + " takes no file; write " + name);
    return {&kind, path};
}

const SourceKind& best_source(const SourceOptions& options, std::span<const SourceKind> kinds) {
    const auto kind =
        std::ranges::find_if(kinds, [&](const SourceKind& each) { return each.is_there(options); });
    if (kind != kinds.end()) return *kind;
    throw_usage("there is no sample source: " +
                joined(kinds, "; ", [](const SourceKind& each) { return std::string(each.absence); }));
}

}  // namespace op::collect
