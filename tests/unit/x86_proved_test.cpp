// SPDX-License-Identifier: GPL-2.0-or-later
// Which processors the list of proved ones has.
#include "kernel/op_x86_proved.h"

#include <gtest/gtest.h>

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

TEST(X86Proved, no_processor_is_proved_yet) {
    for (unsigned vendor = 0; vendor < 12; vendor++)
        for (unsigned family = 0; family < 0x20; family++)
            for (unsigned model = 0; model < 0x100; model++)
                EXPECT_FALSE(op_x86_is_listed(op_x86_proved_list, vendor, family, model));
}

}  // namespace
