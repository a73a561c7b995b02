// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/profile/report_footnotes.h"

#include <gtest/gtest.h>

namespace op::pp {

namespace {

using Words = std::vector<std::string>;

ProfileClass column(const std::string& event, uint64_t unit_mask = 0, std::optional<uint32_t> cpu = {}) {
    return {event, 100, unit_mask, {}, {}, cpu};
}

ScaledEvent half(const std::string& event, uint64_t unit_mask = 0, const std::string& session = "") {
    return {session, event, 100, unit_mask, {2000, 1000}};
}

}  // namespace

TEST(ReportFootnotes, report_how_long_a_scaled_event_ran) {
    const ProfileClass columns[] = {column("E"), column("F")};
    const ScaledEvents scaled[] = {{{"", "E", 100, 0, {4875, 1000}}}, {}};
    EXPECT_EQ(report_footnotes(columns, nullptr, scaled),
              Words{"E:100 ran 20.5 % of the time it was enabled: its counts are scaled by 4.875"});
    EXPECT_EQ(report_footnotes(columns, nullptr, {}), Words{});
}

TEST(ReportFootnotes, distinguish_events_and_sessions) {
    const ProfileClass columns[] = {column("E", 3)};
    const ScaledEvents scaled[] = {{half("E", 1), half("E", 2, "saved")}};
    EXPECT_EQ(
        report_footnotes(columns, nullptr, scaled),
        (Words{
            "E:100:0x01 ran 50 % of the time it was enabled: its counts are scaled by 2",
            "E:100:0x02 of session saved ran 50 % of the time it was enabled: its counts are scaled by 2"}));
}

TEST(ReportFootnotes, come_once_however_many_columns_an_event_has) {
    const ProfileClass columns[] = {column("E", 0, 0), column("E", 0, 1), column("F", 0, 0)};
    const ScaledEvents scaled[] = {{half("E")}, {half("E")}, {half("F")}};
    EXPECT_EQ(report_footnotes(columns, nullptr, scaled).size(), 2u);
    SessionInfo info;
    info.events = {{"E", 0, 100, 0, true, false}};
    EXPECT_EQ(report_footnotes(columns, &info, {}), Words{"E:100 was counted in kernel mode only"});
}

TEST(ReportFootnotes, times_of_a_column_add_up) {
    const ScaledEvents scaled[] = {{half("E"), half("E", 0, "saved")}, {}};
    EXPECT_EQ(scaled_times(scaled), (std::vector<CountedTime>{{4000, 2000}, {}}));
    EXPECT_TRUE(scaled_times({}).empty());
}

}  // namespace op::pp
