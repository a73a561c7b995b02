// SPDX-License-Identifier: GPL-2.0-or-later
// Each case closes a sandbox, so each is in a process of its own.
#include "utils/outside.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "libop/base/fd.h"
#include "tests/unit/temp_dir.h"
#include "utils/shared/landlock.h"

namespace op::tool {

namespace {

/// The number of notes with that text once the sandbox is closed; -1 if that failed.
int notes_inside(const CommonOptions& options, const std::string& text) {
    const pid_t child = ::fork();
    if (child == 0) {
        Tool tool;
        const Outside outside(options, {}, tool);
        const auto notes = tool.notes.take();
        ::_exit(static_cast<int>(std::ranges::count_if(
            notes, [&](const std::string& note) { return note.find(text) != note.npos; })));
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST(Outside, notes_a_directory_that_only_the_sandbox_keeps_from_being_read) {
    if (landlock_abi() == 0) GTEST_SKIP() << "this kernel has no Landlock, or it is denied here";
    const pid_t other = ::fork();
    if (other == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            ::pause();
    }
    const test::TempDir dir;
    CommonOptions options;
    options.root = "/proc/" + std::to_string(other) + "/root";
    const bool is_readable = static_cast<bool>(Fd(::open(options.root.c_str(), O_RDONLY | O_DIRECTORY)));
    const int noted = notes_inside(options, "--root=" + options.root + " cannot be read in the sandbox");
    options.root = dir.path();
    options.image_paths = {dir / "absent"};
    const int not_noted = notes_inside(options, "cannot be read");
    ::kill(other, SIGKILL);
    ::waitpid(other, nullptr, 0);
    EXPECT_EQ(noted, is_readable ? 1 : 0);
    EXPECT_EQ(not_noted, 0);
}

}  // namespace op::tool
