// SPDX-License-Identifier: GPL-2.0-or-later
// Comparing a run with the session it is added to.
#include "daemon/collect/append_check.h"

#include <algorithm>
#include <set>

#include "libop/base/text.h"
#include "libop/events/cpu_model.h"
#include "libop/events/event_catalogue.h"
#include "libop/session/event_label.h"

namespace op::collect {
namespace {

using Texts = std::vector<std::string>;

/// The parts of an event by which its sample files differ from those of others.
std::string text_of(const RecordedEvent& event) {
    return event_label(event.name, event.count, event.unit_mask);
}

Texts events_of(const SessionInfo& info) {
    std::set<std::string> events;
    for (const RecordedEvent& event : info.events)
        events.insert(text_of(event));
    return {events.begin(), events.end()};
}

Texts held_events(std::span<const SampleName> held) {
    std::set<std::string> events;
    for (const SampleName& file : held)
        events.insert(event_label(file.event, file.count, file.unit_mask));
    return {events.begin(), events.end()};
}

bool is_other_mode(const RecordedEvent& a, const RecordedEvent& b) {
    return text_of(a) == text_of(b) && (a.kernel != b.kernel || a.user != b.user);
}

void add_modes(const SessionInfo& earlier, const SessionInfo& run, Texts& found) {
    for (const RecordedEvent& event : run.events)
        if (std::ranges::any_of(earlier.events, [&](const auto& old) { return is_other_mode(old, event); }))
            found.push_back("holds " + text_of(event) +
                            " counted in other modes (kernel, user): its samples are added up");
}

void add_separation(bool was_separated, bool is_separated, const char* by, const char* remedy, Texts& found) {
    if (was_separated == is_separated) return;
    found.push_back(std::string(was_separated ? "is" : "is not") + " separated by " + by + ", this run is" +
                    (is_separated ? "" : " not") + ": reports of both need " + remedy);
}

/// A report on stacks shows samples without one by themselves.
void add_stacks(const SessionInfo& earlier, const CollectorOptions& options, Texts& found) {
    const bool had_stacks = earlier.stacks.stored() > 0;
    if (had_stacks == options.stacks) return;
    found.push_back(had_stacks ? "has call stacks, this run adds none: its samples have no callers in reports"
                               : "has samples without call stacks, to which this run adds some with them: "
                                 "those before have no callers in reports");
}

}  // namespace

std::vector<std::string> append_differences(std::span<const SampleName> held,
                                            const std::optional<SessionInfo>& earlier, const SessionInfo& run,
                                            const CollectorOptions& options) {
    Texts found;
    if (held.empty()) return found;
    // A run before may have had events that did not occur.
    const Texts before = earlier && !earlier->events.empty() ? events_of(*earlier) : held_events(held);
    const Texts now = events_of(run);
    if (before != now)
        found.push_back("holds " + short_list(before) + ", this run counts " + short_list(now) +
                        ": reports show them side by side; event: and count: choose");
    const auto any = [&](const auto& is_so) { return std::ranges::any_of(held, is_so); };
    add_separation(any([](const SampleName& file) { return file.tgid.has_value(); }),
                   options.separation.thread, "process and thread", "--merge=tgid", found);
    add_separation(any([](const SampleName& file) { return file.cpu.has_value(); }), options.separation.cpu,
                   "CPU", "--merge=cpu", found);
    if (!earlier) return found;
    add_modes(*earlier, run, found);
    add_stacks(*earlier, options, found);
    const std::string& clocks = cpu_models().find_number(cpu_type_timer)->name;
    const auto has_processor = [&](const SessionInfo& info) {
        return !info.cpu_type_name.empty() && info.cpu_type_name != clocks;
    };
    if (has_processor(*earlier) && has_processor(run) && earlier->cpu_type_name != run.cpu_type_name)
        found.push_back("was recorded on a CPU of type " + earlier->cpu_type_name + ", this is " +
                        run.cpu_type_name + ": the heads of reports name only the latter");
    return found;
}

}  // namespace op::collect
