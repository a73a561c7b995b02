// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/profile/command_names.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace op::pp {
namespace {

using Lines = std::vector<std::string>;

/// Images with samples of these applications.
std::vector<ImageFiles> images_of(const Lines& applications) {
    std::vector<ImageFiles> images;
    for (const std::string& application : applications) {
        const ImageName name{ImageName::Kind::file, application};
        images.push_back({name, {{name, {}}}});
    }
    return images;
}

}  // namespace

TEST(CommandRemarks, name_the_scripts_of_an_interpreter_with_their_shares) {
    RecordedNames names;
    names.add_command("/usr/bin/dash", "postinst", 6);
    names.add_command("/usr/bin/dash", "swarm.sh", 94);
    names.add_command("/usr/bin/ls", "ls", 50);
    EXPECT_EQ(command_remarks(images_of({"/usr/bin/dash", "/usr/bin/ls"}), names),
              Lines{"dash ran as swarm.sh (94 % of its samples), postinst (6 %)"});
}

TEST(CommandRemarks, are_silent_on_a_programs_own_name) {
    RecordedNames names;
    names.add_command("/usr/bin/python3.11", "python3", 50);
    names.add_command("/usr/bin/a-name-longer-than-the-kernels", "a-name-longer-t", 50);
    names.add_command("/usr/bin/dash", "sh", 50);
    const Lines shown{"/usr/bin/python3.11", "/usr/bin/a-name-longer-than-the-kernels", "/usr/bin/dash"};
    EXPECT_EQ(command_remarks(images_of(shown), names), Lines{});
}

TEST(CommandRemarks, are_silent_on_env_which_starts_the_interpreters_of_scripts) {
    RecordedNames names;
    names.add_command("/usr/bin/env", "short.pl", 29);
    names.add_command("/usr/bin/perl", "perl", 51);
    EXPECT_EQ(command_remarks(images_of({"/usr/bin/env", "/usr/bin/perl"}), names), Lines{});
}

TEST(CommandRemarks, are_silent_on_what_is_rare_or_not_shown) {
    RecordedNames names;
    names.add_command("/usr/bin/env", "script", 4);
    names.add_command("/usr/bin/dash", "swarm.sh", 46);
    names.add_command("/usr/bin/ls", "ls", 50);
    EXPECT_EQ(command_remarks(images_of({"/usr/bin/env", "/usr/bin/ls"}), names), Lines{});
}

TEST(CommandRemarks, list_five_programs_and_five_names_at_most) {
    RecordedNames names;
    Lines applications;
    for (char c = 'a'; c < 'h'; ++c) {
        applications.push_back(std::string("/bin/") + c);
        for (char n = '1'; n < '8'; ++n)
            names.add_command(applications.back(), std::string("script") + n, 100 + static_cast<uint64_t>(c));
    }
    const Lines remarks = command_remarks(images_of(applications), names);
    ASSERT_EQ(remarks.size(), 5u);
    EXPECT_TRUE(remarks.front().starts_with("g ran as script1 (14 % of its samples)")) << remarks.front();
    EXPECT_EQ(std::ranges::count(remarks.front(), ','), 5);
    EXPECT_TRUE(remarks.front().ends_with(", others (29 %)")) << remarks.front();
}

TEST(CommandRemarks, shares_are_of_all_samples_of_a_program_with_too_many_names) {
    RecordedNames names;
    names.add_command("/bin/dash", "first", 70);
    for (int i = 0; i < 130; ++i)
        names.add_command("/bin/dash", "script" + std::to_string(i), 1);
    EXPECT_EQ(command_remarks(images_of({"/bin/dash"}), names),
              Lines{"dash ran as first (35 % of its samples), others (65 %)"});
}

TEST(CommandRemarks, go_by_a_twentieth_of_the_session_not_of_the_program) {
    RecordedNames names;
    names.add_command("/bin/dash", "dash", 40);
    names.add_command("/bin/dash", "often", 6);
    names.add_command("/bin/perl", "rare", 4);
    names.add_command("/bin/ls", "ls", 50);
    EXPECT_EQ(command_remarks(images_of({"/bin/dash", "/bin/perl"}), names),
              Lines{"dash ran as often (13 % of its samples)"});
}

TEST(CommandRemarks, control_characters_in_names_are_not_printed) {
    RecordedNames names;
    names.add_command("/bin/dash", "a\033[2Jb", 9);
    EXPECT_EQ(command_remarks(images_of({"/bin/dash"}), names),
              Lines{"dash ran as a?[2Jb (100 % of its samples)"});
}

TEST(ThreadNames, are_given_to_the_columns_of_one_thread_or_process) {
    RecordedNames names;
    names.set_thread({1, 1}, "main");
    names.set_thread({1, 2}, "worker");
    std::vector<ProfileClass> classes(4);
    classes[0].tgid = 1;
    classes[1].tgid = 1;
    classes[1].tid = 2;
    classes[2].tgid = 3;
    name_threads(classes, names);
    EXPECT_EQ(classes[0].thread_name, "main") << "a process has the name of its first thread";
    EXPECT_EQ(classes[1].thread_name, "worker");
    EXPECT_EQ(classes[2].thread_name, "");
    EXPECT_EQ(classes[3].thread_name, "");
}

}  // namespace op::pp
