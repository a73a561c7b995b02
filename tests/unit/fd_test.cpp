// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/base/fd.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "libop/base/error.h"
#include "tests/unit/temp_dir.h"

namespace op {

TEST(OpenRegular, refuses_what_is_not_a_regular_file_and_follows_links) {
    const test::TempDir dir;
    ASSERT_EQ(::mkfifo((dir / "fifo").c_str(), 0600), 0);
    std::filesystem::create_symlink("/dev/zero", dir / "device");
    for (const std::string& path : {dir / "fifo", dir / "device", dir.path()})
        EXPECT_THROW(open_regular(path), Error) << path;
    dir.write("file", "text");
    std::filesystem::create_symlink("file", dir / "link");
    EXPECT_EQ(read_fd(open_regular(dir / "link").get(), "link"), "text");
    EXPECT_THROW(open_regular(dir / "absent"), Error);
}

TEST(ThrowRefused, advises_only_where_permission_is_what_lacks) {
    const auto message = [](int code) -> std::string {
        try {
            throw_refused("cannot write x", "name another", code);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), code);
            return error.what();
        }
    };
    EXPECT_EQ(message(EACCES), "cannot write x: Permission denied; name another");
    EXPECT_EQ(message(EROFS), "cannot write x: Read-only file system; name another");
    EXPECT_EQ(message(ENOSPC), "cannot write x: No space left on device");
}

}  // namespace op
