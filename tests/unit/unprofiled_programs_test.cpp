// SPDX-License-Identifier: GPL-2.0-or-later
// Processes that go on though their exit was reported, and files whose programs are left out.
#include "daemon/run/unprofiled_programs.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "libop/base/kernel_file.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

std::vector<std::string> names_after(std::span<const Record> records) {
    UnprofiledPrograms programs;
    for (const Record& record : records)
        programs.look(record);
    return programs.names();
}

Exit exit_of(pid_t process, pid_t thread) {
    return {0, static_cast<uint32_t>(process), static_cast<uint32_t>(thread)};
}

std::string own_name() {
    return read_kernel_line("/proc/self/comm") + " (process " + std::to_string(::getpid()) + ")";
}

}  // namespace

TEST(UnprofiledPrograms, are_processes_that_go_on_after_their_exit) {
    const std::array<Record, 2> records{Fork{}, exit_of(::getpid(), ::getpid())};
    EXPECT_EQ(names_after(records), std::vector{own_name()});
}

TEST(UnprofiledPrograms, are_no_threads_and_no_processes_that_have_ended) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    siginfo_t ignored;
    ::waitid(P_PID, static_cast<id_t>(child), &ignored, WEXITED | WNOWAIT);
    const std::array<Record, 3> records{exit_of(::getpid(), ::getppid()), exit_of(child, child),
                                        exit_of(0x7ffffff0, 0x7ffffff0)};
    EXPECT_EQ(names_after(records), std::vector<std::string>{});
    ::waitpid(child, nullptr, 0);
}

TEST(UnprofiledPrograms, are_named_once) {
    const std::vector<Record> records(100, exit_of(::getpid(), ::getpid()));
    EXPECT_EQ(names_after(records), std::vector{own_name()});
}

TEST(UnprofiledPrograms, are_none_that_have_mappings_after_the_exit) {
    const auto own = static_cast<uint32_t>(::getpid());
    const Record exit = exit_of(::getpid(), ::getpid());
    const auto mapping = [](uint64_t time, uint32_t process) {
        return Mapping{time, process, {0x1000}, 0x1000, 0, false, "/x", {}};
    };
    const std::array<Record, 2> mapped{exit, mapping(5, own)}, before{mapping(5, own), exit},
        of_another{exit, mapping(5, own + 1)}, at_the_start{exit, mapping(0, own)};
    EXPECT_TRUE(names_after(mapped).empty());
    for (const auto& records : {before, of_another, at_the_start})
        EXPECT_EQ(names_after(records), std::vector{own_name()});
}

TEST(UnprofiledPrograms, have_the_command_once) {
    const test::TempDir dir;
    const std::string program = dir.write("program", "#!/bin/sh\n");
    const auto own_pid = static_cast<uint32_t>(::getpid());
    ::chmod(program.c_str(), 0755);
    UnprofiledPrograms readable;
    readable.look_at_command(program, own_pid);
    EXPECT_TRUE(readable.names().empty());
    ::chmod(program.c_str(), 0111);
    if (::access(program.c_str(), R_OK) == 0 &&  // root reads any file
        (::chown(program.c_str(), 65534, 65534) != 0 || ::chmod(program.c_str(), 04755) != 0))
        GTEST_SKIP() << "no file of another user can be made here";
    UnprofiledPrograms unreadable;
    unreadable.look_at_command(program, own_pid);
    unreadable.look(exit_of(::getpid(), ::getpid()));
    EXPECT_EQ(unreadable.names(), std::vector{program + " (process " + std::to_string(own_pid) + ")"});
}

}  // namespace op::collect
