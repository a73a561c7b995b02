// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/base/machine_root.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <map>

#include "daemon/perf/perf_errors.h"
#include "daemon/perf/perf_events.h"
#include "daemon/perf/perf_open.h"
#include "daemon/perf/perf_probe.h"
#include "daemon/source/cpu_list.h"
#include "daemon/source/machine.h"
#include "libop/events/kernel_events.h"
#include "tests/unit/faults.h"
#include "tests/unit/machines.h"
#include "tests/unit/temp_dir.h"

namespace op {

namespace {

/// The facts about a machine that decide on its events.
struct MachineFacts {
    std::string cpu_type;
    bool has_counters = false;
    size_t cpus = 0;
    std::string paranoid;
};

const std::map<std::string, MachineFacts> facts{
    {"intel", {"i386/skylake", true, 2, "2"}},           {"intel-no-counters", {"timer", false, 2, "4"}},
    {"intel-hybrid", {"i386/alderlake", true, 4, "1"}},  {"amd", {"x86-64/zen3", true, 2, "-1"}},
    {"amd-no-counters", {"x86-64/zen5", false, 2, "2"}}, {"arm64", {"arm/armv8-neoverse-n1", true, 2, "2"}},
    {"power", {"ppc64/power9", true, 2, "2"}},
};

/// Events chosen on the machine that is in place.
SessionInfo chosen(const std::vector<std::string>& specs, Diagnostics& notes) {
    SessionInfo info = collect::describe_machine();
    const EventCatalogue catalogue = collect::running_catalogue();
    const auto parsed = specs.empty() ? std::vector<EventSpec>{} : parse_event_specs(specs);
    collect::choose_events({parsed, false, catalogue, collect::perf_event_works, {}}, info, notes);
    return info;
}

/// The CPU type of a NetBurst processor with these values of CPUID: EBX of leaf 1, and leaf 4 unless it is
/// empty.
std::string netburst_type(const std::string& package, const std::string& cores) {
    const test::OnMachine none("");
    const test::TempDir dir;
    dir.write("cpuid", "0: 00000005 756e6547 6c65746e 49656e69\n1: 00000f44 " + package +
                           " 0000641d bfebfbff\n" + (cores.empty() ? "" : "4: " + cores + " 0 0 0\n"));
    ::setenv(machine_variable, dir.path().c_str(), 1);
    return builtin_cpu_models().detect(running_processor()).name;
}

}  // namespace

TEST(MachineRoot, siblings_are_the_threads_of_a_core) {
    EXPECT_EQ(netburst_type("00010800", ""), "i386/p4");
    EXPECT_EQ(netburst_type("00020800", ""), "i386/p4-ht");
    EXPECT_EQ(netburst_type("00020800", "00004121"), "i386/p4-ht");
    EXPECT_EQ(netburst_type("00020800", "04004121"), "i386/p4") << "Pentium D: two cores of one thread";
    EXPECT_EQ(netburst_type("00040800", "04004121"), "i386/p4-ht") << "two cores of two threads";
}

TEST(MachineRoot, paths_are_the_machines_own_without_a_made_up_one) {
    const test::OnMachine none("");
    ::unsetenv(machine_variable);
    EXPECT_EQ(machine_path("/proc/cpuinfo"), "/proc/cpuinfo");
    EXPECT_FALSE(made_up_machine());
    ::setenv(machine_variable, "", 1);
    EXPECT_EQ(machine_path("/proc/cpuinfo"), "/proc/cpuinfo");
    ::setenv(machine_variable, "/made/up", 1);
    EXPECT_EQ(machine_path("/proc/cpuinfo"), "/made/up/proc/cpuinfo");
}

TEST(MachineRoot, processor_pmus_cpus_and_settings_are_those_of_the_made_up_machine) {
    for (const auto& [name, expected] : facts) {
        SCOPED_TRACE(name);
        const test::OnMachine machine(name);
        EXPECT_EQ(builtin_cpu_models().detect(running_processor()).name, expected.cpu_type);
        EXPECT_EQ(collect::has_hardware_counters(), expected.has_counters);
        EXPECT_EQ(collect::online_cpus().size(), expected.cpus);
        EXPECT_EQ(collect::perf_situation(0, false, 0).paranoid, expected.paranoid);
        EXPECT_EQ(kernel_pmus(event_source_devices()).at("software"), 1u);
    }
}

TEST(MachineRoot, a_machine_without_any_pmu_has_the_clock) {
    const test::OnMachine machine("no-pmu");
    EXPECT_EQ(builtin_cpu_models().detect(running_processor()).name, "timer");
    EXPECT_FALSE(running_processor().x86);
    EXPECT_FALSE(collect::has_hardware_counters());
    EXPECT_TRUE(kernel_pmus(event_source_devices()).empty());
    EXPECT_FALSE(collect::online_cpus().empty());
}

TEST(MachineRoot, a_made_up_machine_is_noted_where_events_are_opened) {
    Diagnostics notes;
    {
        const test::OnMachine machine("amd");
        collect::note_made_up_machine(notes);
    }
    EXPECT_EQ(
        notes.warnings(),
        std::vector<std::string>{"the machine's description is taken from " + test::fixture("machines/amd") +
                                 " (OPROFILE_MACHINE_DIR), so the numbers of events may not be this "
                                 "machine's; for this machine, unset OPROFILE_MACHINE_DIR"});
    const test::OnMachine none("");
    ::unsetenv(machine_variable);
    collect::note_made_up_machine(notes);
    EXPECT_EQ(notes.warnings().size(), 1u);
}

TEST(MachineRoot, a_made_up_machine_is_noted_even_if_the_kernel_refuses_its_event) {
    const test::OnMachine machine("amd");
    collect::PerfOptions options;
    options.target = {collect::PerfTarget::Kind::process, {::getpid()}};
    options.encodings = {{0x7ffffff, 0, 0, 0, 0}};
    Diagnostics notes;
    EXPECT_THROW(collect::open_events(options, {{"X", 1, 100000}}, notes), Error);
    EXPECT_EQ(notes.warnings().size(), 1u);
}

TEST(MachineRoot, every_made_up_machine_is_described_here) {
    for (const std::string& name : test::machines())
        EXPECT_TRUE(name == "no-pmu" || facts.contains(name)) << name;
    EXPECT_EQ(test::machines().size(), facts.size() + 1);
}

TEST(EveryMachine, has_the_same_clock_with_the_same_default_and_minimum) {
    for (const std::string& name : test::machines()) {
        SCOPED_TRACE(name);
        const test::OnMachine machine(name);
        Diagnostics notes;
        const SessionInfo info = chosen({"TIMER"}, notes);
        EXPECT_EQ(info.events.at(0).count, 1000000u);
        EXPECT_TRUE(notes.warnings().empty());
        EXPECT_EQ(test::fault(ErrorKind::usage, [&] { chosen({"TIMER:9999"}, notes); }),
                  "event 'TIMER': count 9999 is below the minimum of 10000; ask for at least that");
    }
}

TEST(EveryMachine, samples_by_the_clock_where_it_has_no_counters) {
    for (const std::string& name : test::machines()) {
        SCOPED_TRACE(name);
        const test::OnMachine machine(name);
        Diagnostics notes;
        const SessionInfo info = chosen({}, notes);
        EXPECT_EQ(info.events.at(0).name == "TIMER", !collect::has_hardware_counters());
        EXPECT_EQ(notes.warnings().size(), collect::has_hardware_counters() ? 0u : 1u);
    }
}

}  // namespace op
