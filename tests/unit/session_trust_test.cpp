// SPDX-License-Identifier: GPL-2.0-or-later
// What a recorder takes for its own in a session directory, and who may read what it makes there.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <set>
#include <thread>

#include "libop/base/access_policy.h"
#include "libop/base/directory.h"
#include "libop/session/session.h"
#include "tests/unit/faults.h"
#include "tests/unit/in_child.h"
#include "tests/unit/temp_dir.h"

namespace op {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::fault;
using test::in_child;
using test::TempDir;

constexpr uid_t stranger = 12345;
constexpr const char* sample_path = "d/samples/current/{root}/bin/a/{dep}/{root}/bin/a/TIMER.1.0.all.all.all";

/// One run that appends a sample.
void record(const std::string& dir) {
    Diagnostics notes;
    SessionWriter session(dir, true, notes);
    session.begin(true);
    SampleName name;
    name.app.name = name.image.name = "/bin/a";
    name.event = "TIMER";
    name.count = 1;
    session.open_sample_file(name, {}, notes).add(1);
    SessionInfo info;
    session.write_info(info);
    session.write_file("kallsyms.gz", "");
    session.write_statistics(info);
    session.append_account(operf_log, info);
}

/// "KIND MODE" of all that is there, once each, without links.
std::set<std::string> modes_below(const std::string& top) {
    std::set<std::string> modes;
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
        struct stat st {};
        ::lstat(entry.path().c_str(), &st);
        std::array<char, 8> mode{};
        std::snprintf(mode.data(), mode.size(), "%o", st.st_mode & 07777);
        modes.insert(std::string(entry.is_directory() ? "directory " : "file ") + mode.data());
    }
    return modes;
}

class SessionOfRoot : public ::testing::Test {
protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "only root can make files of others";
        ::umask(022);
        record(dir_ / "d");
    }

    TempDir dir_;
};

}  // namespace

TEST_F(SessionOfRoot, uses_nothing_that_belongs_to_somebody_else) {
    for (const std::string path : {"d/samples", "d/samples/current", "d/samples/current/{root}",
                                   "d/samples/current/{root}/bin/a/{dep}", sample_path, "d/samples/operf.log",
                                   "d/samples/current/stats"}) {
        ASSERT_EQ(::chown((dir_ / path).c_str(), stranger, 0), 0) << path;
        const std::string message = fault(ErrorKind::input, [&] { record(dir_ / "d"); });
        EXPECT_TRUE(contains(message, path + " belongs to user 12345, so what it holds is not used"))
            << message;
        ASSERT_EQ(::chown((dir_ / path).c_str(), 0, 0), 0);
        record(dir_ / "d");
    }
}

TEST_F(SessionOfRoot, uses_nothing_that_others_may_write_to) {
    for (const std::string path :
         {"d/samples", "d/samples/current", "d/samples/current/{root}", sample_path, "d/samples/operf.log"}) {
        const fs::perms before = fs::status(dir_ / path).permissions();
        for (const fs::perms extra : {fs::perms::group_write, fs::perms::others_write}) {
            fs::permissions(dir_ / path, before | extra);
            const std::string message = fault(ErrorKind::input, [&] { record(dir_ / "d"); });
            EXPECT_TRUE(contains(message, path + " can be written by others")) << message;
        }
        fs::permissions(dir_ / path, before);
    }
    record(dir_ / "d");
}

TEST_F(SessionOfRoot, a_planted_lock_is_neither_followed_nor_written_to) {
    dir_.write("d/lock", "7");
    ASSERT_EQ(::chown((dir_ / "d/lock").c_str(), stranger, stranger), 0);
    const std::string message = fault(ErrorKind::input, [&] { record(dir_ / "d"); });
    EXPECT_TRUE(contains(message, "d/lock belongs to user 12345")) << message;
    EXPECT_EQ(read_file(dir_ / "d/lock"), "7");
}

TEST_F(SessionOfRoot, may_lie_in_a_directory_of_somebody_else) {
    fs::permissions(dir_ / "d", fs::perms(0777));
    ASSERT_EQ(::chown((dir_ / "d").c_str(), stranger, stranger), 0);
    record(dir_ / "d");
    EXPECT_TRUE(fs::exists(dir_ / sample_path));
}

TEST_F(SessionOfRoot, is_for_its_group_at_most) {
    EXPECT_EQ(modes_below(dir_.path()), (std::set<std::string>{"directory 750", "file 640"}));
    struct stat st {};
    ASSERT_EQ(::stat((dir_ / sample_path).c_str(), &st), 0);
    EXPECT_EQ(st.st_gid, own_access_policy().group);
}

TEST_F(SessionOfRoot, keeps_the_group_that_a_directory_would_pass_on_out) {
    fs::permissions(dir_.path(), fs::perms(0755));
    fs::create_directory(dir_ / "shared");
    ASSERT_EQ(::chown((dir_ / "shared").c_str(), 0, stranger), 0);
    fs::permissions(dir_ / "shared", fs::perms(02775));
    record(dir_ / "shared/d");
    for (const auto& entry : fs::recursive_directory_iterator(dir_ / "shared")) {
        struct stat st {};
        ASSERT_EQ(::lstat(entry.path().c_str(), &st), 0);
        EXPECT_EQ(st.st_gid, own_access_policy().group) << entry.path();
    }
}

/// An access control list for user 12345: may do anything. See acl(5) and <linux/posix_acl_xattr.h>.
std::string list_for_stranger() {
    std::string list("\2\0\0\0", 4);
    const auto add = [&list](uint16_t tag, uint32_t id) {
        for (const uint16_t part :
             {tag, uint16_t{7}, static_cast<uint16_t>(id), static_cast<uint16_t>(id >> 16)})
            list.append({static_cast<char>(part & 0xff), static_cast<char>(part >> 8)});
    };
    constexpr uint32_t none = UINT32_MAX;
    add(1, none);      // the owner
    add(2, stranger);  // a user
    add(4, none);      // the group
    add(16, none);     // the mask
    add(32, none);     // others
    return list;
}

TEST_F(SessionOfRoot, keeps_the_access_that_a_directory_would_grant_out) {
    fs::create_directory(dir_ / "shared");
    const std::string list = list_for_stranger();
    if (::setxattr((dir_ / "shared").c_str(), "system.posix_acl_default", list.data(), list.size(), 0) != 0)
        GTEST_SKIP() << "no access control lists here";
    record(dir_ / "shared/d");
    EXPECT_EQ(modes_below(dir_ / "shared"), (std::set<std::string>{"directory 750", "file 640"}));
    for (const auto& entry : fs::recursive_directory_iterator(dir_ / "shared"))
        EXPECT_EQ(::llistxattr(entry.path().c_str(), nullptr, 0), 0) << entry.path();
}

TEST_F(SessionOfRoot, keeps_to_the_umask) {
    ::umask(077);
    record(dir_ / "private");
    ::umask(022);
    EXPECT_EQ(modes_below(dir_ / "private"), (std::set<std::string>{"directory 700", "file 600"}));
}

TEST_F(SessionOfRoot, leaves_no_directory_where_what_root_makes_belongs_to_others) {
    fs::permissions(dir_.path(), fs::perms(0777));
    const Fd top = open_file(dir_.path(), O_RDONLY | O_DIRECTORY);
    EXPECT_EQ(in_child([&] {
                  ::setfsuid(stranger);  // as on a network file system that trusts no root
                  return fault(ErrorKind::system,
                               [&] { open_directory_at(top, "new", "new", true, own_access_policy()); });
              }),
              "cannot make directory new: what is made on this file system belongs to user 12345; use a "
              "directory on another one");
    EXPECT_EQ(std::distance(fs::directory_iterator(dir_.path()), {}), 1) << "only the session of the fixture";
}

TEST_F(SessionOfRoot, of_older_modes_is_appended_to) {
    for (const auto& entry : fs::recursive_directory_iterator(dir_ / "d"))
        fs::permissions(entry.path(), fs::perms(entry.is_directory() ? 0755 : 0644));
    record(dir_ / "d");
    Diagnostics notes;
    EXPECT_EQ(SessionReader(dir_ / "d/samples/current").list().size(), 1u);
}

TEST_F(SessionOfRoot, an_ordinary_users_session_keeps_the_modes_of_the_umask) {
    fs::create_directory(dir_ / "home");
    fs::permissions(dir_.path(), fs::perms(0755));
    ASSERT_EQ(::chown((dir_ / "home").c_str(), stranger, stranger), 0);
    EXPECT_EQ(in_child([&] {
                  if (::setgid(stranger) != 0 || ::setuid(stranger) != 0) return std::string("still root");
                  record(dir_ / "home/d");
                  fs::permissions(dir_ / "home/d/samples", fs::perms(0775));
                  record(dir_ / "home/d");
                  return std::string("recorded");
              }),
              "recorded");
    EXPECT_EQ(modes_below(dir_ / "home"),
              (std::set<std::string>{"directory 755", "directory 775", "file 644"}));
}

TEST_F(SessionOfRoot, a_directory_planted_while_it_is_made_is_not_used) {
    fs::create_directory(dir_ / "open");
    fs::permissions(dir_.path(), fs::perms(0755));
    fs::permissions(dir_ / "open", fs::perms(0777));
    const Fd open = open_file(dir_ / "open", O_RDONLY | O_DIRECTORY);
    std::atomic<bool> over = false;
    std::thread planter([&] {
        ::syscall(SYS_setresuid, -1, stranger, -1);  // of this thread alone
        while (!over)
            ::mkdirat(open.get(), "current", 0755);
    });
    for (int round = 0; round < 300; ++round) {
        ::unlinkat(open.get(), "current", AT_REMOVEDIR);
        struct stat st {};
        try {
            const Fd made = open_directory_at(open, "current", "current", true, own_access_policy());
            EXPECT_TRUE(::fstat(made.get(), &st) == 0 && st.st_uid == 0);
        } catch (const Error& error) {
            EXPECT_TRUE(contains(error.what(), "current")) << error.what();
        }
    }
    over = true;
    planter.join();
    EXPECT_LE(std::distance(fs::directory_iterator(dir_ / "open"), {}), 1) << "no other name is left";
}

}  // namespace op
