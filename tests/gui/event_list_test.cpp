// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/event_list.h"

#include <gtest/gtest.h>

#include <QByteArray>

#include "libop/base/error.h"

namespace op::gui {
namespace {

const char* const listing = R"(<?xml version="1.0"?>
<help_events schemaversion="2.0"><header title="t" doc="d"/>
<event event_name="TIMER" desc="Clock" counter_mask="0" min_count="10000"/>
<event event_name="ONE" desc="First &lt;x&gt;" counter_mask="1" min_count="500">
<unit_masks default="3" category="bitmask">
<unit_mask mask="1" desc="low"/><unit_mask mask="2" name="high" desc="high"/>
</unit_masks></event>
<event event_name="ALSO_ONE" desc="Second" counter_mask="1" min_count="500"/>
<event event_name="TWO" desc="Third" counter_mask="2" min_count="500"/>
</help_events>)";

TEST(EventListOfWindow, has_events_counters_and_masks) {
    const auto events = parse_event_list(listing);
    ASSERT_EQ(events.size(), 4u);
    EXPECT_FALSE(events[0].counters.has_value());
    EXPECT_EQ(events[1].description, "First <x>");
    EXPECT_EQ(events[1].counters, CounterMask(1));
    EXPECT_FALSE(events[1].is_exclusive);
    ASSERT_EQ(events[1].masks.size(), 2u);
    EXPECT_EQ(events[1].masks[0].word, "0x1");
    EXPECT_EQ(events[1].masks[1].word, "high");
    EXPECT_EQ(proposed_count(events[0]), 1000000u);
    EXPECT_EQ(proposed_count(events[1]), 100000u);
}

TEST(EventListOfWindow, refuses_what_is_no_xml) {
    EXPECT_THROW(parse_event_list("opcontrol error"), Error);
    EXPECT_THROW(parse_event_list("<help_events><event"), Error);
}

TEST(EventListOfWindow, knows_who_takes_the_counter) {
    const auto events = parse_event_list(listing);
    const std::vector<const ListedEvent*> chosen{&events[1]};
    EXPECT_EQ(conflicts_of(events[0], chosen), "");
    EXPECT_EQ(conflicts_of(events[2], chosen), "ONE");
    EXPECT_EQ(conflicts_of(events[3], chosen), "");
}

}  // namespace
}  // namespace op::gui
