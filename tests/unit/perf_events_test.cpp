// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf/perf_events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

#include "daemon/driver/driver_events.h"
#include "daemon/perf/perf_attr.h"
#include "daemon/perf/perf_probe.h"
#include "libop/base/fd.h"
#include "libop/control/daemon_settings.h"
#include "libop/events/cpu_model.h"
#include "libop/events/pfm_events.h"
#include "tests/unit/faults.h"
#include "tests/unit/fixtures.h"

namespace op::collect {
namespace {

const EventProbe no_counters = [](const RecordedEvent&, const EventEncoding&) { return false; };
const EventProbe all_counters = [](const RecordedEvent&, const EventEncoding&) { return true; };

/// The toy processor of tests/fixtures/events.
EventCatalogue toy() {
    const std::string dir = test::fixture("events/small");
    return load_catalogue(*load_cpu_models(dir).find("i386/toy"), {dir, {}, false, ""});
}

/// The catalogue of a processor that is not known to have counters.
EventCatalogue timer_only() {
    return load_catalogue(*builtin_cpu_models().find("timer"), {"/nonexistent", {}, false, ""});
}

std::vector<EventEncoding> choose(const std::vector<std::string>& specs, const EventProbe& works,
                                  SessionInfo& info, Diagnostics& notes, bool callgraph = false,
                                  const EventCatalogue& catalogue = {}, const EventMeter& rate = {}) {
    const auto parsed = specs.empty() ? std::vector<EventSpec>{} : parse_event_specs(specs);
    return choose_events({parsed, callgraph, catalogue, works, rate}, info, notes);
}

/// The unit masks that share the low 32 bits of their number with others.
std::vector<std::pair<const CatalogueEvent*, const UnitMaskEntry*>> hard_masks(
    const EventCatalogue& catalogue) {
    const auto low = [](const UnitMaskEntry& entry) { return static_cast<uint32_t>(entry.value); };
    std::vector<std::pair<const CatalogueEvent*, const UnitMaskEntry*>> masks;
    for (const CatalogueEvent& event : catalogue.events)
        for (const UnitMaskEntry& entry : event.unit_masks->entries)
            if (!entry.name.empty() && std::ranges::count(event.unit_masks->entries, low(entry), low) > 1)
                masks.emplace_back(&event, &entry);
    return masks;
}

/// The encoding of one event; none if libpfm refuses a mask that needs another one beside it.
std::optional<EventEncoding> choose_one(const EventSpec& spec, const EventCatalogue& catalogue,
                                        SessionInfo& info) try {
    Diagnostics notes;
    const std::vector<EventSpec> specs{spec};
    return choose_events({specs, false, catalogue, all_counters, {}}, info, notes).at(0);
} catch (const Error&) {
    return std::nullopt;
}

std::optional<EventEncoding> choose_one(const std::string& spec, const EventCatalogue& catalogue,
                                        SessionInfo& info) {
    return choose_one(parse_event_spec(spec), catalogue, info);
}

}  // namespace

TEST(PerfEvents, a_hardware_event_by_the_name_that_perf_has_is_explained_where_there_are_no_counters) {
    SessionInfo info;
    Diagnostics notes;
    const auto reason = [&](const char* event, const EventProbe& works) {
        return test::fault(ErrorKind::usage, [&] { choose({event}, works, info, notes, false, toy()); });
    };
    EXPECT_NE(reason("cycles:100000", no_counters).find("offers no hardware counters here"),
              std::string::npos);
    EXPECT_NE(reason("cycles:100000", all_counters).find("not an event of"), std::string::npos);
    EXPECT_NE(reason("TIMR:100000", no_counters).find("did you mean TIMER?"), std::string::npos);
}

TEST(PerfEvents, the_default_is_cycles_where_there_are_counters) {
    SessionInfo info;
    Diagnostics notes;
    choose({}, all_counters, info, notes);
    ASSERT_EQ(info.events.size(), 1u);
    EXPECT_EQ(info.events[0].name, "CPU_CLK_UNHALTED");
    EXPECT_TRUE(notes.warnings().empty());
}

TEST(PerfEvents, without_counters_the_clock_takes_over_with_a_one_line_note) {
    for (const auto& specs : {std::vector<std::string>{}, {"CPU_CLK_UNHALTED:500000"}}) {
        SessionInfo info;
        Diagnostics notes;
        choose(specs, no_counters, info, notes);
        ASSERT_EQ(info.events.size(), 1u);
        EXPECT_EQ(info.events[0].name, "TIMER");
        EXPECT_EQ(info.events[0].count, 1000000u);
        EXPECT_EQ(info.cpu_type, cpu_type_timer);
        EXPECT_EQ(notes.warnings().size(), 1u);
    }
}

TEST(PerfEvents, the_line_on_the_clock_is_short_and_kept_apart_if_no_event_was_named) {
    SessionInfo info;
    Diagnostics notes;
    std::string fallback;
    const EventCatalogue catalogue;
    const std::vector<EventSpec> none, cycles = parse_event_specs({"CPU_CLK_UNHALTED:6001"});
    choose_events({none, false, catalogue, no_counters, {}, &fallback}, info, notes);
    EXPECT_EQ(fallback, "no hardware counter here: sampling by the CPU clock, event TIMER:1000000");
    EXPECT_TRUE(notes.warnings().empty());
    fallback.clear();
    info = {};
    choose_events({cycles, false, catalogue, no_counters, {}, &fallback}, info, notes);
    EXPECT_EQ(fallback, "") << "who names an event reads each time that another takes its place";
    EXPECT_EQ(notes.warnings(), std::vector<std::string>{
                                    "event CPU_CLK_UNHALTED: no hardware counter here: sampling by the CPU "
                                    "clock, event TIMER:1000000; the count 6001 is dropped"});
}

TEST(PerfEvents, the_clock_asked_for_needs_no_note) {
    SessionInfo info;
    Diagnostics notes;
    choose({"TIMER:20000"}, no_counters, info, notes);
    EXPECT_EQ(info.events.at(0).count, 20000u);
    EXPECT_TRUE(notes.warnings().empty());
}

TEST(PerfEvents, the_clock_is_the_same_event_whatever_the_processor) {
    for (const EventCatalogue& catalogue : {EventCatalogue{}, toy(), timer_only()}) {
        SessionInfo info;
        Diagnostics notes;
        const auto encodings = choose({"TIMER"}, no_counters, info, notes, false, catalogue);
        EXPECT_EQ(info.events.at(0).count, 1000000u);
        EXPECT_EQ(encodings.at(0), builtin_encoding("TIMER"));
        EXPECT_TRUE(notes.warnings().empty());
        EXPECT_EQ(test::fault(ErrorKind::usage,
                              [&] { choose({"TIMER:9999"}, no_counters, info, notes, false, catalogue); }),
                  "event 'TIMER': count 9999 is below the minimum of 10000; ask for at least that");
    }
}

TEST(PerfEvents, an_event_without_a_count_takes_its_default) {
    SessionInfo info;
    Diagnostics notes;
    choose({"TIMER", "CPU_CLK_UNHALTED::0:1:0"}, all_counters, info, notes, true);
    ASSERT_EQ(info.events.size(), 2u);
    EXPECT_EQ(info.events[0].count, 100000u);
    EXPECT_FALSE(info.events[0].user);
    EXPECT_EQ(info.events[1].count, 1000000u);
}

TEST(PerfEvents, only_a_missing_counter_lets_the_clock_take_over) {
    for (const int error : {ENOENT, EOPNOTSUPP, ENODEV})
        EXPECT_FALSE(is_countable(error, "X"));
    for (const auto& [error, remedy] :
         {std::pair{EBUSY, "another profiler"}, {EMFILE, "ulimit -n"}, {EACCES, "not permitted"}})
        EXPECT_TRUE(test::contains(
            test::fault(ErrorKind::system, [&, code = error] { is_countable(code, "X"); }), remedy));
}

TEST(PerfEvents, an_unknown_event_or_a_low_count_is_refused) {
    SessionInfo info;
    Diagnostics notes;
    EXPECT_THROW(choose({"NO_SUCH:100000"}, all_counters, info, notes), Error);
    EXPECT_THROW(choose({"TIMER:9999"}, all_counters, info, notes), Error);
}

TEST(PerfEvents, the_kernel_is_asked_for_the_catalogues_encoding) {
    SessionInfo info;
    Diagnostics notes;
    const auto encodings =
        choose({"CACHE_READS:5000:0x9:1:0,DIVISIONS:1000:begun"}, all_counters, info, notes, false, toy());
    ASSERT_EQ(encodings.size(), 2u);
    const auto attr = make_attr(info.events[0], encodings[0], {}, {});
    EXPECT_EQ(attr.type, uint32_t{PERF_TYPE_RAW});
    EXPECT_EQ(attr.config, 0x092eu);
    EXPECT_EQ(attr.sample_period, 5000u);
    EXPECT_EQ(attr.exclude_user, 1u);
    EXPECT_EQ(attr.exclude_kernel, 0u);
    EXPECT_EQ(info.events[0].unit_mask, 9u);
    // Edge detection and a counter mask of 1.
    EXPECT_EQ(make_attr(info.events[1], encodings[1], {}, {}).config, 0x01040114u);
    EXPECT_EQ(info.events[1].unit_mask, 0x01040100u);
    EXPECT_EQ(info.cpu_type_name, "i386/toy");
}

TEST(PerfEvents, the_models_default_event_is_taken) {
    SessionInfo info;
    Diagnostics notes;
    const auto encodings = choose({}, all_counters, info, notes, false, toy());
    EXPECT_EQ(info.events.at(0).name, "CYCLES");
    EXPECT_EQ(info.events.at(0).count, 100000u);
    EXPECT_EQ(encodings.at(0).config, 0x3cu);
    SessionInfo without;
    choose({}, no_counters, without, notes, false, toy());
    EXPECT_EQ(without.events.at(0).name, "TIMER");
}

TEST(PerfEvents, events_but_cycles_have_no_substitute) {
    SessionInfo info;
    Diagnostics notes;
    EXPECT_TRUE(
        test::contains(test::fault(ErrorKind::usage,
                                   [&] { choose({"FLOATS:5000"}, no_counters, info, notes, false, toy()); }),
                       "event 'FLOATS': this machine cannot count it"));
}

TEST(PerfEvents, an_event_without_a_count_gets_one_and_a_note) {
    SessionInfo info;
    Diagnostics notes;
    choose({"FLOATS"}, all_counters, info, notes, false, toy());
    EXPECT_EQ(info.events.at(0).count, 100000u);
    EXPECT_EQ(notes.warnings(),
              std::vector<std::string>{"event FLOATS: no count was given; a sample is taken every 100000"});
}

TEST(PerfEvents, a_count_that_was_not_given_follows_the_rate) {
    const auto choose_at = [](uint64_t events_per_second) {
        SessionInfo info;
        Diagnostics notes;
        const auto rate = [&](const RecordedEvent&, const EventEncoding&) {
            return EventRate{events_per_second, 1'000'000'000};
        };
        choose({"FLOATS"}, all_counters, info, notes, false, toy(), rate);
        EXPECT_EQ(notes.warnings().size(), 1u);
        return info.events.at(0).count;
    };
    EXPECT_EQ(choose_at(2'000'000'000), 2'000'000u);
    EXPECT_EQ(choose_at(1'000), 3000u);  // the event's minimum
    EXPECT_EQ(choose_at(0), 100000u);
}

TEST(PerfEvents, a_given_count_is_kept_beside_the_same_event_without_one) {
    const EventMeter fast = [](const RecordedEvent&, const EventEncoding&) {
        return EventRate{2'000'000'000, 1'000'000'000};
    };
    for (const char* specs : {"FLOATS,FLOATS:100000", "FLOATS:100000,FLOATS"}) {
        SCOPED_TRACE(specs);
        SessionInfo measured, usual;
        Diagnostics notes;
        choose({specs}, all_counters, measured, notes, false, toy(), fast);
        std::vector<uint64_t> counts;
        for (const RecordedEvent& event : measured.events)
            counts.push_back(event.count);
        std::ranges::sort(counts);
        EXPECT_EQ(counts, (std::vector<uint64_t>{100000, 2000000}));
        choose({specs}, all_counters, usual, notes, false, toy());
        EXPECT_EQ(usual.events.size(), 1u) << "not measured, it gets the count of the other";
    }
}

TEST(PerfEvents, an_event_named_twice_without_a_count_is_measured_once) {
    SessionInfo info;
    Diagnostics notes;
    uint64_t measured = 0;
    const EventMeter rate = [&](const RecordedEvent&, const EventEncoding&) {
        return EventRate{++measured * 1'000'000'000, 1'000'000'000};
    };
    choose({"FLOATS,FLOATS"}, all_counters, info, notes, false, toy(), rate);
    EXPECT_EQ(info.events.size(), 1u);
    EXPECT_EQ(measured, 1u);
}

TEST(PerfEvents, unit_masks_with_one_name_are_refused_unless_measured_counts_separate_them) {
    EventCatalogue catalogue = toy();
    catalogue.devices = test::fixture("machines/intel/sys/bus/event_source/devices");
    const auto event = std::ranges::find(catalogue.events, "DIVISIONS", &CatalogueEvent::name);
    UnitMaskSet masks = *event->unit_masks;
    masks.entries.push_back({2, extra_bits::named, "plain", ""});
    masks.entries.push_back({2, extra_bits::named | extra_bits::pebs, "exact", ""});
    event->unit_masks = std::make_shared<UnitMaskSet>(masks);
    const auto at_rates = [](uint64_t plain, uint64_t exact) -> EventMeter {
        return [=](const RecordedEvent&, const EventEncoding& encoding) {
            return EventRate{encoding.precise != 0 ? exact : plain, 1'000'000'000};
        };
    };
    SessionInfo info;
    Diagnostics notes;
    const std::string open = "DIVISIONS::plain,DIVISIONS::exact";
    choose({open}, all_counters, info, notes, false, catalogue, at_rates(2'000'000'000, 30'000'000));
    ASSERT_EQ(info.events.size(), 2u);
    EXPECT_EQ(std::max(info.events[0].count, info.events[1].count), 2000000u);
    EXPECT_EQ(std::min(info.events[0].count, info.events[1].count), 30000u);
    const std::string refused =
        "event 'DIVISIONS': two of its unit masks have the same name in sample files; give them different "
        "counts";
    const auto refusal = [&](const std::string& specs, const EventMeter& rate) {
        return test::fault(ErrorKind::usage,
                           [&] { choose({specs}, all_counters, info, notes, false, catalogue, rate); });
    };
    EXPECT_EQ(refusal(open, at_rates(5'000'000, 5'000'000)), refused);
    EXPECT_EQ(refusal("DIVISIONS:5000:plain,DIVISIONS:5000:exact", {}), refused);
}

TEST(PerfEvents, precision_is_asked_for_until_the_kernel_refuses) {
    const RecordedEvent event{"br_inst_retired", 0xc4, 50000};
    const EventEncoding encoding{PERF_TYPE_RAW, 0x1c4, 0, 0, 2};
    EXPECT_EQ(make_attr(event, encoding, {}, {}).precise_ip, 2u);
    EXPECT_EQ(make_attr(event, encoding, {}, {.precise = false}).precise_ip, 0u);
}

TEST(PerfEvents, a_samplers_event_requests_its_sample_fields_and_excludes_no_mode) {
    const RecordedEvent event{"IBS_OP_LOAD", 0xf201, 50000, 1, false, true};
    const auto attr = make_attr(event, {11, 1 << 19, 0, 0, 0, Sampler::ibs_op}, {}, {.kernel_mode = false});
    EXPECT_TRUE(attr.sample_type & PERF_SAMPLE_RAW);
    EXPECT_EQ(attr.exclude_kernel, 0u);
    EXPECT_EQ(attr.exclude_user, 0u);
    EXPECT_FALSE(make_attr(event, {}, {}, {}).sample_type & PERF_SAMPLE_RAW);
}

TEST(PerfEvents, minimum_counts_hold_and_call_graphs_raise_them) {
    SessionInfo info;
    Diagnostics notes;
    EXPECT_THROW(choose({"FLOATS:2999"}, all_counters, info, notes, false, toy()), Error);
    EXPECT_THROW(choose({"FLOATS:44999"}, all_counters, info, notes, true, toy()), Error);
    choose({"FLOATS:45000"}, all_counters, info, notes, true, toy());
    EXPECT_EQ(info.events.at(0).count, 45000u);
}

// From opcontrol's settings over its own choice to that of the daemon it starts.
TEST(PerfEvents, unit_masks_of_libpfm_get_to_the_daemon_as_they_were_asked_for) {
    if (!has_pfm()) GTEST_SKIP() << "built without libpfm4";
    CpuModel model;
    model.name = "i386/of_libpfm";
    model.pmus = {"skl"};
    const EventCatalogue catalogue = load_catalogue(model, {"/nonexistent", {}, true, ""});
    size_t compared = 0, wide = 0;
    for (const auto& [event, mask] : hard_masks(catalogue)) {
        DaemonSettings settings;
        settings.events = {event->name + ":100000:" + mask->name};
        settings = parse_daemon_settings(as_bytes(to_text(settings)), "daemonrc");
        SessionInfo asked, got;
        const auto wanted = choose_one(settings.events.at(0), catalogue, asked);
        if (!wanted) continue;
        const RecordedEvent& e = asked.events.at(0);
        const ConfiguredEvent sent{e.name, e.code,   0,      e.count,         e.unit_mask,
                                   0,      e.kernel, e.user, e.unit_mask_name};
        const auto specs = parse_daemon_event_specs({to_daemon_text(std::span(&sent, 1))});
        EXPECT_EQ(choose_one(specs.at(0).spec, catalogue, got), wanted) << settings.events[0];
        EXPECT_EQ(got.events, asked.events);
        ++compared;
        wide += mask->value > UINT32_MAX;
    }
    EXPECT_GT(compared, 1u);
    EXPECT_GT(wide, 0u);
}

}  // namespace op::collect
