// SPDX-License-Identifier: GPL-2.0-or-later
// The events of opcontrol's settings: what is accepted when they are given is what the start counts.
#include "utils/opcontrol/prepare_source.h"

#include <gtest/gtest.h>

#include "daemon/perf/perf_events.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "tests/unit/faults.h"
#include "tests/unit/machines.h"
#include "tests/unit/temp_dir.h"

namespace op::tool {
namespace {

/// What the function refuses, "" if it accepts.
template <typename Function>
std::string refusal(Function&& function) {
    try {
        function();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

/// What the daemon refuses of events on a machine that has every counter.
std::string refused_by_daemon(const DaemonSettings& settings) {
    std::vector<EventSpec> specs;
    for (const std::string& text : settings.events)
        specs.push_back(parse_event_spec(text));
    const EventCatalogue catalogue = collect::running_catalogue();
    const auto works = [](const RecordedEvent&, const EventEncoding&) { return true; };
    SessionInfo info;
    Diagnostics notes;
    return refusal([&] {
        collect::choose_events({specs, settings.callgraph > 0, catalogue, works, {}}, info, notes);
    });
}

DaemonSettings settings_of(std::vector<std::string> events, uint64_t callgraph = 0) {
    DaemonSettings settings;
    settings.events = std::move(events);
    settings.callgraph = callgraph;
    return settings;
}

/// While it lives, events are those of this tree's files.
struct OwnEvents {
    OwnEvents() { ::setenv("OPROFILE_EVENTS_DIR", test::fixture("../../events").c_str(), 1); }
    ~OwnEvents() { ::unsetenv("OPROFILE_EVENTS_DIR"); }
};

/// A driver with two counters that program the processor's registers.
struct Driver {
    test::TempDir dir;
    ControlPaths paths = control_paths(dir.path());

    Driver() {
        write("model", "intel");
        write("cpu_type", "i386/core_2");
        for (const char* file : {"stream_version", "backtrace_depth", "pid_filter", "pgrp_filter"})
            write(file, "0");
        for (const std::string counter : {"0/", "1/"}) {
            for (const char* file : {"enabled", "event", "count", "kernel", "user", "unit_mask"})
                write(counter + file, "0");
            write(counter + "min_count", "6000");
        }
    }
    void write(const std::string& file, const std::string& text) const {
        dir.write("dev/oprofile/" + file, text);
    }
    std::string file(const std::string& name) const { return read_file(dir / ("dev/oprofile/" + name)); }
};

}  // namespace

TEST(SettingsEvents, are_refused_when_given_exactly_as_the_daemon_refuses_them) {
    const test::TempDir tree;
    const ControlPaths paths = control_paths(tree.path());
    size_t refused = 0, accepted = 0;
    for (const std::string& name : test::machines()) {
        const test::OnMachine machine(name);
        for (const char* event :
             {"TIMER:9999", "TIMER:1000000", "CPU_CLK_UNHALTED:100000", "CPU_CLK_UNHALTED:5",
              "NO_SUCH:100000", "TIMER:1000000:1", "CACHE_MISSES:6000:0x123456"})
            for (const uint64_t callgraph : {0, 8}) {
                SCOPED_TRACE(name + " " + event);
                const DaemonSettings settings = settings_of({event, "TIMER:2000000"}, callgraph);
                const std::string expected = refused_by_daemon(settings);
                for (const EventUse use : {EventUse::now, EventUse::later})
                    EXPECT_EQ(refusal([&] { choose_settings_events(settings, paths, use); }), expected);
                ++(expected.empty() ? accepted : refused);
            }
    }
    EXPECT_GT(refused, 10u);
    EXPECT_GT(accepted, 10u);
}

TEST(SettingsEvents, are_refused_with_the_reason_of_each_rule) {
    const test::TempDir tree;
    const ControlPaths paths = control_paths(tree.path());
    struct Case {
        const char* machine;
        std::vector<std::string> events;
        uint64_t callgraph;
        const char* refusal;
    };
    const Case cases[] = {
        {"no-pmu",
         {"NO_SUCH:100000"},
         0,
         "event 'NO_SUCH': not an event of CPU with timer interrupt; ophelp lists what there is"},
        {"no-pmu",
         {"TIMER:9999"},
         0,
         "event 'TIMER': count 9999 is below the minimum of 10000; ask for at least that"},
        {"no-pmu",
         {"TIMER:1000000:1"},
         0,
         "event 'TIMER': unit mask 0x1 is not valid; the event has none, so leave the field empty"},
        {"no-pmu",
         {"TIMER:1000000:0:0:0"},
         0,
         "event 'TIMER:1000000:0:0:0': kernel and user are both 0, so nothing would be counted"},
        {"intel",
         {"INST_RETIRED:5"},
         0,
         "event 'INST_RETIRED': count 5 is below the minimum of 6000; lower ones could leave no time for "
         "anything else"},
        {"intel",
         {"INST_RETIRED:80000"},
         8,
         "event 'INST_RETIRED': count 80000 is below the minimum of 90000 for call graphs, 15 times the "
         "usual one; lower ones could leave no time for anything else"},
        {"intel",
         {"INST_RETIRED:100000:0x77"},
         0,
         "event 'INST_RETIRED': unit mask 0x77 is not valid; it takes 0x00"},
        {"amd",
         {"IBS_OP_ALL:250000", "IBS_OP_ALL:300000"},
         0,
         "event 'IBS_OP_ALL': it and 'IBS_OP_ALL' are derived from the same samples of ibs_op; give them one "
         "count and one unit mask"},
        {"amd",
         {"IBS_OP_ALL:250000:0x44"},
         0,
         "event 'IBS_OP_ALL': unit mask 0x44 is not valid; it takes a union of 0x00, 0x01, 0x02, 0x04"},
    };
    const OwnEvents events;
    for (const Case& each : cases) {
        SCOPED_TRACE(std::string(each.machine) + " " + joined(each.events));
        const test::OnMachine machine(each.machine);
        const DaemonSettings settings = settings_of(each.events, each.callgraph);
        EXPECT_EQ(refusal([&] { choose_settings_events(settings, paths, EventUse::now); }), each.refusal);
    }
}

TEST(SettingsEvents, that_only_a_driver_knows_can_be_set_up_before_it_is_loaded_but_not_started) {
    const test::TempDir tree;
    const ControlPaths paths = control_paths(tree.path());
    const test::OnMachine machine("amd");
    for (const char* event : {"r1c2:100000", "RTC_INTERRUPTS:1024"}) {
        SCOPED_TRACE(event);
        const DaemonSettings settings = settings_of({event});
        EXPECT_EQ(refusal([&] { choose_settings_events(settings, paths, EventUse::later); }), "");
        const std::string now = refusal([&] { choose_settings_events(settings, paths, EventUse::now); });
        EXPECT_NE(now, "");
        EXPECT_EQ(now, refused_by_daemon(settings));
    }
}

TEST(SettingsEvents, the_driver_is_programmed_with_the_choice_of_the_check) {
    const test::OnMachine machine("intel");
    const Driver driver;
    const EventChoice choice = choose_settings_events(
        settings_of({"CPU_CLK_UNHALTED:100000", "r1c2:100000"}, 4), driver.paths, EventUse::later);
    ASSERT_EQ(choice.events.size(), 2u);
    EXPECT_EQ(driver.file("0/enabled"), "0") << "a check programs nothing";
    const DaemonSource source = prepare_source(choice, driver.paths);
    EXPECT_EQ(source.name, "driver");
    EXPECT_EQ(source.events, collect::to_daemon_text(choice.events));
    EXPECT_EQ(source.words, std::vector<std::string>{"--oprofilefs=" + driver.paths.driver});
    for (const collect::ConfiguredEvent& event : choice.events)
        EXPECT_EQ(std::stoul(driver.file(std::to_string(event.counter) + "/count")), event.count);
    EXPECT_EQ(std::stoul(driver.file("backtrace_depth")), 4u);
}

TEST(SettingsEvents, process_filters_need_the_driver) {
    const test::TempDir tree;
    const ControlPaths paths = control_paths(tree.path());
    const test::OnMachine machine("amd");
    DaemonSettings settings = settings_of({"TIMER:1000000"});
    settings.pid_filter = 17;
    const EventChoice choice = choose_settings_events(settings, paths, EventUse::now);
    EXPECT_TRUE(test::contains(test::fault(ErrorKind::usage, [&] { prepare_source(choice, paths); }),
                               "process filters need the driver"));
}

}  // namespace op::tool
