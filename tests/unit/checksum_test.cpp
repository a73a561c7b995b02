// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/base/checksum.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "tests/unit/temp_dir.h"

namespace op {

TEST(Checksum, is_that_of_gzip_and_debug_links) {
    const std::string text = "123456789";
    const auto bytes = std::as_bytes(std::span(text));
    EXPECT_EQ(checksum(bytes), 0xcbf43926u) << "the check value of CRC-32";
    EXPECT_EQ(checksum(bytes.subspan(4), checksum(bytes.first(4))), 0xcbf43926u);
    EXPECT_EQ(checksum({}), 0u);
}

TEST(Checksum, of_a_file_ends_after_so_many_bytes) {
    const test::TempDir dir;
    const std::string content = "123456789" + std::string(1 << 20, 'x');
    const Fd file = open_file(dir.write("file", content), O_RDONLY);
    EXPECT_EQ(checksum_of_start(file, 9), 0xcbf43926u);
    EXPECT_EQ(checksum_of_start(file, 9), 0xcbf43926u) << "its offset does not move";
    EXPECT_EQ(checksum_of_start(file, UINT64_MAX), checksum(std::as_bytes(std::span(content))));
    EXPECT_EQ(checksum_of_start(Fd(), 9), std::nullopt);
}

}  // namespace op
