// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/profile/event_scale.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace op::pp {

namespace {

SampleFileContent content(const std::vector<SampleEntry>& entries) {
    SampleFileContent made;
    made.entries = entries;
    for (const SampleEntry& entry : entries)
        made.total += entry.count;
    return made;
}

std::vector<SampleEntry> scaled(const std::vector<SampleEntry>& entries, const CountedTime& time) {
    SampleFileContent made = content(entries);
    scale_counts(made, time);
    return made.entries;
}

SampleName name(const std::string& event, uint64_t count, uint64_t unit_mask = 0) {
    SampleName made;
    made.event = event;
    made.count = count;
    made.unit_mask = unit_mask;
    return made;
}

}  // namespace

TEST(EventScale, counts_are_multiplied_by_enabled_over_running) {
    EXPECT_EQ(scaled({{1, 3}, {2, 5}}, {4000, 1000}), (std::vector<SampleEntry>{{1, 12}, {2, 20}}));
}

TEST(EventScale, an_event_that_ran_all_the_time_stays_as_it_is) {
    const std::vector<SampleEntry> entries{{2, 3}, {1, 5}};
    EXPECT_EQ(scaled(entries, {}), entries);
    EXPECT_EQ(scaled(entries, {10000, 10000}), entries);
    EXPECT_EQ(scaled(entries, {10000, 9990}), entries);
    EXPECT_EQ(scaled(entries, {10000, 20000}), entries);
}

TEST(EventScale, an_event_that_never_ran_cannot_be_scaled) {
    EXPECT_FALSE(is_scalable({10000, 0}));
    EXPECT_EQ(scaled({{1, 3}}, {10000, 0}), (std::vector<SampleEntry>{{1, 3}}));
}

TEST(EventScale, single_samples_are_not_all_rounded_the_same_way) {
    // 1.4 of each: rounded one by one there would be 10.
    const std::vector<SampleEntry> ones{{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1},
                                        {5, 1}, {6, 1}, {7, 1}, {8, 1}, {9, 1}};
    SampleFileContent made = content(ones);
    scale_counts(made, {1400, 1000});
    EXPECT_EQ(made.total, 14u);
    for (const SampleEntry& entry : made.entries)
        EXPECT_TRUE(entry.count == 1 || entry.count == 2) << entry.count;
}

TEST(EventScale, every_range_of_keys_is_within_a_sample_of_its_share_and_the_total_exact) {
    std::mt19937_64 random(5);
    for (int round = 0; round < 200; ++round) {
        const uint64_t running = 1000000 + random() % 1000000000,
                       enabled = running + running / 500 + random() % (9 * running);
        std::vector<SampleEntry> entries;
        for (uint64_t key = 0; key < 300; ++key)
            entries.push_back({key, 1 + random() % (round % 2 ? 3 : 100000)});
        std::ranges::shuffle(entries, random);
        const SampleFileContent before = content(entries);
        SampleFileContent made = before;
        scale_counts(made, {enabled, running});
        const long double factor = static_cast<long double>(enabled) / running;
        EXPECT_EQ(made.total, static_cast<uint64_t>(std::round(before.total * factor)));
        std::ranges::sort(entries, {}, &SampleEntry::key);
        const size_t first = random() % 300, end = first + random() % (301 - first);
        long double due = 0, given = 0;
        for (size_t i = 0; i < 300; ++i) {
            ASSERT_EQ(made.entries[i].key, i);
            ASSERT_GE(made.entries[i].count, entries[i].count) << "never less than there were";
            if (i < first || i >= end) continue;
            due += entries[i].count * factor;
            given += made.entries[i].count;
        }
        EXPECT_LE(std::abs(due - given), 1.000001L);
    }
}

TEST(EventScale, numbers_saturate) {
    SampleFileContent made = content({{1, UINT32_MAX}, {2, UINT32_MAX}, {3, 1}});
    scale_counts(made, {UINT64_MAX, 1});
    EXPECT_EQ(made.total, UINT64_MAX);
    for (const SampleEntry& entry : made.entries)
        EXPECT_EQ(entry.count, UINT64_MAX);
}

TEST(EventScale, no_samples_stay_no_samples) {
    SampleFileContent made;
    scale_counts(made, {200, 100});
    EXPECT_EQ(made.total, 0u);
    EXPECT_TRUE(made.entries.empty());
    EXPECT_EQ(scaled({{1, 0}, {2, 4}}, {200, 100}), (std::vector<SampleEntry>{{1, 0}, {2, 8}}));
}

TEST(EventScale, the_event_is_known_by_name_count_and_unit_mask) {
    std::vector<RecordedEvent> events{{"E", 0, 100}, {"E", 0, 200}, {"E", 0, 100, 1}, {"F", 0, 100}};
    for (size_t i = 0; i < events.size(); ++i)
        events[i].time = {10 * (i + 1), i + 1};
    EXPECT_EQ(counted_time(events, name("E", 100)), (CountedTime{10, 1}));
    EXPECT_EQ(counted_time(events, name("E", 200)), (CountedTime{20, 2}));
    EXPECT_EQ(counted_time(events, name("E", 100, 1)), (CountedTime{30, 3}));
    EXPECT_EQ(counted_time(events, name("G", 100)), CountedTime{});
}

TEST(EventScale, events_that_differ_in_their_modes_only_are_scaled_together) {
    RecordedEvent user{"E", 0, 100, 0, false, true}, kernel{"E", 0, 100, 0, true, false};
    user.time = {100, 40};
    kernel.time = {100, 20};
    EXPECT_EQ(counted_time(std::vector{user, kernel}, name("E", 100)), (CountedTime{200, 60}));
}

}  // namespace op::pp
