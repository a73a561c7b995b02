// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/limit_note.h"

#include <gtest/gtest.h>

#include "libop/session/sample_path.h"

namespace op::collect {
namespace {

using Paths = std::vector<std::string>;

void add(Paths& paths, const std::string& app, const std::string& image, uint32_t tid = 1) {
    paths.push_back(mangle({.app = {ImageName::Kind::file, app},
                            .image = {ImageName::Kind::file, image},
                            .callee = {},
                            .event = "TIMER",
                            .count = 1,
                            .tgid = tid,
                            .tid = tid,
                            .cpu = {}}));
}

TEST(LimitNote, has_the_program_that_most_sample_files_are_of) {
    Paths paths;
    for (uint32_t tid = 1; tid <= 700; ++tid)
        add(paths, "/usr/bin/server", "/usr/bin/server", tid);
    for (int i = 0; i < 300; ++i)
        add(paths, "/tmp/p" + std::to_string(i), "/lib/libc.so.6");
    EXPECT_EQ(what_fills(paths), "limits on images: 700 of 1000 sample files are of /usr/bin/server");
}

TEST(LimitNote, has_the_directory_of_programs_or_images_that_come_as_new_files) {
    Paths programs, images;
    for (int i = 0; i < 1000; ++i) {
        add(programs, "/tmp/b/p" + std::to_string(i), "/lib/libc.so.6");
        add(images, "/usr/bin/p" + std::to_string(i % 3) + "/q", "/tmp/plugins/" + std::to_string(i));
    }
    EXPECT_EQ(what_fills(programs), "limits on images: 1000 of 1000 sample files are of programs in /tmp/b");
    EXPECT_EQ(what_fills(images),
              "limits on images: 1000 of 1000 sample files are of images in /tmp/plugins");
}

TEST(LimitNote, is_empty_where_nothing_has_most_files_or_there_are_few) {
    Paths few, mixed;
    for (int i = 0; i < 999; ++i)
        add(few, "/bin/a", "/bin/a", static_cast<uint32_t>(i));
    for (int i = 0; i < 1000; ++i)
        add(mixed, "/d" + std::to_string(i) + "/p", "/e" + std::to_string(i) + "/q");
    EXPECT_EQ(what_fills(few), "");
    EXPECT_EQ(what_fills(mixed), "");
    EXPECT_EQ(what_fills({}), "");
}

}  // namespace
}  // namespace op::collect
