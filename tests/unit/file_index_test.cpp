// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/file_index.h"

#include <gtest/gtest.h>

#include "libop/base/error.h"

namespace op::fleet {
namespace {

SampleName name_in(const std::string& app, const ImageName& image) {
    SampleName name;
    name.app = {ImageName::Kind::file, app};
    name.image = image;
    name.event = "TIMER";
    name.count = 1000000;
    return name;
}

}  // namespace

TEST(FileIndex, is_read_as_it_was_written) {
    SampleHeader header;
    header.cpu_type = 32;
    header.count = 1000000;
    header.cpu_speed_mhz = 2394.123456789;
    header.mtime = ~uint64_t{0};
    header.is_kernel = true;
    SampleHeader anon;
    anon.anon_start = 0x7f0000000000;
    std::vector<IndexedFile> files = {
        {name_in("/bin/a b\n%\xff", {ImageName::Kind::file, "/lib/\t"}), header, false, {}},
        {name_in("/bin/a", {ImageName::Kind::anon, "anon", 7, 0x7f0000000000, 0x7f0000000fff}),
         anon,
         true,
         {{0x10, 1}, {~uint64_t{0}, 4294967295}}}};
    EXPECT_EQ(parse_index(index_text(files), "index"), files);
    EXPECT_TRUE(parse_index(index_text({}), "index").empty());
}

TEST(FileIndex, of_another_kind_is_refused) {
    const std::string head = "oprofile-ng slice 1\n", path = "{root}/x/{dep}/{root}/x/E.1.0.all.all.all";
    for (const std::string& text :
         {std::string(), std::string("oprofile-ng slice 2\n"), head + "other\n", head + "10 1\n", head + "\n",
          head + "plain 0 0 0 0 0 0 0 0 0 " + path + "\n",
          head + "plain 0 0 0 0 0 0 0 0 0 0 " + path + "\n10 1\n",
          head + "apart 0 0 0 0 0 0 0 0 0 0 " + path + "\n10\n",
          head + "apart 0 0 0 0 0 0 0 0 0 0 " + path + "\n10 1 1\n"})
        EXPECT_THROW(parse_index(text, "index"), Error) << text;
}

TEST(FileIndex, has_no_names_that_lead_elsewhere) {
    for (const char* path :
         {"/etc/passwd", "{root}/../../x/{dep}/{root}/x/E.1.0.all.all.all", "manifest.json",
          "{root}/a/{dep}/{root}/b%00/E.1.0.all.all.all", "{root}//{dep}/{root}/x/E.1.0.all.all.all",
          "{root}/./x/{dep}/{root}/x/E.1.0.all.all.all"})
        EXPECT_THROW(parse_index(std::string("oprofile-ng slice 1\nplain 0 0 0 0 0 0 0 0 0 0 ") + path + "\n",
                                 "index"),
                     Error)
            << path;
}

}  // namespace op::fleet
