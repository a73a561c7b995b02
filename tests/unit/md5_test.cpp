// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/md5.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "tests/unit/temp_dir.h"

namespace op::fleet {
namespace {

std::optional<std::string> digest(std::string_view text, uint64_t most_bytes = 1 << 20) {
    const test::TempDir dir;
    return md5_of_fd(open_file(dir.write("x", text), O_RDONLY), most_bytes);
}

}  // namespace

// RFC 1321, appendix A.5.
TEST(Md5, digests_are_those_of_the_standard) {
    EXPECT_EQ(digest(""), "d41d8cd98f00b204e9800998ecf8427e");
    EXPECT_EQ(digest("a"), "0cc175b9c0f1b6a831c399e269772661");
    EXPECT_EQ(digest("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
    EXPECT_EQ(digest("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
              "d174ab98d277d9f5a5611c2c9f419d9f");
    EXPECT_EQ(digest("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
              "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(Md5, does_not_depend_on_how_a_file_is_read) {
    EXPECT_EQ(digest(std::string(55, 'a')), "ef1772b6dff9a122358552954ad0df65");
    EXPECT_EQ(digest(std::string(56, 'a')), "3b0c8ac703f828b04c6c197006d17218");
    EXPECT_EQ(digest(std::string(64, 'a')), "014842d480b571495a4a0363793f7367");
    EXPECT_EQ(digest(std::string(1 << 16, 'a')), "2d61aa54b58c2e94403fb092c3dbc027");
    EXPECT_EQ(digest(std::string(1'000'000, 'a')), "7707d6ae4e027c70eea2a935c2296f21");
}

TEST(Md5, of_files_that_are_too_large_is_not_known) {
    EXPECT_TRUE(digest("abc", 3));
    EXPECT_FALSE(digest("abcd", 3));
    EXPECT_FALSE(digest(std::string(1 << 17, 'a'), 1 << 16));
    EXPECT_FALSE(md5_of_fd(Fd(), 3));
}

}  // namespace op::fleet
