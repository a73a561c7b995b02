// SPDX-License-Identifier: GPL-2.0-or-later
#include "gui/command_line.h"

#include <gtest/gtest.h>

namespace op::gui {
namespace {

TEST(ControlSetup, without_anything_is_the_default_event_without_a_kernel_image) {
    EXPECT_EQ(setup_arguments({}),
              (Arguments{"--setup", "--event=default", "--no-vmlinux", "--separate=none", "--callgraph=0",
                         "--buffer-size=0", "--buffer-watershed=0", "--cpu-buffer-size=0"}));
}

TEST(ControlSetup, separates_as_the_boxes_ask) {
    ControlSetup setup;
    const auto separation = [&] { return setup_arguments(setup).at(3); };
    setup.including_kernel = true;
    EXPECT_EQ(separation(), "--separate=none");
    setup.per_application = true;
    EXPECT_EQ(separation(), "--separate=kernel");
    setup.including_kernel = false;
    setup.per_cpu = setup.per_thread = true;
    EXPECT_EQ(separation(), "--separate=library,thread,cpu");
}

TEST(ControlSetup, has_each_event_with_its_mask_and_modes) {
    ControlSetup setup;
    setup.events = {{"A", 10, "", true, true}, {"B", 20, "0x03", false, true}};
    const Arguments words = start_arguments(setup);
    EXPECT_EQ(words.at(1), "--event=A:10::1:1");
    EXPECT_EQ(words.at(2), "--event=B:20:0x03:0:1");
}

TEST(ControlSetup, names_what_opcontrol_would_refuse) {
    ControlSetup setup;
    EXPECT_EQ(fault_of(setup), "");
    setup.buffer_size = 1000;
    setup.buffer_watershed = 501;
    EXPECT_EQ(fault_of(setup), "the buffer watershed is at most half of the buffer size");
    setup.buffer_watershed = 500;
    EXPECT_EQ(fault_of(setup), "");
    setup.events = {{"A", 10, "", false, false}};
    EXPECT_EQ(fault_of(setup), "A counts nothing: choose the kernel, user binaries or both");
}

TEST(OperfRun, has_the_words_of_its_target) {
    OperfRun run;
    EXPECT_EQ(fault_of(run), "the command is missing");
    run.command = {"./a program", "--callgraph"};
    run.callgraph = true;
    EXPECT_EQ(operf_arguments(run), (Arguments{"--callgraph", "--", "./a program", "--callgraph"}));
    run.target = OperfRun::Target::process;
    EXPECT_EQ(fault_of(run), "the process id is missing");
    run.process = 7;
    run.append = true;
    EXPECT_EQ(operf_arguments(run), (Arguments{"--pid=7", "--callgraph", "--append"}));
    run.target = OperfRun::Target::system;
    run.session_dir = "/d";
    EXPECT_EQ(operf_arguments(run),
              (Arguments{"--system-wide", "--session-dir=/d", "--callgraph", "--append"}));
}

TEST(ShellLine, quotes_what_a_shell_would_take_apart) {
    EXPECT_EQ(shell_line("operf", {"--events=A:1,B:2", "a b", "it's", ""}),
              "operf --events=A:1,B:2 'a b' 'it'\\''s' ''");
    EXPECT_EQ(shell_line("operf", {"a\nb'"}), "operf $'a\\012b\\047'");
}

}  // namespace
}  // namespace op::gui
