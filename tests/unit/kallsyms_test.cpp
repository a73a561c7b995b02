// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/base/kallsyms.h"

#include <gtest/gtest.h>

namespace op {

TEST(Kallsyms, a_line_gives_its_parts) {
    const auto line = parse_kallsyms_line("ffffffffc0800010 t open_it\t[ext4]");
    ASSERT_TRUE(line);
    EXPECT_EQ(line->address, 0xffffffffc0800010u);
    EXPECT_EQ(line->name, "open_it");
    EXPECT_EQ(line->module, "ext4");
    EXPECT_TRUE(line->is_text());
    EXPECT_FALSE(parse_kallsyms_line("ffffffff82000000 D data")->is_text());
    EXPECT_TRUE(parse_kallsyms_line("ffffffff81000020 W weak")->is_text());
}

TEST(Kallsyms, hidden_addresses_and_noise_are_no_lines) {
    for (const char* text : {"", "0000000000000000 T hidden", "noise", "ffffffff81000000",
                             "ffffffff81000000 TT x", "ffffffff81000000 T"})
        EXPECT_FALSE(parse_kallsyms_line(text)) << text;
}

}  // namespace op
