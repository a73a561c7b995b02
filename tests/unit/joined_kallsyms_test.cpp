// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/symbols/joined_kallsyms.h"

#include <gtest/gtest.h>

namespace op::pp {
namespace {

SessionInfo booted(uint64_t kernel, const std::string& build_id, uint64_t module = 0) {
    SessionInfo info;
    info.kernel_images.push_back({"/proc/kallsyms", kernel, 0x1000, build_id});
    if (module != 0) info.kernel_images.push_back({"ext4", module, 0x100, "e4"});
    return info;
}

}  // namespace

TEST(JoinedKallsyms, are_the_text_itself_of_one_session) {
    EXPECT_EQ(join_kallsyms({{"", {}}, {"1000 T a\n", booted(0x1000, "aa")}}, booted(0x2000, "aa")),
              "1000 T a\n");
    EXPECT_EQ(join_kallsyms({}, {}), "");
}

TEST(JoinedKallsyms, have_the_lines_of_every_session_where_the_last_one_had_them) {
    EXPECT_EQ(join_kallsyms({{"1010 T a\nc010 t x\t[ext4]\n", booted(0x1000, "aa", 0xc000)},
                             {"2020 T b\nd020 t y\t[ext4]\n", booted(0x2000, "aa", 0xd000)}},
                            booted(0x2000, "aa", 0xd000)),
              "2010 T a\nd010 t x\t[ext4]\n2020 T b\nd020 t y\t[ext4]\n");
}

TEST(JoinedKallsyms, are_of_one_build) {
    EXPECT_EQ(join_kallsyms({{"1010 T a\n", booted(0x1000, "aa")}, {"2020 T b\n", booted(0x2000, "bb")}},
                            booted(0x2000, "bb")),
              "2020 T b\n");
}

}  // namespace op::pp
