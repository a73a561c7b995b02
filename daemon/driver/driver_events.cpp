// SPDX-License-Identifier: GPL-2.0-or-later
// Event names, codes and limits of the driver's models.
#include "daemon/driver/driver_events.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>

#include "daemon/source/ibs_decode.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/events/counter_alloc.h"
#include "libop/events/event_table.h"
#include "libop/events/ibs_rules.h"

namespace op::collect {

namespace {

constexpr int most_counters = 32;  // of which masks have bits

std::string quoted(const EventSpec& spec) {
    return "event '" + printable(spec.name) + "': ";
}

std::optional<uint64_t> raw_code(std::string_view name) {
    return name.starts_with('r') ? parse_number(name.substr(1), 16) : std::nullopt;
}

/// Splits a raw code of an x86 event select register.
void decode_x86(uint64_t raw, const EventSpec& spec, ConfiguredEvent& event) {
    constexpr uint64_t event_bits = 0xf000000ffull, mask_bits = 0xff00, extra_bits = 0xff840000;
    if (raw & ~(event_bits | mask_bits | extra_bits))
        throw_usage(quoted(spec) + "bits outside event, unit mask, edge, invert and counter mask are set");
    event.code = static_cast<uint32_t>((raw & 0xff) | (raw >> 24 & 0xf00));
    event.unit_mask = (raw & mask_bits) >> 8;
    event.extra = raw & extra_bits;
}

void decode_raw(uint64_t raw, const EventSpec& spec, const CounterRegisters& registers,
                ConfiguredEvent& event) {
    const bool has_unit_mask = spec.unit_mask.value_or(0) != 0;
    if (registers.is_x86) {
        if (has_unit_mask && (raw & 0xff00)) throw_usage(quoted(spec) + "the unit mask is given twice");
        decode_x86(raw, spec, event);
    } else if (raw > 0xffff || has_unit_mask) {
        throw_usage(quoted(spec) + "codes have at most 16 bits here, and no unit mask");
    } else {
        event.code = static_cast<uint32_t>(raw);
    }
    if (!spec.unit_mask_name.empty()) throw_usage(quoted(spec) + "unit masks of raw codes have no names");
    if (has_unit_mask) event.unit_mask = *spec.unit_mask;
    if (event.unit_mask > 0xff) throw_usage(quoted(spec) + "a unit mask has at most 8 bits");
}

void set_clock_code(const EventSpec& spec, const DriverModel& model, const EventCatalogue& catalogue,
                    ConfiguredEvent& event) {
    event.code = registers_of(model, catalogue).clock_code;
    if (event.code == 0)
        throw_usage(quoted(spec) + "its code is not known for " + printable(model.cpu_type) +
                    "; give the code of the processor's manual as rNNN:COUNT");
}

/// An event that has no counter yet.
struct Unplaced {
    ConfiguredEvent event = {};
    CounterMask counters = ~0u;
    std::optional<ResolvedEvent> derived = {};  ///< from the samples of a sampler
};

/// An event that is derived from samples of one of the kernel's PMUs.
void identify_derived(const ResolvedEvent& resolved, const DriverModel& model,
                      const EventCatalogue& catalogue, Unplaced& unplaced) {
    if (std::ranges::none_of(model.counters, &DriverCounter::has_pmu))
        throw_usage(quoted(resolved.spec) + printable(resolved.event->extended) +
                    " takes its samples, which the driver's model " + printable(model.model) +
                    " does not program; its model perf and operf can");
    const EventEncoding encoding = encode_event(catalogue, resolved);
    ConfiguredEvent& event = unplaced.event;
    event.code = resolved.event->code;
    event.unit_mask = resolved.unit_mask.stored();
    event.sampler = SamplerSetting{encoding.type, static_cast<uint32_t>(encoding.config),
                                   ibs_sample_size(encoding.sampler)};
    unplaced.derived = resolved;
}

/// An event of the event files whose number the driver knows.
void take_number(const ResolvedEvent& resolved, const DriverModel& model, ConfiguredEvent& event) {
    if (!model.kind().programs_counters)
        throw_usage(quoted(resolved.spec) + "the driver's model " + printable(model.model) +
                    " does not count it; its model p4 can");
    if (resolved.event->origin != EventOrigin::file)
        throw_usage(quoted(resolved.spec) +
                    "the driver counts only the events of the event files here; operf can");
    event.code = resolved.event->code;
    event.unit_mask = resolved.unit_mask.value;
}

/// An event of the catalogue: what the kernel would be asked for holds the register's bits.
void identify_known(const EventSpec& spec, const DriverModel& model, const EventCatalogue& catalogue,
                    bool callgraph, Unplaced& unplaced) {
    const CounterRegisters& registers = registers_of(model, catalogue);
    ConfiguredEvent& event = unplaced.event;
    const ResolvedEvent resolved =
        resolve_event(catalogue, spec, {callgraph ? callgraph_count_factor : 1, false});
    if (!resolved.event->extended.empty()) return identify_derived(resolved, model, catalogue, unplaced);
    if (registers.numbers_events) {
        take_number(resolved, model, event);
        unplaced.counters = resolved.event->counter_mask();
        return;
    }
    const EventEncoding encoding = encode_event(catalogue, resolved);
    if (encoding.type != perf_type_raw || encoding.config1 != 0 || encoding.config2 != 0)
        throw_usage(quoted(spec) +
                    "it takes more than a counter, which the driver does not program; operf can");
    if (registers.has_fixed_counters && resolved.event->code == 0)
        throw_usage(quoted(spec) + "a fixed counter counts it, which the driver does not program; operf can");
    if (registers.is_x86)
        decode_x86(encoding.config, spec, event);
    else
        event.code = static_cast<uint32_t>(encoding.config);
    unplaced.counters = resolved.event->counter_mask();
}

/// Fills in the code and the counters that can hold the event; the model's own rules.
void identify(const EventSpec& spec, const DriverModel& model, const EventCatalogue& catalogue,
              bool callgraph, Unplaced& unplaced) {
    ConfiguredEvent& event = unplaced.event;
    const DriverKind& kind = model.kind();
    const bool has_codes = !registers_of(model, catalogue).numbers_events;
    const auto raw = raw_code(spec.name);
    if (kind.has_clock_only()) {
        if (spec.name != kind.clock.name)
            throw_usage(quoted(spec) + "the driver counts by the " + model.model + " here, so only " +
                        std::string(kind.clock.name) + ":COUNT can be asked for");
    } else if (catalogue.knows(spec.name)) {
        return identify_known(spec, model, catalogue, callgraph, unplaced);
    } else if (has_codes && spec.name == cycles_event) {
        set_clock_code(spec, model, catalogue, event);
    } else if (has_codes && raw) {
        return decode_raw(*raw, spec, registers_of(model, catalogue), event);
    } else if (!catalogue.events.empty()) {
        resolve_event(catalogue, spec);  // throws, with similar names
        throw_usage(quoted(spec) + "give its whole name");
    } else if (!has_codes) {
        throw_usage(quoted(spec) + "there are no event files for " + printable(model.cpu_type));
    } else {
        throw_usage(quoted(spec) + "not known for " + printable(model.cpu_type) + "; known are " +
                    std::string(cycles_event) + " and raw codes rNNN");
    }
    if (spec.unit_mask.value_or(0) != 0 || !spec.unit_mask_name.empty())
        throw_usage(quoted(spec) + "it has no unit masks, so leave the field empty");
}

void check_count(const EventSpec& spec, const DriverModel& model, const DriverCounter& counter,
                 bool callgraph) {
    const DriverKind& kind = model.kind();
    const uint64_t factor = callgraph && !kind.counts_rate ? callgraph_count_factor : 1;
    const EventInfo* const known = kind.has_clock_only() ? &kind.clock : find_event(spec.name);
    const uint64_t minimum = std::max(known ? known->minimum_count : 1, counter.minimum_count);
    const uint64_t maximum = kind.greatest_count;
    if (minimum > maximum / factor || spec.count < minimum * factor)
        throw_usage(quoted(spec) + "count " + std::to_string(spec.count) + " is below the minimum of " +
                    std::to_string(minimum) +
                    (factor > 1 ? ", times " + std::to_string(factor) + " for call graphs" : "") +
                    "; lower ones could stall the machine");
    if (spec.count > maximum)
        throw_usage(quoted(spec) + "count " + std::to_string(spec.count) + " is above the maximum of " +
                    std::to_string(maximum));
}

Unplaced describe(const EventSpec& spec, const DriverModel& model, const EventCatalogue& catalogue,
                  bool callgraph) {
    Unplaced unplaced;
    ConfiguredEvent& event = unplaced.event;
    identify(spec, model, catalogue, callgraph, unplaced);
    if (!spec.kernel && !spec.user)
        throw_usage(quoted(spec) + "kernel and user are both 0, so nothing would be counted");
    event.name = spec.name;
    event.count = spec.count;
    event.kernel = spec.kernel;
    event.user = spec.user;
    return unplaced;
}

/// Sample files identify an event by name, count, unit mask and modes.
void check_distinct(std::span<const Unplaced> events) {
    const auto key = [](const ConfiguredEvent& e) {
        return std::tuple(e.name, e.count, recorded_unit_mask(e), e.kernel, e.user);
    };
    for (size_t i = 0; i < events.size(); ++i)
        for (size_t j = 0; j < i; ++j)
            if (key(events[i].event) == key(events[j].event))
                throw_usage("event '" + printable(events[i].event.name) +
                            "': two of its unit masks have the same name in sample files; give them "
                            "different counts");
}

/// Numbers what takes a counter: each event, but one number for all of a sampler. In order of first use.
std::vector<size_t> takers_of(std::span<const Unplaced> events) {
    std::vector<size_t> takers;
    size_t next = 0;
    for (const Unplaced& unplaced : events) {
        const auto& sampler = unplaced.event.sampler;
        const auto same = std::ranges::find_if(events.first(takers.size()), [&](const Unplaced& other) {
            return sampler && other.event.sampler && other.event.sampler->pmu == sampler->pmu;
        });
        const auto index = static_cast<size_t>(same - events.begin());
        takers.push_back(index < takers.size() ? takers[index] : next++);
    }
    return takers;
}

void check_samplers(const EventCatalogue& catalogue, std::span<const Unplaced> events) {
    std::vector<ResolvedEvent> derived;
    for (const Unplaced& unplaced : events)
        if (unplaced.derived) derived.push_back(*unplaced.derived);
    check_ibs_events(catalogue.model.name, derived);
}

/// Only models that program the registers are bound to what a counter can hold: the kernel finds one itself.
std::vector<int> find_counters(const DriverModel& model, std::span<const Unplaced> events) {
    const std::vector<size_t> takers = takers_of(events);
    const bool is_bound = model.kind().programs_counters;
    uint32_t free = 0;
    unsigned end = 0;
    for (const DriverCounter& counter : model.counters) {
        if (counter.number >= most_counters) continue;
        free |= 1u << counter.number;
        end = std::max(end, static_cast<unsigned>(counter.number) + 1);
    }
    std::vector<CounterMask> masks;
    for (size_t i = 0; i < events.size(); ++i)
        if (takers[i] == masks.size())
            masks.push_back(free & (is_bound ? events[i].counters.value_or(0) : ~0u));
    const auto counters = allocate_counters(masks, end);
    if (!counters)
        throw_usage(
            "these events cannot be counted together: too few counters can hold them; ophelp lists "
            "the counters of each");
    std::vector<int> of_events;
    for (const size_t taker : takers)
        of_events.push_back((*counters)[taker]);
    return of_events;
}

void place(ConfiguredEvent& event, int number, const EventSpec& spec, const DriverModel& model,
           bool callgraph) {
    const DriverCounter& counter = *std::ranges::find(model.counters, number, &DriverCounter::number);
    if (event.extra != 0 && !counter.has_extra)
        throw_usage(quoted(spec) + "the driver takes no edge, invert or counter mask bits here");
    check_count(spec, model, counter, callgraph);
    event.counter = number;
}

/// An event known without files, of this machine or of some model.
const EventInfo* known_event(std::string_view name) {
    const EventInfo* const event = find_event(name);
    return event ? event : find_driver_clock(name);
}

/// The specification with the event's own count where none was asked for.
EventSpec with_count(EventSpec spec) {
    if (spec.count != 0) return spec;
    const EventInfo* const known = known_event(spec.name);
    if (!known) throw_usage(quoted(spec) + "no count; write NAME:COUNT");
    spec.count = known->default_count;
    return spec;
}

/// Events of samplers share a counter.
void check_number(std::span<const EventSpec> specs, const DriverModel& model,
                  const EventCatalogue& catalogue) {
    const auto events = std::ranges::count_if(specs, [&](const EventSpec& spec) {
        const auto known = std::ranges::find(catalogue.events, spec.name, &CatalogueEvent::name);
        return known == catalogue.events.end() || known->extended.empty();
    });
    if (events > std::ssize(model.counters))
        throw_usage(std::to_string(events) + " events, but the driver's counters here are " +
                    std::to_string(model.counters.size()) + "; ask for fewer");
}

}  // namespace

const CounterRegisters& registers_of(const DriverModel& model, const EventCatalogue& catalogue) {
    return counter_registers(catalogue.model.name.empty() ? model.cpu_type : catalogue.model.name);
}

EventSpec default_driver_event(const DriverModel& model, const EventCatalogue& catalogue) {
    EventSpec spec;
    spec.name = model.kind().has_clock_only() ? model.kind().clock.name : cycles_event;
    const auto& own = catalogue.model.default_event;
    if (spec.name == cycles_event && own && catalogue.knows(own->name)) return *own;
    return with_count(spec);
}

std::vector<ConfiguredEvent> choose_driver_events(std::span<const EventSpec> specs, const DriverModel& model,
                                                  const EventCatalogue& catalogue, bool callgraph) {
    check_number(specs, model, catalogue);
    std::vector<EventSpec> counted;
    std::vector<Unplaced> unplaced;
    for (const EventSpec& spec : specs) {
        if (std::ranges::find(specs, spec) != specs.begin() + static_cast<std::ptrdiff_t>(counted.size()))
            throw_usage(quoted(spec) + "asked for twice");
        counted.push_back(with_count(spec));
        unplaced.push_back(describe(counted.back(), model, catalogue, callgraph));
    }
    check_distinct(unplaced);
    check_samplers(catalogue, unplaced);
    const std::vector<int> counters = find_counters(model, unplaced);
    std::vector<ConfiguredEvent> events;
    for (size_t i = 0; i < counted.size(); ++i) {
        place(unplaced[i].event, counters[i], counted[i], model, callgraph);
        events.push_back(std::move(unplaced[i].event));
    }
    return events;
}

uint64_t recorded_unit_mask(const ConfiguredEvent& event) {
    return event.extra != 0 ? event.extra | event.unit_mask << 8 : event.unit_mask;
}

bool is_driver_event_name(std::string_view name) {
    return known_event(name) || raw_code(name);
}

std::string to_daemon_text(std::span<const ConfiguredEvent> events) {
    return joined(events, ",", [](const ConfiguredEvent& e) {
        const std::string mask =
            e.unit_mask_name.empty() ? std::to_string(recorded_unit_mask(e)) : e.unit_mask_name;
        const std::string fields[] = {
            e.name, std::to_string(e.code),   std::to_string(e.counter), std::to_string(e.count),
            mask,   std::to_string(e.kernel), std::to_string(e.user)};
        return joined(fields, ":");
    });
}

}  // namespace op::collect
