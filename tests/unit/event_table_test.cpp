// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/event_table.h"

#include <gtest/gtest.h>

#include <set>

#include "libop/error.h"

namespace op {

namespace {

std::string fault(const char* text, bool callgraph = false) {
    try {
        check_event(parse_event_spec(text), callgraph);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        return error.what();
    }
    return "";
}

}  // namespace

TEST(EventTable, holds_cycles_first_and_the_timer) {
    ASSERT_EQ(event_table().size(), 2u);
    EXPECT_EQ(event_table().front().name, "CPU_CLK_UNHALTED");
    EXPECT_EQ(find_event("TIMER")->code, 0u);
    EXPECT_EQ(find_event("timer"), nullptr);
}

TEST(EventTable, default_counts_pass_the_check_with_call_graphs_too) {
    for (const EventInfo& event : event_table()) {
        const EventSpec spec{std::string(event.name), event.default_count, {}, "", true, true};
        EXPECT_EQ(&check_event(spec, false), &event);
        EXPECT_EQ(&check_event(spec, true), &event);
    }
}

TEST(EventTable, unknown_event_is_told_with_the_known_ones) {
    EXPECT_EQ(fault("FOO:5"), "event 'FOO': no such event; known here: CPU_CLK_UNHALTED, TIMER");
}

TEST(EventTable, count_is_held_to_its_bounds) {
    EXPECT_EQ(fault("TIMER:9999"),
              "event 'TIMER': count 9999 is below the minimum of 10000; ask for at least that");
    EXPECT_EQ(fault("TIMER:10000"), "");
    EXPECT_EQ(fault("TIMER:4294967295"), "");
    EXPECT_EQ(fault("TIMER:4294967296"),
              "event 'TIMER': count 4294967296 is above the maximum of 4294967295");
}

TEST(EventTable, call_graphs_raise_the_minimum_15_times) {
    EXPECT_EQ(
        fault("CPU_CLK_UNHALTED:89999", true),
        "event 'CPU_CLK_UNHALTED': count 89999 is below the minimum of 90000 for call graphs; ask for at "
        "least that");
    EXPECT_EQ(fault("CPU_CLK_UNHALTED:90000", true), "");
}

TEST(EventTable, only_the_empty_unit_mask_is_valid) {
    EXPECT_EQ(fault("TIMER:10000:0"), "");
    EXPECT_EQ(fault("TIMER:10000:0x1f"),
              "event 'TIMER': unit mask 0x1f is not valid; the event has none, so leave the field empty");
    EXPECT_EQ(fault("TIMER:10000:any"),
              "event 'TIMER': no unit mask is named 'any'; the event has none, so leave the field empty");
}

TEST(EventTable, both_modes_off_is_refused) {
    EXPECT_THROW(check_event({"TIMER", 10000, {}, "", false, false}, false), Error);
}

TEST(CpuType, numbers_differ_between_the_two_numberings) {
    EXPECT_EQ(find_cpu_type(32)->name, "i386/core_2");
    EXPECT_EQ(find_cpu_type_0_9(40)->number, 32u);
    EXPECT_EQ(find_cpu_type(6)->name, "x86-64/hammer");
    EXPECT_EQ(find_cpu_type_0_9(6)->name, "i386/p4");
    EXPECT_EQ(find_cpu_type(87)->name, "arm/armv8-thunderx2");
    EXPECT_EQ(find_cpu_type(cpu_type_timer)->title, "CPU with timer interrupt");
}

TEST(CpuType, unknown_numbers_have_no_row) {
    EXPECT_EQ(find_cpu_type(88), nullptr);
    EXPECT_EQ(find_cpu_type(~0u), nullptr);
    EXPECT_EQ(find_cpu_type_0_9(84), nullptr);
    EXPECT_EQ(find_cpu_type_0_9(~0u), nullptr);
}

TEST(CpuType, every_number_of_either_numbering_has_one_row) {
    std::set<std::string_view> names;
    for (uint32_t i = 0; i < 88; ++i) {
        ASSERT_NE(find_cpu_type(i), nullptr) << i;
        EXPECT_EQ(find_cpu_type(i)->number, i);
        EXPECT_TRUE(names.insert(find_cpu_type(i)->name).second) << i;
    }
    names.clear();
    for (uint32_t i = 0; i < 84; ++i) {
        ASSERT_NE(find_cpu_type_0_9(i), nullptr) << i;
        EXPECT_TRUE(names.insert(find_cpu_type_0_9(i)->name).second) << i;
    }
}

TEST(CpuType, dropped_types_keep_a_row_that_can_be_found_again) {
    const CpuType* rtc = find_cpu_type_0_9(5);
    ASSERT_NE(rtc, nullptr);
    EXPECT_EQ(rtc->name, "rtc");
    EXPECT_EQ(find_cpu_type(rtc->number), rtc);
}

TEST(CpuType, intel_models_are_told_by_family_and_model) {
    EXPECT_EQ(x86_cpu_type({"GenuineIntel", 6, 0x3c, true, 1}), "i386/haswell");
    EXPECT_EQ(x86_cpu_type({"GenuineIntel", 6, 0x9e, true, 1}), "i386/skylake");
    EXPECT_EQ(x86_cpu_type({"GenuineIntel", 6, 0x1a, true, 1}), "i386/core_i7");
    EXPECT_EQ(x86_cpu_type({"GenuineIntel", 6, 0xff, true, 1}), "i386/arch_perfmon");
}

TEST(CpuType, intel_without_architectural_counters_goes_by_the_old_list) {
    EXPECT_EQ(x86_cpu_type({"GenuineIntel", 6, 1, false, 1}), "i386/ppro");
    EXPECT_EQ(x86_cpu_type({"GenuineIntel", 6, 5, false, 1}), "i386/pii");
    EXPECT_EQ(x86_cpu_type({"GenuineIntel", 6, 8, false, 1}), "i386/piii");
    EXPECT_EQ(x86_cpu_type({"GenuineIntel", 6, 13, false, 1}), "i386/p6_mobile");
    EXPECT_EQ(x86_cpu_type({"GenuineIntel", 6, 0x3c, false, 1}), "timer");
    EXPECT_EQ(x86_cpu_type({"GenuineIntel", 15, 2, false, 1}), "i386/p4");
    EXPECT_EQ(x86_cpu_type({"GenuineIntel", 15, 2, false, 2}), "i386/p4-ht");
    EXPECT_EQ(x86_cpu_type({"GenuineIntel", 15, 5, false, 1}), "timer");
}

TEST(CpuType, amd_families_are_told_and_newer_ones_are_generic) {
    EXPECT_EQ(x86_cpu_type({"AuthenticAMD", 6, 1, false, 1}), "i386/athlon");
    EXPECT_EQ(x86_cpu_type({"AuthenticAMD", 0x10, 1, false, 1}), "x86-64/family10");
    EXPECT_EQ(x86_cpu_type({"AuthenticAMD", 0x13, 1, false, 1}), "timer");
    EXPECT_EQ(x86_cpu_type({"AuthenticAMD", 0x19, 1, false, 1}), "x86-64/generic");
    EXPECT_EQ(x86_cpu_type({"HygonGenuine", 0x18, 1, false, 1}), "x86-64/generic");
    EXPECT_EQ(x86_cpu_type({"AuthenticAMD", 5, 1, false, 1}), "timer");
}

TEST(CpuType, other_vendors_profile_by_the_timer) {
    EXPECT_EQ(x86_cpu_type({"CentaurHauls", 6, 0x3c, true, 1}), "timer");
    EXPECT_EQ(x86_cpu_type({}), "timer");
}

TEST(CpuType, every_name_that_detection_gives_is_in_the_table) {
    std::set<std::string_view> known;
    for (uint32_t i = 0; i < 88; ++i)
        known.insert(find_cpu_type(i)->name);
    for (const char* vendor : {"GenuineIntel", "AuthenticAMD"})
        for (const bool arch_perfmon : {false, true})
            for (uint32_t family = 0; family < 32; ++family)
                for (uint32_t model = 0; model < 256; ++model)
                    EXPECT_TRUE(known.contains(x86_cpu_type({vendor, family, model, arch_perfmon, 1})));
}

TEST(CpuType, the_running_machine_has_a_row) {
    const CpuType& type = running_cpu_type();
    EXPECT_EQ(find_cpu_type(type.number), &type);
}

}  // namespace op
