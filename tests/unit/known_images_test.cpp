// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/known_images.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "libop/base/clock.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

TEST(KnownImages, a_use_without_a_mapping_keeps_the_mapping_of_its_process) {
    StringTable names;
    KnownImages images(names, true);
    ImagePool pool;
    const Region region{{0x1000}, {0x2000}, 0, pool.get_file("/nowhere/a", {8, 5}, {}), RegionKind::file};
    const ImageRef image = images.of(region, 7);
    const MappedFileFacts* const facts = images.note_used(image, {7});
    ASSERT_NE(facts, nullptr);
    EXPECT_EQ(facts->start, 0x1000u);
    EXPECT_EQ(facts->end, 0x2000u);
}

TEST(KnownImages, a_file_is_looked_at_again_only_if_it_was_mapped_after_the_last_look) {
    const test::TempDir dir;
    const std::string path = dir.write("program", "one");
    struct stat st {};
    ASSERT_EQ(::stat(path.c_str(), &st), 0);
    StringTable names;
    KnownImages images(names, true);
    ImagePool pool;
    const ImagePtr image = pool.get_file(path, {st.st_dev, st.st_ino}, {});
    images.of_file(image, 7);
    const uint64_t mapped = sample_clock_ns();
    EXPECT_FALSE(images.has_changed(*image, 8, mapped));
    for (const int64_t before = st.st_ctim.tv_nsec; st.st_ctim.tv_nsec == before; ::stat(path.c_str(), &st))
        dir.write("program", "two");
    EXPECT_FALSE(images.has_changed(*image, 8, mapped));
    EXPECT_TRUE(images.has_changed(*image, 8, sample_clock_ns()));
}

}  // namespace
}  // namespace op::collect
