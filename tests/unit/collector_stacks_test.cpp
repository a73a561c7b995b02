// SPDX-License-Identifier: GPL-2.0-or-later
// The stacks that a collector stores.
#include <gtest/gtest.h>
#include <malloc.h>

#include "tests/unit/collecting.h"
#include "tests/unit/stored_stacks.h"

namespace op::collect {
namespace {

using test::StackTexts;

constexpr uint64_t callers[] = {0x400100, 0x7f0200};

class CollectingStacks : public Collecting {
protected:
    StackTexts stacks(std::optional<uint32_t> thread = {}) {
        account_ = collector_->flush_and_account();
        return test::stacks_in(session_.directory(), {"TIMER", 1000000, 0, thread, thread, {}}, notes_);
    }
    static Sample called(uint64_t pc, std::optional<StackEnd> end) {
        Sample sample = user(pc);
        sample.chain = callers;
        sample.stack_end = end;
        return sample;
    }
    static std::string at(const std::string& image, const std::string& offset) {
        return ";" + image + "+" + offset;
    }
};

const std::string complete = "/bin/app;/lib/libc.so+200;/bin/app+1100;/bin/app+1010!";

}  // namespace

TEST_F(CollectingStacks, a_stack_begins_with_its_application_and_ends_at_the_sampled_address) {
    collector();
    feed({called(0x400010, StackEnd::root), called(0x400010, StackEnd::root)});
    EXPECT_EQ(stacks(), (StackTexts{{complete, 2}}));
    EXPECT_EQ(account_.stacks.complete, 2u);
    EXPECT_EQ(account_.stacks.stored(), account_.ledger.stored());
}

TEST_F(CollectingStacks, an_incomplete_stack_has_its_reason) {
    collector();
    feed({called(0x400010, StackEnd::dump_short), called(0x400010, std::nullopt)});
    const std::string rest = "/lib/libc.so+200;/bin/app+1100;/bin/app+1010!";
    EXPECT_EQ(stacks(),
              (StackTexts{{"/bin/app;[dump_short];" + rest, 1}, {"/bin/app;[frame_pointers];" + rest, 1}}));
    EXPECT_EQ(account_.stacks.complete, 0u);
    EXPECT_EQ(account_.stacks.incomplete,
              (std::map<std::string, uint64_t>{{"dump_short", 1}, {"frame_pointers", 1}}));
}

TEST_F(CollectingStacks, the_kernels_frames_are_called_by_the_users) {
    collector();
    const uint64_t chain[] = {kernel_start + 0x40, 0x400100};
    Sample sample = kernel(kernel_start + 0x30);
    sample.chain = chain;
    sample.kernel_frames = 1;
    sample.stack_end = StackEnd::root;
    feed({sample});
    EXPECT_EQ(stacks(), (StackTexts{{"/bin/app;/bin/app+1100;/proc/kallsyms+40;/proc/kallsyms+30!", 1}}));
}

TEST_F(CollectingStacks, what_lies_outside_an_address_without_mapping_is_left_out) {
    collector();
    const uint64_t chain[] = {0x400100, 0x1, 0x7f0200};
    Sample sample = user(0x400010);
    sample.chain = chain;
    feed({sample});
    EXPECT_EQ(stacks(), (StackTexts{{"/bin/app;[no_mapping];/bin/app+1100;/bin/app+1010!", 1}}));
}

// A function that never returns may be called last in its mapping: the return address is that of the next
// one.
TEST_F(CollectingStacks, a_call_at_the_end_of_a_mapping_belongs_to_that_mapping) {
    collector();
    feed({Mapping{0, 7, {0x410000}, 0x1000, 0, false, "/lib/next.so", {}}});
    const uint64_t chain[] = {0x410000, 0x800000};  // both one byte behind
    Sample sample = user(0x400010);
    sample.chain = chain;
    sample.stack_end = StackEnd::root;
    feed({sample});
    EXPECT_EQ(stacks(), (StackTexts{{"/bin/app;/lib/libc.so+10000;/bin/app+11000;/bin/app+1010!", 1}}));
}

TEST_F(CollectingStacks, an_address_that_is_sampled_and_called_from_is_two_frames) {
    collector();
    feed({Mapping{0, 7, {0x410000}, 0x1000, 0, false, "/lib/next.so", {}}});
    const uint64_t chain[] = {0x410000, 0x400100};
    Sample sample = user(0x410000);
    sample.chain = chain;
    sample.stack_end = StackEnd::root;
    feed({sample, sample});
    EXPECT_EQ(stacks(), (StackTexts{{"/bin/app;/bin/app+1100;/bin/app+11000;/lib/next.so+0!", 2}}));
}

TEST_F(CollectingStacks, kernel_code_of_unknown_origin_keeps_the_lower_bits_of_its_address) {
    collector();
    Sample sample = kernel(0xffffffffd0000000);
    sample.stack_end = StackEnd::root;
    feed({sample});
    EXPECT_EQ(stacks(), (StackTexts{{"/bin/app;no-vmlinux+7ffd0000000!", 1}}));
}

TEST_F(CollectingStacks, sample_files_are_byte_for_byte_those_without_stacks) {
    const auto bytes_after = [this](bool has_stacks) {
        session_.begin(false);
        collector({.stacks = has_stacks, .arcs = false});
        for (uint64_t i = 0; i < 5000; ++i) {
            Sample sample = i % 3 == 0 ? kernel(kernel_start + i) : user(0x400000 + i * 7);
            if (has_stacks) sample.chain = callers;
            feed({sample});
        }
        account_ = collector_->flush_and_account();
        std::map<std::string, std::string> bytes;
        for (const std::string& path : SessionReader(session_.current_path()).list())
            bytes[path] = read_file(session_.current_path() + "/" + path);
        return bytes;
    };
    const auto flat = bytes_after(false);
    EXPECT_FALSE(std::filesystem::exists(session_.current_path() + "/stacks"));
    EXPECT_EQ(flat.size(), 2U);
    EXPECT_TRUE(bytes_after(true) == flat);
    EXPECT_EQ(account_.stacks.stored(), 5000U);
}

TEST_F(CollectingStacks, a_sample_that_is_lost_has_no_stack) {
    collector();
    feed({called(0x1, StackEnd::root)});
    EXPECT_TRUE(stacks().empty());
    EXPECT_TRUE(account_.stacks.is_empty());
}

TEST_F(CollectingStacks, without_chains_nothing_is_made_unless_stacks_are_wanted) {
    collector();
    feed({user(0x400010)});
    EXPECT_TRUE(stacks().empty());
    EXPECT_FALSE(std::filesystem::exists(session_.current_path() + "/stacks"));
    collector({.stacks = true});
    feed({user(0x400010)});
    EXPECT_EQ(stacks(), (StackTexts{{"/bin/app;[frame_pointers];/bin/app+1010!", 1}}));
}

TEST_F(CollectingStacks, wanted_stacks_have_their_files_open_before_the_first_sample) {
    const std::filesystem::path frames = session_.current_path() + "/stacks/frames";
    collector();
    EXPECT_FALSE(std::filesystem::exists(frames));
    collector({.stacks = true});
    EXPECT_TRUE(std::filesystem::exists(frames));
    collector_->reopen_files();
    session_.save_as("kept");
    collector_->begin_run(1);
    EXPECT_TRUE(std::filesystem::exists(frames));
}

TEST_F(CollectingStacks, without_stacks_no_memory_is_taken_for_them) {
    const auto taken = [] { return ::mallinfo2().uordblks + ::mallinfo2().hblkhd; };
    const size_t before = taken();
    if (before == 0)
        GTEST_SKIP() << "this allocator, as the address sanitizer's, does not count what is taken";
    const StackWalker walker{ProcessTable()};
    const FrameCache frames;
    EXPECT_LT(taken() - before, size_t{64} << 10);
}

TEST_F(CollectingStacks, a_weighted_sample_counts_as_many) {
    collector();
    Sample sample = called(0x400010, StackEnd::root);
    sample.weight = 300;
    feed({sample});
    EXPECT_EQ(stacks(), (StackTexts{{complete, 300}}));
}

TEST_F(CollectingStacks, separated_threads_have_stacks_of_their_own) {
    collector({.separation = by_thread});
    feed({called(0x400010, StackEnd::root)});
    EXPECT_EQ(stacks(7), (StackTexts{{complete, 1}}));
}

TEST_F(CollectingStacks, the_application_is_that_of_the_samples_file) {
    collector({.separation = {}});
    Sample in_library = user(0x7f0020), in_kernel = kernel(kernel_start + 0x30);
    in_library.stack_end = in_kernel.stack_end = StackEnd::root;
    feed({in_library, in_kernel});
    EXPECT_EQ(stacks(),
              (StackTexts{{"/lib/libc.so;/lib/libc.so+20!", 1}, {"/proc/kallsyms;/proc/kallsyms+30!", 1}}));
}

TEST_F(CollectingStacks, a_program_that_calls_exec_is_another_application_from_then_on) {
    collector();
    Sample sample = user(0x7f0020);
    sample.stack_end = StackEnd::root;
    feed({sample, sample, Name{0, 7, 7, true, "other"},
          Mapping{0, 7, {0x400000}, 0x10000, 0, false, "/bin/other", {}},
          Mapping{0, 7, {0x7f0000}, 0x10000, 0, false, "/lib/libc.so", {}}, sample, sample});
    EXPECT_EQ(stacks(), (StackTexts{{"/bin/app;/lib/libc.so+20!", 2}, {"/bin/other;/lib/libc.so+20!", 2}}));
}

TEST_F(CollectingStacks, without_separation_each_image_of_a_process_is_its_own_application) {
    collector({.separation = {}});
    Sample in_library = user(0x7f0020), in_program = user(0x400010), on_heap = user(0x900010);
    in_library.stack_end = in_program.stack_end = on_heap.stack_end = StackEnd::root;
    feed({in_library, in_program, on_heap, in_library, in_program, on_heap});
    EXPECT_EQ(stacks(), (StackTexts{{"/bin/app;/bin/app+1010!", 2},
                                    {"/bin/app;[heap] (tgid:7 range:0x900000-0x900fff)+10!", 2},
                                    {"/lib/libc.so;/lib/libc.so+20!", 2}}));
}

TEST_F(CollectingStacks, a_session_that_is_saved_keeps_its_stacks_and_the_next_begins_without) {
    collector();
    feed({called(0x400010, StackEnd::root)});
    collector_->reopen_files();
    session_.save_as("kept");
    collector_->begin_run(1);
    feed({called(0x400020, StackEnd::root)});
    EXPECT_EQ(stacks(), (StackTexts{{"/bin/app;/lib/libc.so+200;/bin/app+1100;/bin/app+1020!", 1}}));
    EXPECT_EQ(account_.stacks.complete, 1u);
}

TEST_F(CollectingStacks, pairs_are_left_out_if_they_are_not_wanted) {
    collector({.arcs = false});
    feed({called(0x400010, StackEnd::root)});
    EXPECT_EQ(files().size(), 1u);
    EXPECT_EQ(stacks(), (StackTexts{{complete, 1}}));
}

}  // namespace op::collect
