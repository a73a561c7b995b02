// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/object/range_map.h"

#include <gtest/gtest.h>

#include <random>

namespace op::pp {

TEST(RangeMap, ranges_are_half_open) {
    const RangeMap map({{10, 20, 1}});
    EXPECT_EQ(map.find(9), std::nullopt);
    EXPECT_EQ(map.find(10), 1u);
    EXPECT_EQ(map.find(19), 1u);
    EXPECT_EQ(map.find(20), std::nullopt);
}

TEST(RangeMap, the_innermost_range_wins_and_the_outer_resumes_after_it) {
    const RangeMap map({{12, 14, 3}, {0, 100, 0}, {10, 20, 1}, {14, 15, 2}});
    EXPECT_EQ(map.find(9), 0u);
    EXPECT_EQ(map.find(11), 1u);
    EXPECT_EQ(map.find(13), 3u);
    EXPECT_EQ(map.find(14), 2u);
    EXPECT_EQ(map.find(15), 1u);
    EXPECT_EQ(map.find(20), 0u);
}

TEST(RangeMap, a_range_may_have_several_parts) {
    const RangeMap map({{10, 20, 7}, {30, 40, 7}});
    EXPECT_EQ(map.find(15), 7u);
    EXPECT_EQ(map.find(25), std::nullopt);
    EXPECT_EQ(map.find(35), 7u);
}

TEST(RangeMap, neighbours_are_apart_and_empty_ranges_are_ignored) {
    const RangeMap map({{10, 20, 1}, {20, 30, 2}, {15, 15, 9}, {18, 12, 9}});
    EXPECT_EQ(map.find(15), 1u);
    EXPECT_EQ(map.find(20), 2u);
    EXPECT_TRUE(RangeMap({{5, 5, 1}}).empty());
    EXPECT_EQ(RangeMap().find(0), std::nullopt);
}

TEST(RangeMap, reaches_to_the_last_address_but_one) {
    const RangeMap map({{UINT64_MAX - 1, UINT64_MAX, 4}, {0, UINT64_MAX, 1}});
    EXPECT_EQ(map.find(UINT64_MAX - 1), 4u);
    EXPECT_EQ(map.find(0), 1u);
    EXPECT_EQ(map.find(UINT64_MAX), std::nullopt);
}

TEST(RangeMap, any_overlap_is_decided_by_number) {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
        std::vector<RangeMap::Range> ranges;
        for (uint32_t i = 0; i < 12; ++i)
            ranges.push_back({random() % 40, random() % 40, static_cast<uint32_t>(random() % 6)});
        const RangeMap map(ranges);
        for (uint64_t at = 0; at < 41; ++at) {
            std::optional<uint32_t> wanted;
            for (const auto& range : ranges)
                if (range.start <= at && at < range.end) wanted = std::max(wanted.value_or(0), range.number);
            ASSERT_EQ(map.find(at), wanted) << "round " << round << ", address " << at;
        }
    }
}

}  // namespace op::pp
