// SPDX-License-Identifier: GPL-2.0-or-later
// Whose samples of the kernel are between exec and the first mapping of the new program.
#include <gtest/gtest.h>

#include "tests/unit/collecting.h"
#include "tests/unit/stored_stacks.h"

namespace op::collect {
namespace {

const std::string of_kernel_in_new = std::string("{root}/bin/new/{dep}/{root}/proc/kallsyms/") + tail;
const std::string of_kernel_in_app = std::string("{root}/bin/app/{dep}/{root}/proc/kallsyms/") + tail;
const std::string of_kernel_alone = std::string("{root}/proc/kallsyms/{dep}/{root}/proc/kallsyms/") + tail;

class Starting : public Collecting {
protected:
    static Name exec(uint32_t tgid) { return {0, tgid, tgid, true, "new"}; }
    static Mapping program(uint32_t tgid) { return {0, tgid, {0x400000}, 0x1000, 0, false, "/bin/new", {}}; }
    static Sample in_kernel(uint32_t tgid) { return kernel(kernel_start + 0x10, tgid); }
    using StackTexts = test::StackTexts;
    StackTexts stacks() {
        account_ = collector_->flush_and_account();
        return test::stacks_in(session_.directory(), {"TIMER", 1000000, 0, {}, {}, {}}, notes_);
    }
};

}  // namespace

TEST_F(Starting, the_kernels_samples_are_the_new_programs) {
    collector();
    feed({exec(8), in_kernel(8), in_kernel(8), program(8), in_kernel(8)});
    EXPECT_EQ(files(), std::vector{of_kernel_in_new + " 10=3"});
    EXPECT_EQ(account_.ledger.sampled(), 3u);
    EXPECT_TRUE(account_.ledger.balanced());
}

TEST_F(Starting, a_program_that_calls_exec_has_none_of_them) {
    collector();
    feed({in_kernel(7), exec(7), in_kernel(7), program(7)});
    EXPECT_EQ(files(), (std::vector{of_kernel_in_app + " 10=1", of_kernel_in_new + " 10=1"}));
    EXPECT_EQ(account_.names.commands().at({"/bin/new", "new"}), 1u);
}

TEST_F(Starting, before_the_record_of_exec_a_command_is_awaited_by_an_empty_name) {
    collector();
    feed({Name{0, 8, 8, true, {}}, in_kernel(8), exec(8), in_kernel(8), program(8)});
    EXPECT_EQ(files(), std::vector{of_kernel_in_new + " 10=2"});
}

TEST_F(Starting, memory_without_a_file_names_no_program) {
    collector();
    feed({exec(8), in_kernel(8), Mapping{0, 8, {0x900000}, 0x1000, 0, false, "[stack]", {}}, in_kernel(8),
          program(8)});
    EXPECT_EQ(files(), std::vector{of_kernel_in_new + " 10=2"});
}

TEST_F(Starting, programs_started_at_the_same_time_have_their_own) {
    collector();
    feed({exec(8), exec(9), in_kernel(8), in_kernel(9), program(9), in_kernel(9),
          Mapping{0, 8, {0x400000}, 0x1000, 0, false, "/bin/app", {}}});
    EXPECT_EQ(files(), (std::vector{of_kernel_in_app + " 10=1", of_kernel_in_new + " 10=2"}));
}

TEST_F(Starting, of_a_program_that_ends_before_it_is_mapped_they_are_the_one_befores) {
    collector();
    feed({exec(7), in_kernel(7), Exit{0, 7, 7}, exec(8), in_kernel(8), Exit{0, 8, 8}, in_kernel(8)});
    EXPECT_EQ(files(), (std::vector{of_kernel_in_app + " 10=1", of_kernel_alone + " 10=2"}));
    EXPECT_TRUE(account_.ledger.balanced());
}

TEST_F(Starting, they_are_in_no_account_before_they_are_stored) {
    collector();
    feed({exec(8), in_kernel(8)});
    EXPECT_TRUE(files().empty());
    EXPECT_EQ(account_.ledger.sampled(), 0u);
    collector_->store_starting();
    EXPECT_EQ(files(), std::vector{of_kernel_alone + " 10=1"});
    EXPECT_EQ(account_.ledger.sampled(), 1u);
    EXPECT_TRUE(account_.ledger.balanced());
}

TEST_F(Starting, a_program_that_is_mapped_in_the_next_run_has_them_there) {
    collector();
    feed({exec(8), in_kernel(8)});
    EXPECT_TRUE(files().empty());
    collector_->reopen_files();
    session_.save_as("kept");
    collector_->begin_run(1);
    feed({program(8)});
    EXPECT_EQ(files(), std::vector{of_kernel_in_new + " 10=1"});
    EXPECT_TRUE(account_.ledger.balanced());
}

TEST_F(Starting, they_pass_the_filter_of_programs_as_the_new_one_does) {
    collector({.only_images = {"/bin/new"}});
    feed({exec(7), in_kernel(7), program(7), exec(8), in_kernel(8),
          Mapping{0, 8, {0x400000}, 0x1000, 0, false, "/bin/app", {}}});
    EXPECT_EQ(files(), std::vector{of_kernel_in_new + " 10=1"});
    EXPECT_EQ(account_.ledger.lost(LossCause::image_filtered), 1u);
    EXPECT_TRUE(account_.ledger.balanced());
}

TEST_F(Starting, callers_in_the_program_before_are_left_out) {
    collector({.stacks = true});
    const uint64_t chain[] = {kernel_start + 0x40, 0x400100, 0x7f0200};
    Sample sample = in_kernel(7);
    sample.chain = chain;
    sample.kernel_frames = 1;
    feed({exec(7), sample, program(7)});
    EXPECT_EQ(stacks(), (StackTexts{{"/bin/new;[frame_pointers];/proc/kallsyms+40;/proc/kallsyms+10!", 1}}));
}

TEST_F(Starting, a_stack_that_was_copied_meanwhile_is_the_kernels_which_is_whole) {
    collector({.stacks = true});
    const uint64_t chain[] = {kernel_start + 0x40};
    UserStack of_the_program_before;
    of_the_program_before.has_registers = true;
    Sample sample = in_kernel(7);
    sample.chain = chain;
    sample.kernel_frames = 1;
    sample.user_stack = &of_the_program_before;
    feed({exec(7), sample, program(7)});
    EXPECT_EQ(stacks(), (StackTexts{{"/bin/new;/proc/kallsyms+40;/proc/kallsyms+10!", 1}}));
}

TEST_F(Starting, what_is_in_doubt_is_asked_for) {
    const std::vector<Record> world{Name{0, 8, 8, true, "new"}, program(8)};
    collector({}, [&](const Sample& sample, Gap) -> std::optional<std::span<const Record>> {
        EXPECT_EQ(sample.tgid, 8u);
        return std::span<const Record>(world);
    });
    feed({exec(8), in_kernel(8), LostSideBand{1}});
    EXPECT_EQ(files(), std::vector{of_kernel_in_new + " 10=1"});
}

TEST_F(Starting, what_there_is_no_room_for_is_stored_at_once) {
    collector();
    for (uint32_t tgid = 100; tgid < 110 + StartingPrograms::most_processes; ++tgid)
        feed({exec(tgid), in_kernel(tgid)});
    EXPECT_EQ(files(), std::vector{of_kernel_alone + " 10=10"}) << "of processes";
    feed(std::vector<Record>(StartingPrograms::most_samples, in_kernel(100)));
    EXPECT_EQ(files(),
              std::vector{of_kernel_alone + " 10=" + std::to_string(10 + StartingPrograms::most_processes)})
        << "of samples";
    for (uint32_t tgid = 100; tgid < 110 + StartingPrograms::most_processes; ++tgid)
        feed({program(tgid)});
    files();
    EXPECT_EQ(account_.ledger.stored(),
              StartingPrograms::most_samples + StartingPrograms::most_processes + 10);
    EXPECT_TRUE(account_.ledger.balanced());
}

}  // namespace op::collect
