// SPDX-License-Identifier: GPL-2.0-or-later
// Names of processes and threads, from records to the manifest.
#include "daemon/collect/command_names.h"

#include <gtest/gtest.h>

#include "tests/unit/collecting.h"

namespace op::collect {
namespace {

class CommandNamesCollected : public Collecting {
protected:
    RecordedNames names() { return collector_->flush_and_account().names; }
    uint64_t samples(const std::string& application, const std::string& name) {
        const RecordedNames recorded = names();
        const auto at = recorded.commands().find({application, name});
        return at == recorded.commands().end() ? 0 : at->second;
    }
};

}  // namespace

TEST_F(CommandNamesCollected, samples_count_by_the_name_at_their_time) {
    collector();
    feed({user(0x400010), user(0x400020), Name{0, 7, 7, false, "later"}, user(0x400010), user(0x7f0010)});
    EXPECT_EQ(samples("/bin/app", "app"), 2u);
    EXPECT_EQ(samples("/bin/app", "later"), 2u);
}

TEST_F(CommandNamesCollected, a_script_is_its_interpreters_name) {
    collector();
    feed({Name{0, 8, 8, true, "swarm.sh"}, Mapping{0, 8, {0x400000}, 0x10000, 0, false, "/bin/dash", {}},
          user(0x400010, 8), user(0x400020, 8), Fork{0, 9, 9, 8, 8}, user(0x400010, 9)});
    EXPECT_EQ(samples("/bin/dash", "swarm.sh"), 3u) << "a child has its parent's name until it calls exec";
}

TEST_F(CommandNamesCollected, the_work_of_exec_has_no_name_of_the_program_that_called_it) {
    collector();
    feed({Name{0, 8, 8, true, "sh"}, Mapping{0, 8, {0x400000}, 0x10000, 0, false, "/bin/dash", {}},
          user(0x400010, 8), Mapping{0, 0, {0xffff800000000000}, 0x10000, 0, true, "kernel", {}},
          Name{0, 8, 8, true, "expr"}, kernel(0xffff800000000010, 8)});
    EXPECT_EQ(samples("/bin/dash", "sh"), 1u);
    EXPECT_EQ(samples("/bin/dash", "expr"), 0u);
}

TEST_F(CommandNamesCollected, samples_without_application_or_file_are_not_counted) {
    CollectorOptions only_other;
    only_other.only_images = {"/bin/other"};
    collector(only_other);
    feed({user(0x400010), user(0x400010), user(0x400010, 99)});
    EXPECT_TRUE(names().commands().empty());
}

TEST_F(CommandNamesCollected, names_chosen_without_end_fill_no_memory) {
    collector();
    std::vector<std::string> texts;
    for (int i = 0; i < 100; ++i)
        texts.push_back("n" + std::to_string(i));
    for (const std::string& text : texts)
        feed({Name{0, 7, 7, false, text}, user(0x400010)});
    EXPECT_EQ(names().commands().size(), RecordedNames::most_commands_each + 1);
    EXPECT_EQ(samples("/bin/app", ""), 100 - RecordedNames::most_commands_each);
    EXPECT_EQ(names().left_out_samples(), 0u);
}

TEST_F(CommandNamesCollected, threads_are_named_where_they_are_kept_apart) {
    collector({.separation = by_thread});
    Sample in_thread = user(0x400010);
    in_thread.tid = 71;
    Sample in_silent_thread = user(0x400010);
    in_silent_thread.tid = 72;
    feed({Fork{0, 7, 71, 7, 7}, Fork{0, 7, 72, 7, 7}, Fork{0, 7, 73, 7, 7}, user(0x400010), in_thread,
          in_silent_thread, Name{0, 7, 71, false, "worker"}, Name{0, 7, 73, false, "idle"}});
    EXPECT_EQ(names().threads(), (std::map<RecordedNames::Thread, std::string>{
                                     {{7, 7}, "app"}, {{7, 71}, "worker"}, {{7, 72}, "app"}}));
}

TEST_F(CommandNamesCollected, a_thread_has_the_name_of_the_one_that_made_it) {
    collector({.separation = by_thread});
    Sample in_child = user(0x400010);
    in_child.tid = 72;
    feed({Fork{0, 7, 71, 7, 7}, Name{0, 7, 71, false, "worker"}, Fork{0, 7, 72, 7, 71}, in_child});
    EXPECT_EQ(names().threads().at({7, 72}), "worker");
}

TEST_F(CommandNamesCollected, a_silent_thread_keeps_the_name_its_maker_had) {
    collector({.separation = by_thread});
    Sample early = user(0x400010), late = user(0x400010);
    early.tid = 71;
    late.tid = 72;
    feed({Fork{0, 7, 71, 7, 7}, Name{0, 7, 7, false, "renamed"}, Fork{0, 7, 72, 7, 7}, early, late});
    EXPECT_EQ(names().threads(),
              (std::map<RecordedNames::Thread, std::string>{{{7, 71}, "app"}, {{7, 72}, "renamed"}}));
}

TEST_F(CommandNamesCollected, names_of_threads_that_were_left_out_are_noted) {
    collector({.separation = by_thread});
    EXPECT_FALSE(names().has_left_out_threads());
    feed({Name{0, 7, 99, false, "stranger"}});
    EXPECT_TRUE(names().has_left_out_threads());
}

TEST_F(CommandNamesCollected, threads_are_not_named_where_they_are_added_up) {
    collector();
    feed({user(0x400010)});
    EXPECT_TRUE(names().threads().empty());
}

TEST_F(CommandNamesCollected, a_new_run_begins_without_names) {
    Collector& c = collector();
    feed({user(0x400010)});
    c.begin_run(1);
    EXPECT_TRUE(names().commands().empty());
    feed({user(0x400010), user(0x400010)});
    EXPECT_EQ(samples("/bin/app", "app"), 2u);
}

TEST(CommandNames, a_full_table_is_recorded_as_it_was_counted) {
    StringTable texts;
    CommandNames names;
    std::vector<StringId> programs;
    for (size_t i = 0; i < RecordedNames::most_commands; ++i)
        programs.push_back(texts.intern("/bin/" + std::to_string(i)));
    for (const char* name : {"first", "second"})
        for (const StringId program : programs)
            names.add(names.counter(program, name), 1);
    names.add(names.counter(texts.intern("/bin/more"), "x"), 5);
    const RecordedNames recorded = names.describe(texts);
    EXPECT_EQ(recorded.commands().size(), 2 * RecordedNames::most_commands);
    for (const auto& [command, samples] : recorded.commands())
        EXPECT_EQ(samples, 1u) << command.first;
    EXPECT_EQ(recorded.left_out_samples(), 5u);
    EXPECT_EQ(names.total(), 2 * RecordedNames::most_commands + 5);
}

}  // namespace op::collect
