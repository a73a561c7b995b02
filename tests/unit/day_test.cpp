// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/day.h"

#include <gtest/gtest.h>

namespace op::fleet {

TEST(Day, is_cut_at_midnight_utc) {
    EXPECT_EQ(Day::of_time(1764028799).text(), "2025-11-24");
    EXPECT_EQ(Day::of_time(1764028800).text(), "2025-11-25");
    EXPECT_EQ(Day::of_time(1764028800).begin(), 1764028800);
}

TEST(Day, times_it_cannot_hold_are_its_ends) {
    EXPECT_EQ(Day::of_time(-1).text(), "1970-01-01");
    EXPECT_EQ(Day::of_time(INT64_MAX).text(), "2149-06-06");
}

TEST(Day, every_day_survives_its_text) {
    for (unsigned number = 0; number <= UINT16_MAX; ++number) {
        const Day day(static_cast<uint16_t>(number));
        ASSERT_EQ(parse_day(day.text()), day) << day.text();
    }
}

TEST(Day, what_is_no_day_is_refused) {
    for (const char* text : {"", "2026-11-31", "2026-02-29", "26-11-25", "2026-1-5", "1969-12-31",
                             "2149-06-07", "2026/11/25", "2026-11-25 ", "2026-11-2x", "99999-1-01"})
        EXPECT_EQ(parse_day(text), std::nullopt) << text;
}

}  // namespace op::fleet
