// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/source_finder.h"

#include <gtest/gtest.h>

#include "tests/unit/temp_dir.h"

namespace op::tool {

namespace {

/// The content of the source found; "none" if none is.
std::string found(const SourceFinder& finder, const std::string& recorded) {
    const auto source = finder.read(recorded);
    return source ? source->text : "none";
}

}  // namespace

TEST(SourceFinder, looks_for_the_whole_path_first_and_for_ends_of_it_last) {
    const test::TempDir dir;
    const std::string recorded = dir.write("build/a/x.c", "recorded");
    dir.write("tree/x.c", "last name");
    const SourceFinder finder("", {dir / "absent", dir / "tree"}, {});
    EXPECT_EQ(found(finder, recorded), "recorded");
    dir.write("tree" + recorded, "whole path");
    EXPECT_EQ(found(finder, recorded), "whole path");
    EXPECT_EQ(found(finder, "/gone/a/x.c"), "last name");
    dir.write("tree/a/x.c", "two names");
    EXPECT_EQ(found(finder, "/gone/a/x.c"), "two names");
    EXPECT_EQ(found(finder, "x.c"), "last name");
    EXPECT_EQ(found(finder, "/gone/y.c"), "none");
}

TEST(SourceFinder, strips_base_directories) {
    const test::TempDir dir;
    dir.write("tree/a/x.c", "stripped");
    dir.write("tree/x.c", "last name");
    EXPECT_EQ(found(SourceFinder("", {dir / "tree"}, {"/build/"}), "/build/a/x.c"), "stripped");
}

TEST(SourceFinder, does_not_leave_the_search_directories_by_an_end_of_a_path) {
    const test::TempDir dir;
    dir.write("secret.c", "outside");
    dir.write("tree/z", "");
    dir.write("tree/a/y.c", "");
    for (const char* path : {"/gone/../secret.c", "../secret.c", "/b/a/../../../secret.c"})
        EXPECT_EQ(found(SourceFinder("", {dir / "tree"}, {}), path), "none") << path;
}

}  // namespace op::tool
