// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/symbols/packages.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/temp_dir.h"

namespace op::pp {

namespace {

using Paths = std::vector<std::string>;
using Found = std::map<std::string, std::string>;

}  // namespace

TEST(Packages, are_found_by_the_files_that_dpkg_lists) {
    const test::TempDir root;
    root.write("var/lib/dpkg/info/perl-base.list", "/.\n/usr\n/usr/bin\n/usr/bin/perl\n");
    root.write("var/lib/dpkg/info/libc6:amd64.list", "/lib/x86_64-linux-gnu/libc.so.6\n");
    root.write("var/lib/dpkg/info/other.md5sums", "0  usr/bin/own\n");
    const Paths paths{"/usr/bin/perl", "/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/bin/own", "/usr/bin/per"};
    EXPECT_EQ(owning_packages(root.path(), paths),
              (Found{{"/usr/bin/perl", "perl-base"}, {"/usr/lib/x86_64-linux-gnu/libc.so.6", "libc6"}}));
}

TEST(Packages, are_none_where_there_is_no_database) {
    const test::TempDir root;
    EXPECT_EQ(owning_packages(root.path(), Paths{"/usr/bin/perl"}), Found{});
    root.write("var/lib/dpkg/info", "not a directory");
    EXPECT_EQ(owning_packages(root.path(), Paths{"/usr/bin/perl"}), Found{});
}

TEST(Packages, are_found_beside_a_link_that_loops) {
    const test::TempDir root;
    root.write("var/lib/dpkg/info/perl-base.list", "/usr/bin/perl\n");
    std::filesystem::create_symlink("loop.list", root / "var/lib/dpkg/info/loop.list");
    std::filesystem::create_symlink("nowhere", root / "var/lib/dpkg/info/dangling.list");
    EXPECT_EQ(owning_packages(root.path(), Paths{"/usr/bin/perl"}), (Found{{"/usr/bin/perl", "perl-base"}}));
}

TEST(Packages, of_lists_without_end_are_read_in_part) {
    const test::TempDir root;
    const auto write_list = [&](const std::string& name, size_t hole, const std::string& path) {
        const std::string list = root.write("var/lib/dpkg/info/" + name + ".list", "");
        std::filesystem::resize_file(list, hole);
        std::ofstream(list, std::ios::app) << "\n" << path << "\n";
    };
    constexpr size_t mib = 1 << 20;
    write_list("a", 15 * mib, "/bin/near");
    write_list("b", 17 * mib, "/bin/far");
    root.write("var/lib/dpkg/info/c.list", "/bin/next\n");
    for (int i = 0; i < 16; ++i)
        write_list("d" + std::to_string(i), 17 * mib, "/bin/far");
    root.write("var/lib/dpkg/info/e.list", "/bin/last\n");
    EXPECT_EQ(owning_packages(root.path(), Paths{"/bin/near", "/bin/far", "/bin/next", "/bin/last"}),
              (Found{{"/bin/near", "a"}, {"/bin/next", "c"}}));
}

TEST(Packages, of_debug_symbols_are_named_as_the_distribution_does) {
    EXPECT_EQ(debug_package("perl"), "perl-dbgsym");
    EXPECT_EQ(debug_package("libc6"), "libc6-dbg");
    EXPECT_EQ(debug_package("linux-image-6.1.0-18-amd64"), "linux-image-6.1.0-18-amd64-dbg");
}

}  // namespace op::pp
