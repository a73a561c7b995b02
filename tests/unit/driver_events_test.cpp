// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/driver/driver_events.h"

#include <gtest/gtest.h>

#include <array>

#include "libop/base/error.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {

namespace {

DriverModel model_of(const char* model, const char* cpu_type, uint64_t minimum = 0, int counters = 2) {
    DriverModel m{model, cpu_type, {}};
    for (int i = 0; i < counters; ++i)
        m.counters.push_back({i, minimum, true});
    return m;
}

std::vector<ConfiguredEvent> choose(const DriverModel& model, std::initializer_list<const char*> texts,
                                    bool callgraph = false, const EventCatalogue& catalogue = {}) {
    std::vector<EventSpec> specs;
    for (const char* text : texts)
        specs.push_back(parse_event_spec(text));
    return choose_driver_events(specs, model, catalogue, callgraph);
}

std::string fault(const DriverModel& model, std::initializer_list<const char*> texts, bool callgraph = false,
                  const EventCatalogue& catalogue = {}) {
    try {
        choose(model, texts, callgraph, catalogue);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        return error.what();
    }
    return "";
}

const DriverModel intel = model_of("intel", "i386/arch_perfmon");
const DriverModel amd = model_of("amd", "x86-64/family10");

CatalogueEvent event(const char* name, uint32_t code, uint32_t counters,
                     std::initializer_list<uint32_t> masks) {
    CatalogueEvent event;
    event.name = name;
    event.code = code;
    event.counters = counters;
    event.minimum_count = 500;
    UnitMaskSet set{"set", UnitMaskKind::exclusive, *masks.begin(), "", true, {}};
    for (const uint32_t mask : masks)
        set.entries.push_back({mask, 0, "", "some"});
    event.unit_masks = std::make_shared<const UnitMaskSet>(set);
    return event;
}

/// The catalogue of a processor with two counters: FLOPS only in the first, DIVISIONS only in the second.
EventCatalogue two_counters() {
    EventCatalogue catalogue;
    catalogue.model.name = "i386/core_2";
    catalogue.counters = 2;
    catalogue.events = {event("FLOPS", 0xc1, 1, {0}), event("DIVISIONS", 0x13, 2, {0}),
                        event("LLC_MISSES", 0x2e, 3, {0x41, 0x4f})};
    return catalogue;
}

/// The catalogue of a sampler, which is not a counter.
EventCatalogue sampler() {
    EventCatalogue catalogue;
    catalogue.model.name = "x86-64/zen3";
    catalogue.events = {event("IBS_OP_LOAD", 0xf201, 0, {0})};
    catalogue.events[0].extended = "ibs_op";
    return catalogue;
}

}  // namespace

TEST(DriverEvents, cycles_have_the_code_of_the_processor) {
    for (const auto& [cpu_type, code] : {std::pair{"i386/arch_perfmon", 0x3cu},
                                         {"x86-64/family10", 0x76u},
                                         {"i386/athlon", 0x76u},
                                         {"i386/ppro", 0x79u},
                                         {"arm/armv8-pmuv3-common", 0x11u}}) {
        const auto events = choose(model_of("perf", cpu_type), {"CPU_CLK_UNHALTED:100000"});
        ASSERT_EQ(events.size(), 1u);
        EXPECT_EQ(events[0].code, code) << cpu_type;
    }
    EXPECT_NE(fault(model_of("perf", "mips/24K"), {"CPU_CLK_UNHALTED:100000"}).find("rNNN:COUNT"),
              std::string::npos);
}

TEST(DriverEvents, take_the_counters_in_turn) {
    DriverModel model = intel;
    model.counters[0].number = 1;
    model.counters[1].number = 3;
    const auto events = choose(model, {"CPU_CLK_UNHALTED:100000:0:1:0", "r1c2:200000"});
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[0], (ConfiguredEvent{"CPU_CLK_UNHALTED", 0x3c, 1, 100000, 0, 0, true, false}));
    EXPECT_EQ(events[1], (ConfiguredEvent{"r1c2", 0xc2, 3, 200000, 1, 0, true, true}));
    EXPECT_EQ(to_daemon_text(events), "CPU_CLK_UNHALTED:60:1:100000:0:1:0,r1c2:194:3:200000:1:1:1");
}

TEST(DriverEvents, raw_codes_are_split_as_the_register_is) {
    const auto events = choose(amd, {"r1ff8441c2:100000", "rc0:100000:0x1f"});
    EXPECT_EQ(events[0], (ConfiguredEvent{"r1ff8441c2", 0x1c2, 0, 100000, 0x41, 0xff840000, true, true}));
    EXPECT_EQ(events[1].unit_mask, 0x1fu);
    EXPECT_NE(fault(amd, {"r10001:100000"}), "");  // the user-mode bit is not for raw codes
    EXPECT_NE(fault(amd, {"r1c0:100000:2"}), "");
    EXPECT_NE(fault(amd, {"rc0:100000:0x100"}), "");
    EXPECT_NE(fault(amd, {"rc0:100000:named"}), "");
}

TEST(DriverEvents, raw_codes_elsewhere_are_the_event_as_it_is) {
    const DriverModel arm = model_of("perf", "arm/armv8-pmuv3-common");
    EXPECT_EQ(choose(arm, {"r8:100000"})[0].code, 8u);
    EXPECT_NE(fault(arm, {"r10000:100000"}), "");
    EXPECT_NE(fault(arm, {"r8:100000:1"}), "");
}

TEST(DriverEvents, edge_and_mask_bits_need_a_counter_that_takes_them) {
    DriverModel model = intel;
    model.counters[0].has_extra = false;
    EXPECT_NE(fault(model, {"r18001c2:100000"}), "");
    EXPECT_NE(fault(model, {"r10401c2:100000"}), "");
}

TEST(DriverEvents, timer_models_have_one_event_of_their_own) {
    const DriverModel timer = model_of("timer", "timer", 10000, 1);
    EXPECT_EQ(choose(timer, {"TIMER:1000000"})[0],
              (ConfiguredEvent{"TIMER", 0, 0, 1000000, 0, 0, true, true}));
    EXPECT_NE(fault(timer, {"CPU_CLK_UNHALTED:100000"}).find("TIMER:COUNT"), std::string::npos);
    EXPECT_NE(fault(timer, {"TIMER:9999"}).find("minimum of 10000"), std::string::npos);
    EXPECT_NE(fault(timer, {"TIMER:100000"}, true).find("times 15 for call graphs"), std::string::npos);
    const DriverModel rtc = model_of("rtc", "rtc", 2, 1);
    EXPECT_EQ(choose(rtc, {"RTC_INTERRUPTS:4096"}, true)[0].count, 4096u);
    EXPECT_NE(fault(rtc, {"RTC_INTERRUPTS:1"}), "");
    EXPECT_NE(fault(rtc, {"RTC_INTERRUPTS:4097"}), "");
    EXPECT_NE(fault(rtc, {"TIMER:1000000"}), "");
}

TEST(DriverEvents, counts_that_could_stall_the_machine_are_refused) {
    EXPECT_NE(fault(intel, {"CPU_CLK_UNHALTED:5999"}).find("minimum of 6000"), std::string::npos);
    EXPECT_EQ(fault(intel, {"CPU_CLK_UNHALTED:6000"}), "");
    EXPECT_NE(fault(intel, {"CPU_CLK_UNHALTED:89999"}, true), "");
    EXPECT_EQ(fault(intel, {"CPU_CLK_UNHALTED:90000"}, true), "");
    EXPECT_NE(fault(intel, {"CPU_CLK_UNHALTED:2147483648"}), "");
    EXPECT_NE(fault(model_of("amd", "x86-64/family10", 500), {"rc0:499"}), "");
    EXPECT_EQ(fault(model_of("amd", "x86-64/family10", 500), {"rc0:500"}), "");
    EXPECT_NE(fault(model_of("amd", "x86-64/family10", ~0ull), {"rc0:500"}, true), "");
}

TEST(DriverEvents, an_event_that_cannot_be_counted_is_refused) {
    EXPECT_NE(fault(intel, {"r1:100000", "r2:100000", "r3:100000"}).find("counters here are 2"),
              std::string::npos);
    EXPECT_NE(fault(intel, {"r1:100000", "r1:100000"}).find("twice"), std::string::npos);
    EXPECT_NE(fault(intel, {"r1:100000:0:0:0"}), "");
    EXPECT_NE(fault(intel, {"CPU_CLK_UNHALTED:100000:1"}), "");
    EXPECT_NE(fault(intel, {"NO_SUCH:100000"}), "");
    EXPECT_NE(fault(intel, {"rxyz:100000"}), "");
}

TEST(DriverEvents, fixed_counters_and_samplers_are_left_to_operf) {
    EventCatalogue fixed = two_counters();
    fixed.events.push_back(event("EVENLY", 0, 1, {1}));
    EXPECT_EQ(fault(intel, {"EVENLY:100000"}, false, fixed),
              "event 'EVENLY': a fixed counter counts it, which the driver does not program; operf can");
    EXPECT_EQ(
        fault(model_of("amd", "x86-64/zen3", 500), {"IBS_OP_LOAD:64000"}, false, sampler()),
        "event 'IBS_OP_LOAD': ibs_op takes its samples, which the driver's model amd does not program; its "
        "model perf and operf can");
}

/// The catalogue of both samplers and a counter, on a machine whose kernel has PMUs for them.
struct Samplers {
    test::TempDir dir;
    EventCatalogue catalogue;
    DriverModel model = model_of("perf", "perf", 10000);

    Samplers() {
        dir.write("ibs_fetch/type", "10\n");
        dir.write("ibs_op/type", "11\n");
        catalogue.model.name = "x86-64/family10";
        catalogue.devices = dir.path();
        catalogue.events = {event("IBS_FETCH_ALL", 0xf000, 0, {0}), event("IBS_FETCH_KILLED", 0xf001, 0, {0}),
                            event("IBS_OP_ALL", 0xf100, 0, {1, 0}), event("CYCLES", 0x76, 3, {0})};
        for (CatalogueEvent& known : catalogue.events)
            if (known.name != "CYCLES")
                known.extended = known.name.starts_with("IBS_OP") ? "ibs_op" : "ibs_fetch";
        for (DriverCounter& counter : model.counters)
            counter.has_pmu = true;
    }
};

TEST(DriverEvents, all_events_of_a_sampler_share_a_counter) {
    const Samplers machine;
    DriverModel three = machine.model;
    three.counters.push_back({2, 10000, true, true});
    const auto events = choose(
        three, {"IBS_FETCH_ALL:50000", "CYCLES:100000", "IBS_FETCH_KILLED:50000:0:0", "IBS_OP_ALL:64000:1"},
        false, machine.catalogue);
    ASSERT_EQ(events.size(), 4u);
    EXPECT_EQ(events[0].sampler, (SamplerSetting{10, 0, 12}));
    EXPECT_EQ(events[0].code, 0xf000u);
    EXPECT_EQ(events[1].sampler, std::nullopt);
    EXPECT_EQ(events[2].sampler, events[0].sampler);
    EXPECT_FALSE(events[2].kernel);
    EXPECT_EQ(events[3].sampler, (SamplerSetting{11, 1 << 19, 44}));
    EXPECT_EQ(events[3].unit_mask, 1u);
    EXPECT_EQ((std::array{events[0].counter, events[1].counter, events[2].counter, events[3].counter}),
              (std::array{0, 1, 0, 2}));
    EXPECT_EQ(to_daemon_text(events),
              "IBS_FETCH_ALL:61440:0:50000:0:1:1,CYCLES:118:1:100000:0:1:1,"
              "IBS_FETCH_KILLED:61441:0:50000:0:0:1,IBS_OP_ALL:61696:2:64000:1:1:1");
}

TEST(DriverEvents, of_samplers_have_the_rules_that_operf_has) {
    const Samplers machine;
    const auto refused = [&](std::initializer_list<const char*> texts) {
        return fault(machine.model, texts, false, machine.catalogue);
    };
    EXPECT_EQ(
        refused({"IBS_FETCH_ALL:50000", "IBS_FETCH_KILLED:64000"}),
        "event 'IBS_FETCH_KILLED': it and 'IBS_FETCH_ALL' are derived from the same samples of ibs_fetch; "
        "give them one count and one unit mask");
    EXPECT_NE(refused({"IBS_FETCH_ALL:50001"}).find("no multiple of 16"), std::string::npos);
    EXPECT_NE(refused({"IBS_FETCH_ALL:50000", "CYCLES:100000", "IBS_OP_ALL:64000"}).find("too few counters"),
              std::string::npos);
    Samplers without;
    without.catalogue.devices = without.dir / "none";
    EXPECT_EQ(fault(without.model, {"IBS_FETCH_ALL:50000"}, false, without.catalogue),
              "event 'IBS_FETCH_ALL': the kernel has no PMU ibs_fetch on this machine");
}

TEST(DriverEvents, of_a_model_without_a_name_for_the_processor_are_the_processors) {
    const Samplers machine;
    const auto events = choose(machine.model, {"r1000001c0:100000"}, false, machine.catalogue);
    EXPECT_EQ(events.at(0).code, 0x1c0u);
    EXPECT_EQ(events.at(0).unit_mask, 1u);
}

TEST(DriverEvents, of_a_pentium_4_have_the_numbers_of_the_event_files) {
    EventCatalogue files = two_counters();
    files.model.name = "i386/p4";
    files.events = {event("GLOBAL_POWER_EVENTS", 0x1d, 1, {1}), event("BSQ_ALLOCATION", 0x10, 2, {0x2000})};
    const DriverModel p4 = model_of("p4", "i386/p4");
    const auto events = choose(p4, {"BSQ_ALLOCATION:6000", "GLOBAL_POWER_EVENTS:100000"}, false, files);
    EXPECT_EQ(events.at(0), (ConfiguredEvent{"BSQ_ALLOCATION", 0x10, 1, 6000, 0x2000, 0, true, true}));
    EXPECT_EQ(events.at(1), (ConfiguredEvent{"GLOBAL_POWER_EVENTS", 0x1d, 0, 100000, 1, 0, true, true}));
    EXPECT_NE(fault(p4, {"r1d:100000"}, false, files), "");
    EXPECT_NE(fault(p4, {"CPU_CLK_UNHALTED:100000"}, false, files), "");
    EXPECT_EQ(fault(p4, {"r1d:100000"}), "event 'r1d': there are no event files for i386/p4");
    EXPECT_EQ(fault(model_of("perf", "perf"), {"GLOBAL_POWER_EVENTS:100000"}, false, files),
              "event 'GLOBAL_POWER_EVENTS': the driver's model perf does not count it; its model p4 can");
    files.events[0].origin = EventOrigin::libpfm;
    EXPECT_EQ(
        fault(p4, {"GLOBAL_POWER_EVENTS:100000"}, false, files),
        "event 'GLOBAL_POWER_EVENTS': the driver counts only the events of the event files here; operf can");
}

TEST(DriverEvents, event_0_of_amd_is_one_like_others) {
    EventCatalogue zero = two_counters();
    zero.model.name = "x86-64/family10";
    zero.events.push_back(event("DISPATCHED_FPU_OPS", 0, 1, {1}));
    EXPECT_EQ(choose(amd, {"DISPATCHED_FPU_OPS:100000"}, false, zero).at(0).code, 0u);
}

TEST(DriverEvents, there_is_a_default_for_every_model) {
    EXPECT_EQ(default_driver_event(model_of("timer", "timer"), {}).name, "TIMER");
    EXPECT_EQ(default_driver_event(model_of("rtc", "rtc"), {}).name, "RTC_INTERRUPTS");
    EXPECT_EQ(default_driver_event(intel, {}).name, "CPU_CLK_UNHALTED");
    for (const DriverModel& model :
         {model_of("timer", "timer", 10000), model_of("rtc", "rtc", 2), intel, amd})
        for (const bool callgraph : {false, true})
            EXPECT_EQ(choose_driver_events(std::vector{default_driver_event(model, {})}, model, {}, callgraph)
                          .size(),
                      1u);
}

TEST(DriverEvents, the_events_own_count_is_the_default) {
    EXPECT_EQ(choose(model_of("timer", "timer"), {"TIMER"})[0].count, 1000000u);
    EXPECT_EQ(choose(model_of("rtc", "rtc"), {"RTC_INTERRUPTS"})[0].count, 1024u);
    EXPECT_THROW(choose(model_of("intel", "i386/arch_perfmon"), {"r1c2"}), Error);
}

TEST(DriverEvents, take_code_unit_mask_and_minimum_from_the_event_files) {
    const auto events = choose(intel, {"LLC_MISSES:6000:0x4f:1:0"}, false, two_counters());
    EXPECT_EQ(events[0], (ConfiguredEvent{"LLC_MISSES", 0x2e, 0, 6000, 0x4f, 0, true, false}));
    EXPECT_EQ(choose(intel, {"LLC_MISSES:6000"}, false, two_counters())[0].unit_mask, 0x41u);
    EXPECT_NE(fault(intel, {"LLC_MISSES:499"}, false, two_counters()).find("minimum of 500"),
              std::string::npos);
    EXPECT_NE(fault(intel, {"LLC_MISSES:6000"}, true, two_counters()).find("minimum of 7500 for call graphs"),
              std::string::npos);
    EXPECT_NE(fault(intel, {"LLC_MISSES:6000:7"}, false, two_counters()), "");
    EXPECT_NE(fault(intel, {"LLC_MISES:6000"}, false, two_counters()).find("LLC_MISSES"), std::string::npos)
        << "a name that is alike";
}

TEST(DriverEvents, go_to_counters_that_can_hold_them) {
    const auto events = choose(intel, {"LLC_MISSES:6000", "FLOPS:6000"}, false, two_counters());
    EXPECT_EQ(events[0].counter, 1);
    EXPECT_EQ(events[1].counter, 0);
    EXPECT_NE(
        fault(intel, {"FLOPS:6000", "FLOPS:7000"}, false, two_counters()).find("cannot be counted together"),
        std::string::npos);
    EXPECT_EQ(
        choose(model_of("perf", "i386/core_2"), {"DIVISIONS:6000", "FLOPS:6000"}, false, two_counters())[0]
            .counter,
        0)
        << "the kernel finds the counter itself";
}

TEST(DriverEvents, take_another_counter_if_one_is_busy) {
    DriverModel model = intel;
    model.counters.erase(model.counters.begin());
    EXPECT_EQ(choose(model, {"DIVISIONS:6000"}, false, two_counters())[0].counter, 1);
    EXPECT_NE(fault(model, {"FLOPS:6000"}, false, two_counters()), "");
}

}  // namespace op::collect
