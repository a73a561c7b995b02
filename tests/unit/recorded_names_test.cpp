// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/session/recorded_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace op {

using Command = RecordedNames::Command;

TEST(RecordedNames, samples_add_up_by_program_and_name) {
    RecordedNames names;
    names.add_command("/bin/dash", "a.sh", 3);
    names.add_command("/bin/dash", "a.sh", 4);
    names.add_command("/bin/dash", "b.sh", 1);
    names.add_command("/bin/bash", "a.sh", std::numeric_limits<uint64_t>::max());
    names.add_command("/bin/bash", "a.sh", 1);
    names.add_command("/bin/ls", "ls", 0);
    EXPECT_EQ(names.commands(),
              (std::map<Command, uint64_t>{{{"/bin/dash", "a.sh"}, 7},
                                           {{"/bin/dash", "b.sh"}, 1},
                                           {{"/bin/bash", "a.sh"}, std::numeric_limits<uint64_t>::max()}}));
}

TEST(RecordedNames, one_program_cannot_take_the_room_of_the_others) {
    RecordedNames names;
    for (size_t i = 0; i < RecordedNames::most_commands; ++i)
        names.add_command("/bin/bad", "name" + std::to_string(i), 1);
    EXPECT_EQ(names.commands().size(), RecordedNames::most_commands_each + 1);
    EXPECT_EQ(names.commands().at({"/bin/bad", ""}),
              RecordedNames::most_commands - RecordedNames::most_commands_each);
    EXPECT_EQ(names.left_out_samples(), 0u);
    names.add_command("/bin/good", "x", 5);
    EXPECT_EQ(names.commands().at({"/bin/good", "x"}), 5u);
}

TEST(RecordedNames, many_programs_fill_a_bounded_table_and_the_rest_is_counted) {
    RecordedNames names;
    for (size_t i = 0; i < RecordedNames::most_commands + 7; ++i)
        names.add_command("/bin/" + std::to_string(i), "x", 2);
    EXPECT_EQ(names.commands().size(), RecordedNames::most_commands);
    EXPECT_EQ(names.left_out_samples(), 14u);
    names.add_command("/bin/0", "x", 2);
    EXPECT_EQ(names.commands().at({"/bin/0", "x"}), 4u) << "known ones go on";
}

TEST(RecordedNames, the_newest_name_of_a_thread_counts_and_threads_are_bounded) {
    RecordedNames names;
    for (uint32_t i = 0; i < RecordedNames::most_threads; ++i)
        names.set_thread({1, i}, "old");
    EXPECT_FALSE(names.has_left_out_threads());
    names.set_thread({1, 0}, "new");
    EXPECT_EQ(names.threads().at({1, 0}), "new");
    names.set_thread({2, 0}, "late");
    EXPECT_EQ(names.threads().size(), RecordedNames::most_threads);
    EXPECT_TRUE(names.has_left_out_threads());
}

TEST(RecordedNames, a_known_program_keeps_all_its_samples_in_a_full_table) {
    RecordedNames names, merged;
    for (size_t i = 0; i < RecordedNames::most_commands; ++i)
        names.add_command("/bin/" + std::to_string(i), "x", 2);
    names.add_command("/bin/0", "y", 3);
    names.add_command("/bin/0", "z", 4);
    EXPECT_EQ(names.commands().at({"/bin/0", ""}), 7u);
    EXPECT_EQ(names.left_out_samples(), 0u);
    merged.merge(names);
    merged.merge(names);
    EXPECT_EQ(merged.commands().at({"/bin/0", ""}), 14u);
}

TEST(RecordedNames, merge_keeps_the_limits) {
    RecordedNames all, more;
    for (size_t i = 0; i < RecordedNames::most_commands; ++i) {
        all.add_command("/a/" + std::to_string(i), "x", 1);
        more.add_command("/b/" + std::to_string(i), "x", 1);
    }
    more.add_command("/b/more", "x", 5);
    all.merge(more);
    EXPECT_EQ(all.commands().size(), RecordedNames::most_commands);
    EXPECT_EQ(all.left_out_samples(), RecordedNames::most_commands + 5);
}

TEST(RecordedNames, what_is_within_the_limits_is_kept_in_any_order) {
    std::vector<std::pair<Command, uint64_t>> rows;
    for (size_t i = 0; i < RecordedNames::most_commands; ++i)
        for (const char* name : {"", "x"})
            rows.push_back({{"/bin/" + std::to_string(i), name}, i + 1});
    RecordedNames forwards, backwards, merged;
    for (const auto& [command, samples] : rows)
        forwards.add_command(command.first, command.second, samples);
    std::ranges::reverse(rows);
    for (const auto& [command, samples] : rows)
        backwards.add_command(command.first, command.second, samples);
    EXPECT_EQ(forwards.commands().size(), rows.size());
    EXPECT_EQ(forwards.left_out_samples(), 0u);
    EXPECT_EQ(backwards, forwards);
    merged.merge(forwards);
    EXPECT_EQ(merged, forwards);
}

TEST(RecordedNames, rows_without_a_name_are_bounded) {
    RecordedNames names;
    for (size_t i = 0; i < RecordedNames::most_commands + 7; ++i)
        names.add_command("/bin/" + std::to_string(i), "", 2);
    names.add_command("/bin/last", "x", 5);
    EXPECT_EQ(names.commands().size(), RecordedNames::most_commands);
    EXPECT_EQ(names.left_out_samples(), 19u);
}

}  // namespace op
