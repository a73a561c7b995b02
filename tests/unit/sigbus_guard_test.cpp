// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/shared/sigbus_guard.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "libop/base/fd.h"
#include "libop/session/sample_file.h"
#include "tests/unit/temp_dir.h"

namespace op::tool {

TEST(SigbusGuard, a_truncated_mapping_reads_as_zeros) {
    guard_mappings();
    const test::TempDir dir;
    const std::string path = dir.write("file", std::string(1 << 16, 'x'));
    const MappedFile file(path);
    ASSERT_EQ(::truncate(path.c_str(), 0), 0);
    for (const std::byte byte : file.bytes())
        ASSERT_EQ(byte, std::byte{0});
    EXPECT_TRUE(was_mapping_cut_off());
}

TEST(SigbusGuard, a_sample_file_that_is_cut_off_goes_on_taking_samples) {
    guard_mappings();
    const test::TempDir dir;
    const Fd fd = open_file(dir.path(), O_RDONLY | O_DIRECTORY);
    Diagnostics notes;
    SampleFile file(fd, "f", {}, "f", notes);
    for (uint64_t round = 0; round < 3; ++round) {
        for (uint64_t key = 0; key < 5000; ++key)
            file.add(round * 5000 + key);
        ASSERT_EQ(::truncate((dir / "f").c_str(), round == 1 ? 100 : 0), 0);
    }
    const SampleFileCounts counts = file.flush_and_count();
    EXPECT_EQ(counts.stored + counts.lost_no_space, 15000u);
    EXPECT_TRUE(was_mapping_cut_off());
}

}  // namespace op::tool
