// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/source/cpu_list.h"

#include <gtest/gtest.h>

namespace op::collect {

using Cpus = std::vector<uint32_t>;

TEST(CpuList, holds_numbers_and_ranges) {
    EXPECT_EQ(parse_cpu_list("3"), (Cpus{3}));
    EXPECT_EQ(parse_cpu_list("0-2,5"), (Cpus{0, 1, 2, 5}));
}

TEST(CpuList, each_cpu_counts_once_and_in_order) {
    EXPECT_EQ(parse_cpu_list("5,0-2,1-3"), (Cpus{0, 1, 2, 3, 5}));
}

TEST(CpuList, malformed_lists_are_refused) {
    for (const char* text : {"", ",", "a", "1-", "-1", "3-1", "1,,2", "0-99999999999", "1 2"})
        EXPECT_EQ(parse_cpu_list(text), std::nullopt) << text;
}

TEST(CpuList, some_cpu_is_on) {
    EXPECT_FALSE(online_cpus().empty());
}

}  // namespace op::collect
