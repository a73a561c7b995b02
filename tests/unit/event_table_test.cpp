// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/events/event_table.h"

#include <gtest/gtest.h>

#include "libop/base/error.h"

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

TEST(EventTable, an_unknown_event_is_reported_with_the_known_ones) {
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

}  // namespace op
