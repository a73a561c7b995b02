// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/session/ledger.h"

#include <gtest/gtest.h>

#include <set>

namespace op {

TEST(Ledger, is_balanced_when_every_sample_is_stored_or_lost) {
    Ledger ledger;
    EXPECT_TRUE(ledger.balanced());
    ledger.add_sampled(10);
    ledger.add_stored(7);
    EXPECT_FALSE(ledger.balanced());
    ledger.add_lost(LossCause::no_mapping, 0, 2);
    ledger.add_lost(LossCause::guest, 5, 1);
    EXPECT_TRUE(ledger.balanced());
}

TEST(Ledger, losses_add_up_by_cause_over_processors) {
    Ledger ledger;
    ledger.add_lost(LossCause::no_mapping, 0, 2);
    ledger.add_lost(LossCause::no_mapping, 3, 5);
    ledger.add_lost(LossCause::no_mapping, 3, 1);
    ledger.add_lost(LossCause::kernel_buffer, 3, 100);
    EXPECT_EQ(ledger.lost(LossCause::no_mapping), 8u);
    EXPECT_EQ(ledger.lost(LossCause::guest), 0u);
    EXPECT_EQ(ledger.lost(), 108u);
    EXPECT_EQ(ledger.losses().at({LossCause::no_mapping, 3}), 6u);
}

TEST(Ledger, losing_nothing_leaves_no_trace) {
    Ledger ledger;
    ledger.add_lost(LossCause::guest, 0, 0);
    EXPECT_TRUE(ledger.losses().empty());
}

TEST(Ledger, merge_adds_every_number) {
    Ledger a, b;
    a.add_sampled(3);
    a.add_stored(1);
    a.add_lost(LossCause::guest, 0, 2);
    b.add_sampled(5);
    b.add_stored(1);
    b.add_lost(LossCause::guest, 0, 3);
    b.add_lost(LossCause::saturated, 1, 1);
    a.merge(b);
    EXPECT_EQ(a.sampled(), 8u);
    EXPECT_EQ(a.stored(), 2u);
    EXPECT_EQ(a.lost(LossCause::guest), 5u);
    EXPECT_TRUE(a.balanced());
}

TEST(Ledger, numbers_saturate_instead_of_wrapping) {
    constexpr uint64_t most = ~uint64_t{0};
    Ledger ledger;
    ledger.add_stored(most);
    ledger.add_stored(1);
    EXPECT_EQ(ledger.stored(), most);
    ledger.add_lost(LossCause::guest, 0, most);
    ledger.add_lost(LossCause::guest, 0, most);
    ledger.add_lost(LossCause::guest, 1, most);
    EXPECT_EQ(ledger.lost(LossCause::guest), most);
    EXPECT_EQ(ledger.lost(), most);
}

TEST(LossCause, every_cause_has_a_name_of_its_own_and_a_text) {
    std::set<std::string_view> names, texts;
    for (int i = 0; i < loss_causes; ++i) {
        const auto cause = static_cast<LossCause>(i);
        EXPECT_TRUE(names.insert(loss_name(cause)).second);
        EXPECT_TRUE(texts.insert(loss_text(cause)).second);
        EXPECT_EQ(parse_loss_name(loss_name(cause)), cause);
    }
    EXPECT_EQ(loss_name(LossCause::no_mapping), "no_mapping");
    EXPECT_EQ(loss_name(LossCause::damaged_stream), "damaged_stream");
    EXPECT_EQ(parse_loss_name("nonsense"), std::nullopt);
    EXPECT_EQ(parse_loss_name(""), std::nullopt);
}

}  // namespace op
