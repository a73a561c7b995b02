// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf_events.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "daemon/perf_attr.h"
#include "libop/cpu_model.h"
#include "tests/unit/faults.h"

namespace op::collect {
namespace {

const EventProbe no_counters = [](const RecordedEvent&) { return false; };
const EventProbe all_counters = [](const RecordedEvent&) { return true; };

}  // namespace

TEST(PerfEvents, the_default_is_cycles_where_there_are_counters) {
    SessionInfo info;
    Diagnostics notes;
    choose_events({}, false, all_counters, info, notes);
    ASSERT_EQ(info.events.size(), 1u);
    EXPECT_EQ(info.events[0].name, "CPU_CLK_UNHALTED");
    EXPECT_TRUE(notes.warnings().empty());
}

TEST(PerfEvents, without_counters_the_clock_takes_over_and_one_line_says_so) {
    for (const auto& specs : {std::vector<EventSpec>{}, parse_event_specs({"CPU_CLK_UNHALTED:500000"})}) {
        SessionInfo info;
        Diagnostics notes;
        choose_events(specs, false, no_counters, info, notes);
        ASSERT_EQ(info.events.size(), 1u);
        EXPECT_EQ(info.events[0].name, "TIMER");
        EXPECT_EQ(info.events[0].count, 1000000u);
        EXPECT_EQ(info.cpu_type, cpu_type_timer);
        EXPECT_EQ(notes.warnings().size(), 1u);
    }
}

TEST(PerfEvents, the_clock_asked_for_needs_no_note) {
    SessionInfo info;
    Diagnostics notes;
    choose_events(parse_event_specs({"TIMER:20000"}), false, no_counters, info, notes);
    EXPECT_EQ(info.events.at(0).count, 20000u);
    EXPECT_TRUE(notes.warnings().empty());
}

TEST(PerfEvents, an_event_without_a_count_takes_its_default) {
    SessionInfo info;
    Diagnostics notes;
    choose_events(parse_event_specs({"TIMER", "CPU_CLK_UNHALTED::0:1:0"}), true, all_counters, info, notes);
    ASSERT_EQ(info.events.size(), 2u);
    EXPECT_EQ(info.events[0].count, 100000u);
    EXPECT_FALSE(info.events[0].user);
    EXPECT_EQ(info.events[1].count, 1000000u);
}

TEST(PerfEvents, only_a_missing_counter_lets_the_clock_take_over) {
    for (const int error : {ENOENT, EOPNOTSUPP, ENODEV})
        EXPECT_FALSE(is_countable(error));
    for (const auto& [error, remedy] :
         {std::pair{EBUSY, "another profiler"}, {EMFILE, "ulimit -n"}, {EACCES, "not permitted"}})
        EXPECT_TRUE(test::contains(test::fault(ErrorKind::system, [&, code = error] { is_countable(code); }),
                                   remedy));
}

TEST(PerfEvents, an_unknown_event_or_a_low_count_is_refused) {
    SessionInfo info;
    Diagnostics notes;
    EXPECT_THROW(choose_events(parse_event_specs({"NO_SUCH:100000"}), false, all_counters, info, notes),
                 Error);
    EXPECT_THROW(choose_events(parse_event_specs({"TIMER:9999"}), false, all_counters, info, notes), Error);
}

}  // namespace op::collect
