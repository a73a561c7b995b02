// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/session/session_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/faults.h"

namespace op {

namespace {

using test::contains;

}  // namespace

TEST(SessionStatistics, abi_has_every_key_of_this_machine) {
    const std::string text = abi_text();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 31);
    if constexpr (sizeof(void*) == 8) {
        for (const char* line :
             {"sizeof_double 8\n", "sizeof_u8 1\n", "sizeof_odb_descr_t 32\n", "sizeof_odb_node_t 16\n",
              "offsetof_node_value 8\n", "offsetof_node_next 12\n", "offsetof_descr_current_size 4\n",
              "offsetof_header_is_kernel 24\n", "offsetof_header_cpu_speed 32\n",
              "offsetof_header_mtime 40\n", "offsetof_header_cg_to_is_kernel 48\n",
              "offsetof_header_anon_start 56\n", "offsetof_header_cg_to_anon_start 64\n"})
            EXPECT_TRUE(contains(text, line)) << line;
    }
}

TEST(SessionStatistics, every_loss_but_the_requested_ones_is_in_some_counter) {
    for (int i = 0; i < loss_causes; ++i) {
        SessionInfo info;
        info.ledger.add_sampled(3);
        info.ledger.add_lost(static_cast<LossCause>(i), 0, 3);
        uint64_t sum = 0;
        for (const auto& [name, n] : statistics(info))
            sum += n;
        EXPECT_EQ(sum, is_unwanted(static_cast<LossCause>(i)) ? 0u : 6u) << i;
    }
}

TEST(SessionStatistics, lost_records_of_processes_are_in_the_account_and_in_no_counter_of_samples) {
    SessionInfo info;
    EXPECT_TRUE(side_band_notes(info).empty());
    EXPECT_FALSE(contains(account_text(info), "processes and mappings"));
    info.side_band_lost = 923275;
    info.unsure_samples = 12;
    ASSERT_EQ(side_band_notes(info).size(), 1u);
    const std::string note = side_band_notes(info)[0];
    EXPECT_TRUE(note.starts_with("923275 records of processes and mappings were lost or damaged: "));
    EXPECT_TRUE(note.ends_with("; 12 samples may be under what their process was before"));
    info.unsure_samples = 0;
    EXPECT_TRUE(side_band_notes(info)[0].ends_with("; no sample is in doubt for it"));
    info.mappings_left_out = 7;
    ASSERT_EQ(side_band_notes(info).size(), 2u);
    EXPECT_TRUE(side_band_notes(info)[1].starts_with("7 mappings were left out"));
    EXPECT_TRUE(contains(account_text(info), "mappings left out: 7\n"));
    EXPECT_TRUE(contains(account_text(info), "records of processes and mappings lost: 923275\n"));
    for (const auto& [name, n] : statistics(info))
        EXPECT_EQ(n, 0u) << name;
}

TEST(SessionStatistics, stacks_without_room_are_in_the_account_and_noted_where_there_are_some) {
    SessionInfo info;
    info.stacks = {.complete = 90, .incomplete = {{"dump_short", 8}}};
    EXPECT_TRUE(stack_loss_notes(info.stacks).empty());
    EXPECT_FALSE(contains(account_text(info), "call stacks cut"));
    EXPECT_TRUE(contains(account_text(info), "call stacks: 98\ncall stacks complete: 90\n"));
    info.stacks.cut = 3;
    ASSERT_EQ(stack_loss_notes(info.stacks).size(), 1u);
    EXPECT_TRUE(stack_loss_notes(info.stacks)[0].starts_with("3 of 98 call stacks were cut: "));
    info.stacks.lost = 2;
    ASSERT_EQ(stack_loss_notes(info.stacks).size(), 2u);
    EXPECT_TRUE(stack_loss_notes(info.stacks)[1].starts_with("2 of 100 call stacks were lost: "));
    EXPECT_TRUE(contains(account_text(info), "call stacks cut: 3\ncall stacks lost: 2\n"));
}

TEST(SessionStatistics, missed_periods_are_in_the_account_and_noted_from_one_in_a_hundred) {
    SessionInfo info;
    info.ledger.add_sampled(9900);
    EXPECT_FALSE(missed_periods_note(info));
    EXPECT_FALSE(contains(account_text(info), "without a sample"));
    info.missed_periods = 98;
    EXPECT_FALSE(missed_periods_note(info));
    EXPECT_TRUE(contains(account_text(info), "timer periods without a sample: 98\n"));
    info.missed_periods = 100;
    ASSERT_TRUE(missed_periods_note(info));
    EXPECT_TRUE(missed_periods_note(info)->starts_with("100 of 10000 periods of the timer ended without"));
}

}  // namespace op
