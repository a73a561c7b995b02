// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/slice_account.h"

#include <gtest/gtest.h>

#include "fleet/function_counts.h"
#include "fleet/sample_source.h"

namespace op::fleet {
namespace {

TEST(SliceAccount, names_what_is_missing) {
    SliceAccount account;
    account.slices = 7;
    account.unsealed = 2;
    account.sampled = 1000;
    account.lost = 10;
    account.lost_by = {{"overflow", 3}, {"no_mapping", 7}};
    account.enabled_ns = 100;
    account.running_ns = 50;
    account.throttled = 1;
    EXPECT_EQ(account_remarks(account),
              (std::vector<std::string>{
                  "2 slices are not complete, of 7: there may be more samples",
                  "10 samples were lost while recording, 1 %: no_mapping 7, overflow 3",
                  "the event was counted for 50 % of the time; samples are as they were taken",
                  "the kernel held the event back in 1 slice"}));
}

TEST(SliceAccount, without_faults_has_no_remarks) {
    SliceAccount account;
    account.slices = 7;
    account.sampled = 1'000'000;
    account.lost = 1;
    account.enabled_ns = account.running_ns = 1'000'000;
    EXPECT_TRUE(account_remarks(account).empty());
}

TEST(AverageCores, are_known_of_clocks_and_cycles) {
    SliceAccount account;
    account.hosts = 2;
    account.wall_ms = 20'000;  // ten seconds each
    EXPECT_DOUBLE_EQ(*average_cores(10'000, {1, "TIMER", 1'000'000, 0, true, true}, account), 1.0);
    const FleetEvent cycles{1, "CPU_CLK_UNHALTED", 100'000, 0, true, true};
    EXPECT_FALSE(average_cores(1, cycles, account));  // of no known speed
    account.mhz = 1000;
    EXPECT_DOUBLE_EQ(*average_cores(200'000, cycles, account), 2.0);
    EXPECT_FALSE(average_cores(1, {1, "LLC_MISSES", 100'000, 0, true, true}, account));
    account.wall_ms = 0;
    EXPECT_FALSE(average_cores(1, cycles, account));
}

TEST(CountersText, merges_rows_of_days_that_are_not_merged) {
    Chosen chosen;
    chosen.from = *parse_day("2026-11-24");
    chosen.until = *parse_day("2026-11-25");
    const std::string where = " WHERE day >= '2026-11-24' AND day <= '2026-11-25'";
    EXPECT_EQ(counters_text("samples", "hits", chosen, {}), "(SELECT hits FROM samples FINAL" + where + ")");
    EXPECT_EQ(counters_text("samples", "hits", chosen, {chosen.from, chosen.until}),
              "(SELECT hits FROM samples" + where + ")");
    EXPECT_EQ(counters_text("samples", "hits", chosen, {chosen.until}),
              "(SELECT hits FROM samples FINAL" + where +
                  " AND day NOT IN ('2026-11-25') UNION ALL SELECT hits FROM samples" + where +
                  " AND day IN ('2026-11-25'))");
}

TEST(FunctionFiles, of_one_base_name_are_one) {
    const FleetImages images({{5, {.build_id = "aa", .paths = {"/opt/app-1/app"}}},
                              {6, {.build_id = "bb", .paths = {"/opt/app-2/app"}}},
                              {7, {.build_id = "cc", .paths = {"/lib/libc.so.6"}}}});
    const FunctionFiles files(images);
    EXPECT_EQ(files.path(0), "/opt/app-1/app");
    EXPECT_EQ(files.path(1), "/lib/libc.so.6");
    EXPECT_EQ(files.images({{{0, 1}, 10}}), (std::vector<uint64_t>{5, 6}));
    EXPECT_EQ(files.table().rows.rows(), 3u);
}

}  // namespace
}  // namespace op::fleet
