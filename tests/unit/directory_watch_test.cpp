// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/optop/directory_watch.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/temp_dir.h"

namespace op::tool {

TEST(DirectoryWatch, reports_entries_that_come_and_go_once) {
    const test::TempDir dir;
    dir.write("a/first", "");
    dir.write("b/first", "");
    DirectoryWatch watch;
    const Fd a(::open((dir / "a").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
        b(::open((dir / "b").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const int first = watch.add(a), second = watch.add(b);
    if (first == DirectoryWatch::none) GTEST_SKIP() << "this directory cannot be watched";
    EXPECT_EQ(watch.add(a), first);
    EXPECT_NE(first, second);
    watch.update();
    EXPECT_FALSE(watch.has_changed(first));
    dir.write("a/second", "");
    watch.update();
    EXPECT_TRUE(watch.has_changed(first));
    EXPECT_FALSE(watch.has_changed(second));
    dir.write("a/second", "more");  // an entry changes, the directory does not
    watch.update();
    EXPECT_FALSE(watch.has_changed(first));
    std::filesystem::remove(dir / "a/second");
    std::filesystem::remove_all(dir / "b");
    watch.update();
    EXPECT_TRUE(watch.has_changed(first));
    EXPECT_TRUE(watch.has_changed(second));
}

}  // namespace op::tool
