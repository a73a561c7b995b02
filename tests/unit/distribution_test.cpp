// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/symbols/distribution.h"

#include <gtest/gtest.h>

#include "tests/unit/temp_dir.h"

namespace op::pp {
namespace {

constexpr const char* bookworm =
    "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_CODENAME=bookworm\nID=debian\n";

TEST(Distribution, has_an_archive_of_debug_packages_and_a_server) {
    const test::TempDir root;
    root.write("etc/os-release", bookworm);
    EXPECT_EQ(find_distribution(root.path()),
              (Distribution{"archive debian-debug, suite bookworm-debug", "https://debuginfod.debian.net"}));
}

TEST(Distribution, is_read_where_the_vendor_has_put_it_and_without_quotes) {
    const test::TempDir root;
    root.write("usr/lib/os-release", "ID=\"ubuntu\"\nVERSION_CODENAME='noble'\n");
    EXPECT_EQ(find_distribution(root.path()),
              (Distribution{"archive ddebs, suite noble", "https://debuginfod.ubuntu.com"}));
}

TEST(Distribution, of_another_name_or_of_none_is_unknown) {
    const test::TempDir root;
    EXPECT_EQ(find_distribution(root.path()), Distribution{});
    root.write("etc/os-release", "ID=other\nVERSION_CODENAME=x\n");
    EXPECT_EQ(find_distribution(root.path()), Distribution{});
    root.write("etc/os-release", "ID=debian\nVERSION_CODENAME=\"a; rm b\"\n");
    EXPECT_EQ(find_distribution(root.path()), (Distribution{"", "https://debuginfod.debian.net"}));
}

TEST(Distribution, of_what_is_no_regular_file_or_too_large_is_unknown) {
    const test::TempDir root;
    root.write("etc/os-release/x", "a directory");
    EXPECT_EQ(find_distribution(root.path()), Distribution{});
    const test::TempDir large;
    large.write("etc/os-release", bookworm + std::string(65536, '\n'));
    EXPECT_EQ(find_distribution(large.path()), Distribution{});
}

}  // namespace
}  // namespace op::pp
