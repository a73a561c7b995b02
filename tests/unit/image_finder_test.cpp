// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/symbols/image_finder.h"

#include <gtest/gtest.h>

#include "libop/base/error.h"
#include "tests/unit/temp_dir.h"

namespace op::pp {

TEST(ImageFinder, archive_comes_before_root_and_both_shut_out_this_machine) {
    const test::TempDir dir;
    dir.write("archive/bin/a", "");
    dir.write("root/bin/a", "");
    dir.write("root/bin/b", "");
    const std::string own = dir.write("own", "");
    Diagnostics notes;
    const ImageFinder finder({dir / "archive", dir / "root", {}});
    EXPECT_EQ(finder.find("/bin/a", notes), dir / "archive/bin/a");
    EXPECT_EQ(finder.find("/bin/b", notes), dir / "root/bin/b");
    EXPECT_EQ(finder.find(own, notes), std::nullopt);
    EXPECT_EQ(ImageFinder(ImageSearch{}).find(own, notes), own);
}

TEST(ImageFinder, image_paths_are_searched_with_all_below_by_base_name) {
    const test::TempDir dir;
    dir.write("images/deep/down/tool", "");
    Diagnostics notes;
    const ImageFinder finder({"", "", {dir / "images"}});
    EXPECT_EQ(finder.find("/gone/tool", notes), dir / "images/deep/down/tool");
    EXPECT_EQ(finder.find("/gone/other", notes), std::nullopt);
    EXPECT_TRUE(notes.warnings().empty());
}

TEST(ImageFinder, two_files_of_one_name_are_reported_and_not_used) {
    const test::TempDir dir;
    dir.write("images/1/tool", "");
    dir.write("images/2/tool", "");
    Diagnostics notes;
    EXPECT_EQ(ImageFinder({"", "", {dir / "images"}}).find("/gone/tool", notes), std::nullopt);
    EXPECT_EQ(notes.warnings().size(), 1u);
}

TEST(ImageFinder, two_names_of_one_file_are_one) {
    const test::TempDir dir;
    const std::string tool = dir.write("images/1/tool", "");
    std::filesystem::create_directory(dir / "images/2");
    std::filesystem::create_symlink(tool, dir / "images/2/tool");
    std::filesystem::create_directory_symlink(dir / "images", dir / "images/2/loop");
    Diagnostics notes;
    EXPECT_EQ(ImageFinder({"", "", {dir / "images"}}).find("/gone/tool", notes), tool);
    EXPECT_TRUE(notes.warnings().empty());
}

TEST(ImageFinder, modules_are_found_by_name_whatever_their_dashes_and_compression) {
    const test::TempDir dir;
    dir.write("lib/modules/6.1/kernel/net/nf-tables.ko.xz", "");
    Diagnostics notes;
    const ImageFinder finder({"", dir.path(), {}}, "6.1");
    EXPECT_EQ(finder.find("nf_tables", notes), dir / "lib/modules/6.1/kernel/net/nf-tables.ko.xz");
    EXPECT_EQ(finder.find("ext4", notes), std::nullopt);
}

TEST(ImageFinder, an_image_path_that_is_no_directory_is_a_usage_error) {
    EXPECT_THROW(ImageFinder({"", "", {"/no/such/directory"}}), Error);
}

}  // namespace op::pp
