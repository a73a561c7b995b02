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

TEST(Checksum, of_a_large_file_is_that_of_its_beginning_and_end) {
    const test::TempDir dir;
    const std::string content = "1234" + std::string(1 << 20, 'x') + "56789";
    const Fd file = open_file(dir.write("file", content), O_RDONLY);
    const auto whole = checksum(std::as_bytes(std::span(content)));
    EXPECT_EQ(file_checksum(file, content.size(), content.size()), whole);
    EXPECT_EQ(file_checksum(file, content.size(), UINT64_MAX), whole) << "its offset does not move";
    const std::string ends = "123456789";
    EXPECT_EQ(file_checksum(file, content.size(), 8), checksum(std::as_bytes(std::span("12346789", 8))));
    EXPECT_EQ(file_checksum(file, 4, 8), checksum(std::as_bytes(std::span(ends).first(4))));
    EXPECT_EQ(file_checksum(Fd(), 9, 9), std::nullopt);
}

}  // namespace op
