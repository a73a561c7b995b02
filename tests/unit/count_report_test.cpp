// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/count_report.h"

#include <gtest/gtest.h>

#include "tests/unit/faults.h"
#include "utils/ocount_options.h"

namespace op::tool {
namespace {

using namespace op::collect;
using std::chrono::milliseconds, std::chrono::seconds, std::chrono::nanoseconds;

CountReport of_command() {
    CountReport report;
    report.command = "ls -l";
    report.events = {"LLC_MISSES", "cycles:u"};
    return report;
}

CountRow row(CounterKey key, uint64_t counted, uint64_t enabled, uint64_t running) {
    const std::vector<CounterKey> keys = {key};
    const std::vector<CounterReading> readings = {{counted, enabled, running}};
    return make_count_rows(keys, {}, readings, key.cpu ? CountSeparation::cpu : CountSeparation::task).at(0);
}

const CountBlock all_counted = {milliseconds{3140},
                                {row({0, {}, {}}, 1234567, 50, 50), row({1, {}, {}}, 7, 50, 50)}};

}  // namespace

TEST(CountReport, is_a_table_for_people) {
    EXPECT_EQ(count_report_text(of_command(), all_counted, 0),
              "\n"
              "Events were actively counted for 3.1 seconds.\n"
              "Event counts (actual) for ls -l:\n"
              "\tEvent             Count                    % time counted\n"
              "\tLLC_MISSES        1,234,567                100.00\n"
              "\tcycles:u          7                        100.00\n");
}

TEST(CountReport, scaled_counts_are_marked_event_by_event) {
    const CountBlock block = {seconds{1}, {row({0, {}, {}}, 1000, 100, 45), row({1, {}, {}}, 7, 50, 50)}};
    EXPECT_EQ(count_report_text(of_command(), block, 0),
              "\n"
              "Events were actively counted for 1.0 seconds.\n"
              "Event counts (scaled) for ls -l:\n"
              "\tEvent             Count                    % time counted\n"
              "\tLLC_MISSES        2,222                    45.00\n"
              "\tcycles:u          7                        100.00\n"
              "\n"
              "\tLLC_MISSES: counted for 45.00 % of the time only; the count is scaled up from that\n");
}

TEST(CountReport, an_uncounted_event_is_reported_with_the_reason_and_not_as_0) {
    const CountBlock block = {seconds{1}, {row({0, {}, {}}, 0, 100, 0), row({1, {}, {}}, 0, 0, 0)}};
    const std::string text = count_report_text(of_command(), block, 0);
    EXPECT_NE(text.find("\tLLC_MISSES        Event not counted\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\tLLC_MISSES: not counted: all counters that could hold it were taken"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("\tcycles:u: not counted: nothing of it ran in that time\n"), std::string::npos)
        << text;
    EXPECT_EQ(count_report_brief(of_command(), block, 0),
              "LLC_MISSES,not counted,0.00\ncycles:u,not counted,0.00\n");
}

TEST(CountReport, has_a_column_for_the_cpu_or_the_task) {
    CountReport report = of_command();
    report.kind = CountReport::Kind::system;
    report.command.clear();
    report.separation = CountSeparation::cpu;
    const CountBlock block = {seconds{1}, {row({0, {}, 0}, 1, 9, 9), row({0, {}, 12}, 0, 0, 0)}};
    EXPECT_EQ(count_report_text(report, block, 0),
              "\n"
              "Events were actively counted for 1.0 seconds.\n"
              "Event counts (actual) for the whole system:\n"
              "\tEvent             CPU       Count                    % time counted\n"
              "\tLLC_MISSES        0         1                        100.00\n"
              "\tLLC_MISSES        12        Event not counted\n"
              "\n"
              "\tLLC_MISSES: not counted (CPU 12): nothing of it ran in that time\n");
    EXPECT_EQ(count_report_brief(report, block, 0),
              "0,LLC_MISSES,1,100.00\n12,LLC_MISSES,not counted,0.00\n");
    report.kind = CountReport::Kind::threads;
    report.separation = CountSeparation::task;
    const CountBlock task = {seconds{1}, {row({0, 4711, {}}, 1, 9, 9)}};
    EXPECT_NE(count_report_text(report, task, 0).find("Task ID   Count"), std::string::npos);
    EXPECT_EQ(count_report_brief(report, task, 0), "4711,LLC_MISSES,1,100.00\n");
}

TEST(CountReport, the_whole_system_is_headed_by_the_command_it_was_counted_for) {
    CountReport report = of_command();
    report.kind = CountReport::Kind::system;
    EXPECT_NE(count_report_text(report, all_counted, 0).find(" for the whole system, while it ran ls -l:\n"),
              std::string::npos);
    EXPECT_NE(count_report_json(report, all_counted, 0).find(R"("kind":"system","command":"ls -l")"),
              std::string::npos)
        << count_report_json(report, all_counted, 0);
}

TEST(CountReport, starts_with_the_time_for_an_interval) {
    CountReport report = of_command();
    report.has_intervals = true;
    EXPECT_TRUE(count_report_text(report, all_counted, 1700000000)
                    .starts_with("\nCurrent time (seconds since epoch): 1700000000\nEvent counts (actual)"));
    EXPECT_TRUE(count_report_brief(report, all_counted, 17).starts_with("timestamp,17\nLLC_MISSES,1234567,"));
    report.kind = CountReport::Kind::cpus;
    EXPECT_TRUE(count_report_brief(report, all_counted, 17).starts_with("t:17\n"));
}

TEST(CountReport, durations_are_short_to_read) {
    const auto duration = [](nanoseconds time) {
        const std::string text = count_report_text(of_command(), {time, {}}, 0);
        return text.substr(34, text.find(".\nEvent counts") - 34);
    };
    EXPECT_EQ(duration(nanoseconds{99999}), "99999 nanoseconds");
    EXPECT_EQ(duration(milliseconds{100}), "0.1 seconds");
    EXPECT_EQ(duration(seconds{61}), "1 minute and 1 second");
    EXPECT_EQ(duration(seconds{3605}), "60 minutes and 5 seconds");
}

TEST(CountReport, names_of_others_cannot_steer_a_terminal) {
    CountReport report = of_command();
    report.command = "a\x1b[2Jb";
    EXPECT_EQ(count_report_text(report, all_counted, 0).find('\x1b'), std::string::npos);
    EXPECT_EQ(count_report_json(report, all_counted, 0).find('\x1b'), std::string::npos);
}

TEST(CountReport, as_json_has_all_that_is_known) {
    CountReport report = of_command();
    report.kind = CountReport::Kind::processes;
    report.command.clear();
    report.numbers = {42};
    report.separation = CountSeparation::task;
    const CountBlock block = {nanoseconds{5}, {row({0, 42, {}}, 1000, 100, 50), row({1, 43, {}}, 0, 0, 0)}};
    EXPECT_EQ(
        count_report_json(report, block, 17),
        R"({"format":"oprofile-ng counts","version":1,"subject":{"kind":"processes","list":[42]},)"
        R"("time":17,"duration_ns":5,"counts":[)"
        R"({"event":"LLC_MISSES","task":42,"count":2000,"scaled":true,"incomplete":false,"unscaled_count":1000,)"
        R"("enabled_ns":100,"running_ns":50},)"
        R"({"event":"cycles:u","task":43,"not_counted":"nothing of it ran in that time",)"
        R"("enabled_ns":0,"running_ns":0}]})"
        "\n");
}

TEST(CountIntervals, are_rounded_to_tenths_of_a_second) {
    EXPECT_EQ(parse_intervals("100").length, milliseconds{100});
    EXPECT_EQ(parse_intervals("149").length, milliseconds{100});
    EXPECT_EQ(parse_intervals("150").length, milliseconds{200});
    EXPECT_EQ(parse_intervals("1000").number, 0u);
    EXPECT_EQ(parse_intervals("1000:3").number, 3u);
}

TEST(CountIntervals, malformed_ones_are_refused) {
    for (const char* text :
         {"", "0", "99", "x", "100:", "100:0", "100:x", "-100", "99999999999999999999", "100:1:1"})
        EXPECT_FALSE(test::fault(ErrorKind::usage, [&] { parse_intervals(text); }).empty()) << text;
}

}  // namespace op::tool
