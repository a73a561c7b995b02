// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/count/choose_counted.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "libop/events/cpu_model.h"
#include "libop/events/software_events.h"
#include "tests/unit/faults.h"
#include "tests/unit/fixtures.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

const CountProbe no_counters = [](const CountedEvent&) { return false; };
const CountProbe all_counters = [](const CountedEvent&) { return true; };

/// The toy processor of tests/fixtures/events, in a machine whose kernel's PMUs are below `devices`.
EventCatalogue toy(const std::string& devices = "") {
    const std::string dir = test::fixture("events/small");
    return load_catalogue(*load_cpu_models(dir).find("i386/toy"), {dir, {}, false, devices});
}

std::vector<CountedEvent> choose(const std::vector<std::string>& specs, const EventCatalogue& catalogue,
                                 const CountProbe& works = all_counters) {
    std::string fallback;
    const auto parsed = specs.empty() ? std::vector<EventSpec>{} : parse_countless_event_specs(specs);
    return choose_counted_events(parsed, catalogue, works, fallback);
}

}  // namespace

TEST(CountedEvents, the_kernels_own_are_known_on_every_machine) {
    const test::TempDir devices;
    const EventCatalogue catalogue = toy(devices.path());
    for (const SoftwareEvent& event : software_events())
        EXPECT_EQ(choose({std::string(event.name)}, catalogue).at(0).encoding, event.encoding());
    EXPECT_EQ(choose({"TIMER"}, catalogue).at(0).encoding, find_software_event("cpu-clock")->encoding());
}

TEST(CountedEvents, the_processors_default_is_counted_if_none_is_given) {
    const auto events = choose({}, toy());
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].spec.name, "CYCLES");
}

TEST(CountedEvents, without_counters_the_clock_replaces_the_default_and_a_line_is_given) {
    std::string fallback;
    const auto events = choose_counted_events({}, toy(), no_counters, fallback);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].label, "TIMER");
    EXPECT_EQ(fallback, "no hardware counter here: counting the CPU clock, event TIMER (ns of CPU time)");
}

TEST(CountedEvents, only_a_count_in_place_of_a_unit_mask_is_reported_as_a_count) {
    const auto fault = [](const char* spec) {
        return test::fault(ErrorKind::usage, [&] { choose({spec}, toy()); });
    };
    EXPECT_TRUE(test::contains(fault("CYCLES:100000"), "no count is given here: NAME[:UNITMASK"));
    EXPECT_TRUE(test::contains(fault("NO_SUCH:100000"), "NO_SUCH"));
    EXPECT_FALSE(test::contains(fault("NO_SUCH:100000"), "no count is given here"));
}

TEST(CountedEvents, a_requested_event_is_never_replaced) {
    EXPECT_EQ(choose({"CYCLES"}, toy(), no_counters).at(0).spec.name, "CYCLES");
}

TEST(CountedEvents, labels_name_what_narrows_the_event) {
    const test::TempDir devices;
    const EventCatalogue catalogue = toy(devices.path());
    EXPECT_EQ(choose({"page-faults"}, catalogue).at(0).label, "page-faults");
    EXPECT_EQ(choose({"page-faults::0"}, catalogue).at(0).label, "page-faults:u");
    EXPECT_EQ(choose({"page-faults:0:1:0"}, catalogue).at(0).label, "page-faults:0x0:k");
}

TEST(CountedEvents, an_unknown_name_is_reported_with_the_nearest_one) {
    const test::TempDir devices;
    const EventCatalogue catalogue = toy(devices.path());
    EXPECT_NE(test::fault(ErrorKind::usage, [&] { choose({"page-fault"}, catalogue); }).find("page-faults"),
              std::string::npos);
}

// One CPU counts for all CPUs on a PMU outside of them: counting on each would multiply the result.
TEST(CountedEvents, the_kernel_lists_the_cpus_that_count_for_a_pmu) {
    const test::TempDir devices;
    std::filesystem::create_directories(devices / "imc/events");
    std::filesystem::create_directories(devices / "imc/format");
    devices.write("imc/type", "17\n");
    devices.write("imc/cpumask", "0,4\n");
    devices.write("imc/format/event", "config:0-7\n");
    devices.write("imc/events/reads", "event=0x4\n");
    const auto event = choose({"imc@reads"}, toy(devices.path())).at(0);
    EXPECT_EQ(event.encoding.type, 17u);
    EXPECT_EQ(event.cpus, (std::vector<uint32_t>{0, 4}));
    EXPECT_EQ(choose({"page-faults"}, toy(devices.path())).at(0).cpus, std::nullopt);
}

TEST(SoftwareEvents, are_found_by_name_and_by_encoding) {
    for (const SoftwareEvent& event : software_events()) {
        EXPECT_EQ(find_software_event(event.name), &event);
        EXPECT_EQ(find_software_event(event.encoding()), &event);
    }
    EXPECT_EQ(find_software_event("CYCLES"), nullptr);
    EXPECT_EQ(find_software_event(EventEncoding{}), nullptr);
    EXPECT_TRUE(is_kernel_only(find_software_event("context-switches")->encoding(), true));
    EXPECT_FALSE(is_kernel_only(find_software_event("cpu-clock")->encoding(), true));
    EXPECT_TRUE(is_kernel_only(EventEncoding{}, false));
}

}  // namespace op::collect
