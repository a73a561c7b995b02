// SPDX-License-Identifier: GPL-2.0-or-later
// Changes that cannot be undone are made in a child process. Most of them need root.
#include "daemon/service/privileges.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>

#include "libop/base/fd.h"
#include "tests/unit/faults.h"
#include "tests/unit/in_child.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

using test::in_child;

/// In no need of a row in /etc/passwd.
const User nobody{"nobody", 65534, 65533};

// capabilities(7)
constexpr uint64_t dac_override = 1u << 1, dac_read_search = 1u << 2, setpcap = 1u << 8, ptrace = 1u << 19;
constexpr uint64_t syslog = uint64_t{1} << 34, checkpoint_restore = uint64_t{1} << 40;

/// The fields of /proc/self/status, with single spaces.
std::map<std::string, std::string> own_status() {
    std::map<std::string, std::string> fields;
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);) {
        std::string text;
        for (const char c : line.substr(line.find(':') + 1))
            if (c != '\t' && c != ' ')
                text += c;
            else if (!text.empty() && text.back() != ' ')
                text += ' ';
        while (!text.empty() && text.back() == ' ')
            text.pop_back();
        fields[line.substr(0, line.find(':'))] = text;
    }
    return fields;
}

uint64_t capabilities(const std::string& set) {
    return std::stoull(own_status()[set], nullptr, 16);
}

std::string owner(const std::string& path) {
    struct stat st {};
    if (::lstat(path.c_str(), &st) != 0) return "missing";
    return std::to_string(st.st_uid) + ":" + std::to_string(st.st_gid);
}

class Privileges : public ::testing::Test {
protected:
    /// A session as root has made it.
    void make_session() {
        std::filesystem::permissions(dir_.path(), std::filesystem::perms(0755));
        dir_.write("samples/current/{root}/bin/app/file", "x");
        dir_.write("lock", "");
    }

    test::TempDir dir_;
    const std::string given_ = "65534:65533";
};

class PrivilegesOfRoot : public Privileges {
protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "only root can give up what it has";
    }
};

}  // namespace

TEST_F(PrivilegesOfRoot, the_process_becomes_the_user_with_no_other_group_and_no_way_back) {
    EXPECT_EQ(in_child([] {
                  drop_privileges(&nobody, true);
                  auto status = own_status();
                  const bool back = ::setresuid(0, 0, 0) == 0 || ::setresgid(0, 0, 0) == 0;
                  return status["Uid"] + "; " + status["Gid"] + "; " + status["Groups"] + "; " +
                         status["NoNewPrivs"] + (back ? "; root again" : "");
              }),
              "65534 65534 65534 65534; 65533 65533 65533 65533; 65533; 1");
}

TEST_F(PrivilegesOfRoot, only_capabilities_for_looking_at_others_are_kept) {
    const uint64_t looking = dac_read_search | ptrace | syslog | checkpoint_restore;
    EXPECT_EQ(in_child([&] {
                  const uint64_t had = capabilities("CapPrm");
                  drop_privileges(&nobody, true);
                  std::string wrong;
                  if (capabilities("CapPrm") != (had & looking)) wrong += " permitted";
                  if (capabilities("CapEff") != (had & looking)) wrong += " effective";
                  if (capabilities("CapInh") != 0) wrong += " inheritable";
                  if ((had & setpcap) && (capabilities("CapBnd") & ~looking)) wrong += " bounding";
                  if (capabilities("CapAmb") != 0) wrong += " ambient";
                  return wrong;
              }),
              "");
}

/// True if the first mapped file of that process can be opened.
bool can_open_a_mapping(pid_t pid) {
    const std::string dir = "/proc/" + std::to_string(pid) + "/map_files";
    std::error_code error;
    for (const auto& link : std::filesystem::directory_iterator(dir, error))
        return Fd(::open(link.path().c_str(), O_RDONLY | O_CLOEXEC)).get() >= 0;
    return false;
}

TEST_F(PrivilegesOfRoot, mapped_files_of_others_can_still_be_opened) {
    const pid_t parent = ::getpid();
    if (!can_open_a_mapping(parent) || !(capabilities("CapPrm") & checkpoint_restore))
        GTEST_SKIP() << "this process may not open /proc/PID/map_files, or the kernel is older than 5.9";
    EXPECT_EQ(in_child([&] {
                  drop_privileges(&nobody, true);
                  return std::string(can_open_a_mapping(parent) ? "open" : "refused");
              }),
              "open");
}

TEST_F(PrivilegesOfRoot, writing_to_directories_of_others_is_kept_where_it_is_needed) {
    EXPECT_EQ(in_child([] {
                  const uint64_t had = capabilities("CapPrm") & dac_override;
                  drop_privileges(&nobody, false);
                  return std::string((capabilities("CapEff") & dac_override) == had ? "kept" : "lost");
              }),
              "kept");
}

TEST_F(PrivilegesOfRoot, without_a_user_the_process_stays_root_and_loses_capabilities) {
    EXPECT_EQ(in_child([] {
                  drop_privileges(nullptr, true);
                  const uint64_t others = ~(dac_read_search | ptrace | syslog | checkpoint_restore);
                  return own_status()["Uid"] +
                         ((capabilities("CapEff") & others) ? "; more than needed" : "");
              }),
              "0 0 0 0");
}

TEST_F(PrivilegesOfRoot, a_session_is_given_with_its_directories_and_files) {
    make_session();
    hand_over_session(dir_.path(), nobody);
    for (const char* name :
         {"", "lock", "samples", "samples/current/{root}", "samples/current/{root}/bin/app/file"})
        EXPECT_EQ(owner(dir_ / name), given_) << name;
    hand_over_session(dir_.path(), nobody);  // what is given already is no fault
}

TEST_F(PrivilegesOfRoot, what_root_made_in_a_session_that_was_given_is_given_too) {
    make_session();
    hand_over_session(dir_.path(), nobody);
    dir_.write("samples/one/{root}/bin/app/file", "x");  // made by root, as by opcontrol --save
    const std::string other = dir_.write("letter", "x");
    hand_over_session(dir_.path(), nobody);
    EXPECT_EQ(owner(other), "0:0") << "is no part of a session";
    for (const char* name : {"samples/one", "samples/one/{root}/bin/app/file"})
        EXPECT_EQ(owner(dir_ / name), given_) << name;
}

TEST_F(PrivilegesOfRoot, links_and_what_belongs_to_others_are_not_given) {
    make_session();
    const std::string secret = dir_.write("samples/secret", "x");
    std::filesystem::create_hard_link(secret, dir_ / "samples/current/planted");
    std::filesystem::create_symlink(secret, dir_ / "samples/current/link");
    dir_.write("samples/foreign/mine", "x");
    ASSERT_EQ(::chown((dir_ / "samples/foreign").c_str(), 12345, 12345), 0);
    hand_over_session(dir_.path(), nobody);
    EXPECT_EQ(owner(dir_ / "samples/current"), given_);
    EXPECT_EQ(owner(secret), "0:0") << "has a second name";
    EXPECT_EQ(owner(dir_ / "samples/current/link"), "0:0");
    EXPECT_EQ(owner(dir_ / "samples/foreign"), "12345:12345");
    EXPECT_EQ(owner(dir_ / "samples/foreign/mine"), "0:0") << "another user's directory is not entered";
}

TEST_F(PrivilegesOfRoot, a_directory_that_holds_other_things_or_is_open_to_others_is_refused) {
    const auto refusal = [&] {
        return test::fault(ErrorKind::usage, [&] { hand_over_session(dir_.path(), nobody); });
    };
    make_session();
    dir_.write("letter", "x");
    EXPECT_TRUE(test::contains(refusal(), "holds other things than a session")) << refusal();
    EXPECT_TRUE(test::contains(refusal(), "--user=root"));
    EXPECT_EQ(owner(dir_ / "samples"), "0:0") << "nothing was given";
    std::filesystem::remove(dir_ / "letter");
    std::filesystem::permissions(dir_.path(), std::filesystem::perms(0777));
    EXPECT_TRUE(test::contains(refusal(), "may be written to by others"));
    ASSERT_EQ(::chown(dir_.path().c_str(), 12345, 12345), 0);
    EXPECT_TRUE(test::contains(refusal(), "belongs to another user"));
}

TEST_F(Privileges, giving_up_harms_no_process_that_has_none) {
    EXPECT_EQ(in_child([] {
                  if (::geteuid() == 0 && ::setresuid(nobody.uid, nobody.uid, nobody.uid) != 0)
                      return std::string("cannot become another user");
                  drop_privileges(nullptr, true);
                  return own_status()["CapEff"] + " " + own_status()["NoNewPrivs"];
              }),
              "0000000000000000 1");
}

TEST_F(Privileges, a_missing_session_directory_is_an_error) {
    const std::string message =
        test::fault(ErrorKind::system, [&] { hand_over_session(dir_ / "none", nobody); });
    EXPECT_TRUE(test::contains(message, "cannot open session directory")) << message;
}

TEST_F(Privileges, users_are_those_of_the_system) {
    const auto root = find_user("root");
    ASSERT_TRUE(root);
    EXPECT_EQ(root->uid, 0u);
    EXPECT_FALSE(find_user("no:such:user"));
}

}  // namespace op::collect
