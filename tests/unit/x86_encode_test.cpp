// SPDX-License-Identifier: GPL-2.0-or-later
// The words the driver writes into x86 event select and counter registers, against the vendors' figures.
#include "kernel/op_x86_encode.h"

#include <gtest/gtest.h>

namespace {

constexpr op_u64 all_ones = ~op_u64{0};
constexpr unsigned zen = 0x17;
constexpr unsigned k8 = 0xf;

op_x86_settings both_modes(op_u64 event, op_u64 unit_mask) {
    op_x86_settings settings{};
    settings.event = event;
    settings.unit_mask = unit_mask;
    settings.kernel = 1;
    settings.user = 1;
    return settings;
}

op_u64 intel(const op_x86_settings& settings) {
    const auto layout = op_x86_layout_intel();
    return op_x86_select_word(&layout, &settings);
}

op_u64 amd(const op_x86_settings& settings, unsigned family = zen) {
    const auto layout = op_x86_layout_amd(family);
    return op_x86_select_word(&layout, &settings);
}

TEST(X86Select, event_and_unit_mask_are_in_the_low_16_bits) {
    EXPECT_EQ(intel(both_modes(0x3c, 0)), 0x13003Cu);
    EXPECT_EQ(intel(both_modes(0x2e, 0x41)), 0x13412Eu);
    EXPECT_EQ(amd(both_modes(0x76, 0)), 0x130076u);
}

TEST(X86Select, user_is_bit_16_and_kernel_bit_17) {
    auto settings = both_modes(0x3c, 0);
    settings.kernel = 0;
    EXPECT_EQ(intel(settings), 0x11003Cu);
    settings.kernel = 1;
    settings.user = 0;
    EXPECT_EQ(intel(settings), 0x12003Cu);
    settings.kernel = 0;
    EXPECT_EQ(amd(settings), 0x10003Cu);
}

TEST(X86Select, extra_gives_edge_invert_and_counter_mask) {
    auto settings = both_modes(0xc0, 1);
    settings.extra = 0x40000;
    EXPECT_EQ(intel(settings), 0x1701C0u);
    settings.extra = 0x800000;
    EXPECT_EQ(intel(settings), 0x9301C0u);
    settings.extra = 0x0A000000;
    EXPECT_EQ(amd(settings), 0x0A1301C0u);
}

TEST(X86Select, extra_changes_nothing_else) {
    auto settings = both_modes(0xc0, 1);
    settings.extra = all_ones;
    EXPECT_EQ(intel(settings), 0xFF9701C0u);
    EXPECT_EQ(amd(settings), 0xFF9701C0u);
}

TEST(X86Select, amd_event_bits_8_to_11_are_in_bits_32_to_35) {
    EXPECT_EQ(amd(both_modes(0x1C7, 0x02)), 0x1001302C7u);
    EXPECT_EQ(amd(both_modes(0xF76, 0xFF)), 0xF0013FF76u);
    EXPECT_EQ(amd(both_modes(0x1076, 0)), 0x130076u);
}

TEST(X86Select, intel_events_have_8_bits) {
    EXPECT_EQ(intel(both_modes(0x13C, 0)), 0x13003Cu);
}

TEST(X86Select, settings_beyond_their_bits_reach_no_other_field) {
    EXPECT_EQ(intel(both_modes(all_ones, all_ones)), 0x13FFFFu);
    EXPECT_EQ(amd(both_modes(all_ones, all_ones)), 0xF0013FFFFu);
}

TEST(X86Select, nothing_else_is_set) {
    op_x86_settings all{all_ones, all_ones, all_ones, all_ones, all_ones, 0};
    EXPECT_EQ(intel(all), 0xFF97FFFFu) << "no bit of ANY, PIN, ENABLE, IN_TX, UMASK2, EQ";
    EXPECT_EQ(amd(all), 0xFFF97FFFFu) << "neither reserved nor guest bits";
    EXPECT_EQ(intel({}), OP_X86_INT);
    EXPECT_EQ(amd({}), OP_X86_INT);
}

TEST(X86Select, amd_can_leave_out_guests_from_family_10h_on) {
    auto settings = both_modes(0x76, 0);
    settings.host_only = 1;
    EXPECT_EQ(amd(settings), 0x20000130076u);
    EXPECT_EQ(amd(settings, 0x10), 0x20000130076u);
    EXPECT_EQ(amd(settings, k8), 0x130076u);
    EXPECT_EQ(intel(settings), 0x130076u);
}

TEST(X86Select, enable_is_bit_22_and_not_in_the_word) {
    EXPECT_EQ(OP_X86_ENABLE, op_u64{1} << 22);
    EXPECT_EQ(intel(both_modes(all_ones, all_ones)) & OP_X86_ENABLE, 0u);
    EXPECT_EQ(amd(both_modes(all_ones, all_ones)) & OP_X86_ENABLE, 0u);
}

TEST(X86Counter, starts_at_minus_count_in_its_width) {
    EXPECT_EQ(op_x86_counter_start(100000, 32), 0xFFFE7960u);
    EXPECT_EQ(op_x86_counter_start(100000, 40), 0xFFFFFE7960u);
    EXPECT_EQ(op_x86_counter_start(100000, 48), 0xFFFFFFFE7960u);
    EXPECT_EQ(op_x86_counter_start(1, 64), all_ones);
    EXPECT_EQ(op_x86_counter_start(0x7FFFFFFF, 32), 0x80000001u);
}

TEST(X86Counter, has_overflowed_when_its_top_bit_is_clear) {
    for (const unsigned width : {32u, 40u, 48u, 64u}) {
        const auto start = op_x86_counter_start(500, width);
        EXPECT_FALSE(op_x86_counter_overflowed(start, width));
        EXPECT_FALSE(op_x86_counter_overflowed(start + 499, width));
        EXPECT_TRUE(op_x86_counter_overflowed((start + 500) & op_x86_counter_mask(width), width));
        EXPECT_TRUE(op_x86_counter_overflowed(12345, width));
    }
}

}  // namespace
