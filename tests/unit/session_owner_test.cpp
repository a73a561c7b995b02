// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/opcontrol/session_owner.h"

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "libop/session/session.h"
#include "tests/unit/faults.h"
#include "tests/unit/in_child.h"
#include "tests/unit/temp_dir.h"

namespace op::tool {
namespace {

namespace fs = std::filesystem;

constexpr uid_t daemons = 12345;

struct stat status_of(const std::string& path) {
    struct stat st {};
    EXPECT_EQ(::lstat(path.c_str(), &st), 0) << path;
    return st;
}

void save_session(const std::string& dir) {
    Diagnostics notes;
    SessionWriter session(dir, false, notes);
    session.begin(true);
    session.save_as("one");
}

}  // namespace

TEST(SessionOwner, root_saves_a_session_as_the_user_to_whom_it_belongs) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
    const test::TempDir dir;
    for (const char* name : {"", "d", "d/samples", "d/samples/current"}) {
        fs::create_directories(dir / name);
        fs::permissions(dir / name, fs::perms(0755));
        ASSERT_EQ(::chown((dir / name).c_str(), daemons, daemons), 0);
    }
    EXPECT_TRUE(test::contains(test::fault(ErrorKind::input, [&] { save_session(dir / "d"); }),
                               "belongs to user 12345"))
        << "root itself does not use it";
    {
        const ActAsOwner owner(dir / "d");
        save_session(dir / "d");
    }
    EXPECT_EQ(::geteuid(), 0u);
    EXPECT_EQ(status_of(dir / "d/samples/one").st_uid, daemons);
    const struct stat st = status_of(dir / "d/samples/current");
    EXPECT_EQ(st.st_uid, daemons) << "so the daemon can begin again";
    EXPECT_EQ(st.st_gid, daemons);
    EXPECT_EQ(st.st_mode & 07777, 0750u);
}

/// The group was the owner's already, and stayed so after the error.
TEST(SessionOwner, root_is_root_again_if_it_cannot_become_that_user) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
    const test::TempDir dir;
    fs::create_directories(dir / "samples");
    ASSERT_EQ(::chown((dir / "samples").c_str(), daemons, daemons), 0);
    EXPECT_EQ(test::in_child([&] {
                  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
                  std::array<__user_cap_data_struct, 2> sets{};
                  ::syscall(SYS_capget, &header, sets.data());
                  sets[0].effective &= ~(1U << CAP_SETUID);
                  ::syscall(SYS_capset, &header, sets.data());
                  const auto refused = test::fault(ErrorKind::system, [&] { ActAsOwner(dir.path()); });
                  return (refused.empty() ? "acted as the owner, " : "") + std::to_string(::getegid());
              }),
              "0");
}

TEST(SessionOwner, of_a_session_of_ones_own_nothing_changes) {
    const test::TempDir dir;
    fs::create_directories(dir / "samples");
    const ActAsOwner owner(dir.path());
    EXPECT_EQ(::geteuid(), ::getuid());
}

}  // namespace op::tool
