// SPDX-License-Identifier: GPL-2.0-or-later
// Choosing events.
#include "daemon/perf/perf_events.h"

#include <algorithm>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/events/event_table.h"
#include "libop/events/ibs_rules.h"
#include "libop/events/kernel_events.h"

namespace op::collect {
namespace {

/// For events whose frequency is not known: few enough samples of any.
constexpr uint64_t usual_count = 100000;

EventSpec spec_of(std::string_view name) {
    EventSpec spec;
    spec.name = name;
    return spec;
}

CheckedEvent check_builtin(const EventSpec& spec, bool callgraph) {
    const EventInfo& row = check_event(spec, callgraph);
    const uint64_t count = spec.count != 0 ? spec.count : row.default_count;
    return {spec,
            {spec.name, row.code, count, spec.unit_mask.value_or(0), spec.kernel, spec.user},
            builtin_encoding(spec.name),
            row.minimum_count};
}

CheckedEvent check_resolved(const ResolvedEvent& resolved, const EventCatalogue& catalogue, uint64_t factor) {
    const EventSpec& spec = resolved.spec;
    const uint64_t minimum = resolved.event->least_count(factor);
    const uint64_t count = spec.count != 0 ? spec.count : std::max(usual_count, minimum);
    return {spec,
            {spec.name, resolved.event->code, count, resolved.unit_mask.stored(), spec.kernel, spec.user,
             false, resolved.unit_mask.name},
            encode_event(catalogue, resolved),
            minimum};
}

/// True for an event whose count is still to be measured.
bool has_open_count(const CheckedEvent& checked) {
    return checked.spec.count == 0 && !find_event(checked.spec.name);
}

/// Adds an event, whose count is settled, unless it is among them. Throws if another one has its name in
/// sample files.
void add_distinct(std::vector<CheckedEvent>& events, CheckedEvent added) {
    const auto same = std::ranges::find_if(
        events, [&](const CheckedEvent& other) { return is_same_event(other.event, added.event); });
    if (same == events.end())
        events.push_back(std::move(added));
    else if (same->encoding != added.encoding)
        throw_usage("event '" + added.event.name +
                    "': two of its unit masks have the same name in sample files; give them different "
                    "counts");
}

/// The events without those that occur twice. Those with a count to be measured may get different ones: of
/// them only what is the same event in every respect is one.
std::vector<CheckedEvent> distinct(std::vector<CheckedEvent> all) {
    std::vector<CheckedEvent> settled, kept;
    for (CheckedEvent& each : all) {
        const auto is_repeated = [&](const CheckedEvent& other) {
            return has_open_count(other) == has_open_count(each) && is_same_event(other.event, each.event) &&
                   other.encoding == each.encoding;
        };
        if (!has_open_count(each)) add_distinct(settled, each);
        if (std::ranges::none_of(kept, is_repeated)) kept.push_back(std::move(each));
    }
    return kept;
}

/// perf_event_open(2), PERF_TYPE_HARDWARE, by the names that perf list has.
constexpr std::string_view hardware_of_perf[] = {"cycles",
                                                 "cpu-cycles",
                                                 "instructions",
                                                 "cache-references",
                                                 "cache-misses",
                                                 "branches",
                                                 "branch-instructions",
                                                 "branch-misses",
                                                 "bus-cycles",
                                                 "ref-cycles",
                                                 "stalled-cycles-frontend",
                                                 "stalled-cycles-backend"};

class Chooser {
public:
    Chooser(const EventRequest& request, SessionInfo& info, Diagnostics& notes)
        : request_(request), info_(info), notes_(notes) {}

    std::vector<EventEncoding> choose() {
        std::vector<EventSpec> wanted = request_.specs;
        if (wanted.empty()) wanted.push_back(default_event());
        std::vector<CheckedEvent> chosen;
        refuse_without_counters(wanted);
        for (CheckedEvent& checked : check_perf_events(wanted, request_.callgraph, request_.catalogue))
            add_distinct(chosen, working(std::move(checked)));
        std::vector<EventEncoding> encodings;
        for (CheckedEvent& each : chosen) {
            hardware_ |= each.event.name != timer_event;
            info_.events.push_back(std::move(each.event));
            encodings.push_back(each.encoding);
        }
        describe_cpu();
        return encodings;
    }

private:
    /// The type whose events they are; the clock's are no processor's.
    void describe_cpu() const {
        const CpuModels& models = cpu_models();
        const Processor machine = hardware_ ? running_processor() : Processor{};
        const std::string& known = request_.catalogue.model.name;
        info_.cpu_type = models.detect_numbered(machine).number;
        info_.cpu_type_name = hardware_ && !known.empty() ? known : models.detect(machine).name;
    }

    /// Throws for a name that perf has for an event of the processor, where none can be counted.
    void refuse_without_counters(const std::vector<EventSpec>& wanted) const {
        for (const EventSpec& spec : wanted) {
            if (request_.catalogue.knows(spec.name) || request_.catalogue.builtin(spec.name)) continue;
            if (std::ranges::find(hardware_of_perf, spec.name) == std::end(hardware_of_perf)) continue;
            const CheckedEvent cycles = check_builtin(spec_of(cycles_event), false);
            if (request_.works(cycles.event, cycles.encoding)) return;
            throw_usage(
                "event '" + printable(spec.name) +
                "': the kernel offers no hardware counters here, as in most virtual machines; event TIMER "
                "works, and the kernel's own events, which ophelp lists at the end");
        }
    }

    EventSpec default_event() const {
        const auto& own = request_.catalogue.model.default_event;
        if (!own || !request_.catalogue.knows(own->name)) return spec_of(cycles_event);
        EventSpec spec = *own;
        if (request_.callgraph) spec.count = std::max(spec.count, least_count(spec.name));
        return spec;
    }

    /// With call graphs.
    uint64_t least_count(std::string_view name) const {
        const auto& events = request_.catalogue.events;
        return std::ranges::find(events, name, &CatalogueEvent::name)->least_count(callgraph_count_factor);
    }

    /// A count for an event that works and was asked for without one.
    void settle_count(CheckedEvent& chosen) {
        const auto rate = request_.rate ? request_.rate(chosen.event, chosen.encoding) : std::nullopt;
        const auto count = rate ? count_for(*rate, chosen.minimum_count) : std::nullopt;
        chosen.event.count = count.value_or(chosen.event.count);
        const char* const why = !request_.rate ? ""
                                : !rate        ? ": its rate cannot be measured"
                                : !count       ? ": it did not occur while its rate was measured"
                                               : ", for about 1000 samples a second by what was measured";
        notes_.warn("event " + chosen.event.name + ": no count was given; a sample is taken every " +
                    std::to_string(chosen.event.count) + why);
    }

    /// The event, or what takes its place.
    CheckedEvent working(CheckedEvent chosen) {
        const EventSpec& spec = chosen.spec;
        if (chosen.event.name == timer_event) return chosen;
        if (request_.works(chosen.event, chosen.encoding)) {
            if (has_open_count(chosen)) settle_count(chosen);
            return chosen;
        }
        if (spec.name != cycles_event && spec.name != default_event().name)
            throw_usage("event '" + spec.name +
                        "': this machine cannot count it: the kernel offers no such hardware counter, as in "
                        "most virtual machines; event TIMER works");
        EventSpec instead = spec_of(timer_event);
        instead.kernel = spec.kernel;
        instead.user = spec.user;
        CheckedEvent clock = check_builtin(instead, request_.callgraph);
        note_fallback(spec, clock.event);
        return clock;
    }

    void note_fallback(const EventSpec& spec, const RecordedEvent& clock) {
        std::string line = "no hardware counter here: sampling by the CPU clock, event " + clock.label();
        if (!request_.specs.empty()) {
            line = "event " + spec.name + ": " + line;
            if (spec.count != 0) line += "; the count " + std::to_string(spec.count) + " is dropped";
        }
        if (request_.specs.empty() && request_.fallback)
            *request_.fallback = std::move(line);
        else
            notes_.warn(std::move(line));
    }

    const EventRequest& request_;
    SessionInfo& info_;
    Diagnostics& notes_;
    bool hardware_ = false;
};

}  // namespace

std::vector<CheckedEvent> check_perf_events(const std::vector<EventSpec>& specs, bool callgraph,
                                            const EventCatalogue& catalogue) {
    const uint64_t factor = callgraph ? callgraph_count_factor : 1;
    std::vector<CheckedEvent> checked;
    std::vector<ResolvedEvent> resolved;
    for (const EventSpec& spec : specs) {
        if (catalogue.builtin(spec.name)) {
            checked.push_back(check_builtin(spec, callgraph));
            continue;
        }
        resolved.push_back(resolve_event(catalogue, spec, {factor, false}));
        check_ibs_events(catalogue.model.name, resolved);
        checked.push_back(check_resolved(resolved.back(), catalogue, factor));
    }
    return distinct(std::move(checked));
}

std::vector<EventEncoding> choose_events(const EventRequest& request, SessionInfo& info, Diagnostics& notes) {
    return Chooser(request, info, notes).choose();
}

EventCatalogue running_catalogue() {
    const CatalogueSources sources{events_directory(), running_processor(), true, event_source_devices()};
    return load_catalogue(cpu_models().detect(*sources.machine), sources);
}

}  // namespace op::collect
