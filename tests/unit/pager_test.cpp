// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/shared/pager.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "libop/base/fd.h"
#include "tests/unit/temp_dir.h"

namespace op::tool {

namespace {

/// An environment variable for the time of a test.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) {
        if (const char* const old = std::getenv(name)) before_ = old;
        value ? ::setenv(name, value, 1) : ::unsetenv(name);
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;
    ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

private:
    const char* name_;
    std::optional<std::string> before_;
};

/// What a pager sees: the values of LESSSECURE and PAGERSECURE, and the text.
std::string seen_by_pager(const char* caller, const char* value) {
    const test::TempDir dir;
    const std::string script =
        dir.write("pager", "echo \"$LESSSECURE $PAGERSECURE\" > \"$1\"; cat >> \"$1\"\n");
    const Variable pager("OPROFILE_PAGER", ("sh " + script + " " + (dir / "seen")).c_str());
    const Variable less("LESSSECURE", nullptr), more("PAGERSECURE", nullptr);
    const Variable sudo("SUDO_UID", nullptr), pkexec("PKEXEC_UID", nullptr), doas("DOAS_USER", nullptr);
    const Variable set(caller, value);
    show_through_pager("text\n");
    return read_file(dir / "seen");
}

}  // namespace

TEST(Pager, is_restricted_for_root_by_sudo) {
    if (::getuid() != 0 || ::geteuid() != 0) GTEST_SKIP() << "not root";
    EXPECT_EQ(seen_by_pager("SUDO_UID", "1000"), "1 1\ntext\n");
    EXPECT_EQ(seen_by_pager("PKEXEC_UID", "1000"), "1 1\ntext\n");
    EXPECT_EQ(seen_by_pager("DOAS_USER", "someone"), "1 1\ntext\n");
}

TEST(Pager, is_not_restricted_for_a_caller_of_its_own_rights) {
    if (::getuid() != ::geteuid()) GTEST_SKIP() << "the rights of another";
    EXPECT_EQ(seen_by_pager("SUDO_UID", nullptr), " \ntext\n");
}

TEST(Pager, is_not_restricted_for_a_user_whatever_the_environment_holds) {
    if (::getuid() != ::geteuid() || ::geteuid() == 0) GTEST_SKIP() << "not a user";
    EXPECT_EQ(seen_by_pager("SUDO_UID", "1000"), " \ntext\n");
}

}  // namespace op::tool
