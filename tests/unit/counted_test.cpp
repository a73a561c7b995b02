// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/base/counted.h"

#include <gtest/gtest.h>

namespace op {

TEST(Counted, has_the_singular_of_one_alone) {
    EXPECT_EQ(counted(0, "sample"), "0 samples");
    EXPECT_EQ(counted(1, "sample"), "1 sample");
    EXPECT_EQ(counted(1, "entry is used", "entries are used"), "1 entry is used");
    EXPECT_EQ(counted(2, "entry is used", "entries are used"), "2 entries are used");
}

}  // namespace op
