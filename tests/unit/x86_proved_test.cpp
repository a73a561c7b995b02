// SPDX-License-Identifier: GPL-2.0-or-later
// Which processors the list of proved ones has.
#include "kernel/op_x86_proved.h"

#include <gtest/gtest.h>

#include <iterator>

namespace {

constexpr unsigned intel = 0;  // X86_VENDOR_INTEL
constexpr unsigned amd = 2;    // X86_VENDOR_AMD

constexpr op_x86_processors list[] = {{intel, 6, 0x8c, 0x8d}, {amd, 0x19, 0x61, 0x61}, {0, 0, 0, 0}};

TEST(X86Proved, a_processor_is_listed_by_vendor_family_and_model) {
    EXPECT_TRUE(op_x86_is_listed(list, intel, 6, 0x8c));
    EXPECT_TRUE(op_x86_is_listed(list, intel, 6, 0x8d));
    EXPECT_TRUE(op_x86_is_listed(list, amd, 0x19, 0x61));
    EXPECT_FALSE(op_x86_is_listed(list, intel, 6, 0x8b));
    EXPECT_FALSE(op_x86_is_listed(list, intel, 6, 0x8e));
    EXPECT_FALSE(op_x86_is_listed(list, amd, 6, 0x8c));
    EXPECT_FALSE(op_x86_is_listed(list, intel, 0x19, 0x61));
}

TEST(X86Proved, the_lists_end_has_no_processor) {
    EXPECT_FALSE(op_x86_is_listed(list, 0, 0, 0));
}

TEST(X86Proved, ranges_of_the_list_are_in_order_and_it_ends) {
    const auto last = std::end(op_x86_proved_list) - 1;
    EXPECT_EQ(last->family, 0u);
    for (const op_x86_processors* row = op_x86_proved_list; row != last; row++) {
        EXPECT_NE(row->family, 0u);
        EXPECT_LE(row->first_model, row->last_model);
    }
}

}  // namespace
