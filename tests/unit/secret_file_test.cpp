// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "libop/base/error.h"
#include "tests/unit/temp_dir.h"
#include "utils/opfleet/connection.h"

namespace op::tool {
namespace {

std::string secret_file(const test::TempDir& dir, std::string_view content, mode_t mode) {
    const std::string path = dir.write("secret", content);
    ::chmod(path.c_str(), mode);
    return path;
}

}  // namespace

TEST(SecretFile, is_its_first_line) {
    const test::TempDir dir;
    EXPECT_EQ(read_secret(secret_file(dir, "p w'd\nmore\n", 0600)), "p w'd");
    EXPECT_EQ(read_secret(secret_file(dir, "p", 0400)), "p");
}

TEST(SecretFile, that_others_can_read_is_refused) {
    const test::TempDir dir;
    for (const mode_t mode : {0640, 0604, 0660, 0610})
        EXPECT_THROW(read_secret(secret_file(dir, "p\n", mode)), Error) << mode;
}

TEST(SecretFile, without_a_password_is_refused) {
    const test::TempDir dir;
    for (const char* content : {"", "\n", "a\rX-Header: b\n", "\x01\n"})
        EXPECT_THROW(read_secret(secret_file(dir, content, 0600)), Error);
    EXPECT_THROW(read_secret(dir / "nothing"), Error);
}

}  // namespace op::tool
