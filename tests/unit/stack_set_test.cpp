// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/stacks/stack_set.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <ctime>

#include "tests/unit/faults.h"
#include "tests/unit/sample_file_bytes.h"
#include "tests/unit/stored_stacks.h"

namespace op {

using test::contains;
using test::file_image;
using test::FileSizeLimit;
using test::some_class;
using test::stack_file;
using test::StacksFolder;
using test::StackTexts;
using test::sum_of;

namespace {

using Frames = std::vector<StackFrame>;

SampleClass of_thread(uint32_t tid) {
    return {"CYCLES", 100000, 1, {}, tid, {}};
}

/// A stack of `depth` frames, the innermost at offset `leaf`.
Frames frames(uint32_t image, size_t depth, uint64_t leaf) {
    Frames innermost_first{{image, leaf, true}};
    for (size_t i = 1; i < depth; ++i)
        innermost_first.push_back({image, (depth - i) << 8, false});
    return innermost_first;
}

/// A number that a process and its children share.
class SharedCount {
public:
    SharedCount()
        : memory_(mmap(nullptr, sizeof(std::atomic<uint64_t>), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
        if (memory_ == MAP_FAILED) throw std::bad_alloc();
        value_ = new (memory_) std::atomic<uint64_t>(0);
    }
    SharedCount(const SharedCount&) = delete;
    SharedCount& operator=(const SharedCount&) = delete;
    ~SharedCount() { munmap(memory_, sizeof(std::atomic<uint64_t>)); }
    std::atomic<uint64_t>& operator*() { return *value_; }

private:
    void* memory_;
    std::atomic<uint64_t>* value_;
};

/// The process is killed so long from now, by a clock.
void die_in(long nanoseconds, clockid_t clock) {
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGKILL;
    timer_t timer{};
    const itimerspec once{{}, {0, nanoseconds}};
    if (timer_create(clock, &event, &timer) != 0 || timer_settime(timer, 0, &once, nullptr) != 0)
        std::abort();
}

/// Adds stacks, new and known ones, until it is killed.
[[noreturn]] void add_until_killed(StacksFolder& folder, std::atomic<uint64_t>& added, uint64_t seed) {
    StackSet set = folder.set();
    // On a busy machine the time may be over before it has run; its own CPU time is not.
    die_in(static_cast<long>(1000 + seed * 7919 % 1000 * 1000),
           seed % 4 == 0 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC);
    for (uint64_t i = seed;; i = i * 6364136223846793005 + 1442695040888963407) {
        const uint32_t image = set.image(file_image("/lib" + std::to_string(i >> 62)));
        set.add(some_class, image, frames(image, 1 + (i >> 40) % 9, (i >> 33) % 50), StackEnd::root, 1);
        ++added;
    }
}

}  // namespace

TEST(StackSet, writes_images_frames_and_nodes) {
    StacksFolder folder;
    {
        StackSet set = folder.set();
        const uint32_t app = set.image(file_image("/bin/a%\n")), lib = set.image(file_image("/lib/c"));
        EXPECT_EQ(set.image(file_image("/bin/a%\n")), app);
        const Frames stack{{lib, 0x20, true}, {app, 0x10, false}};
        set.add(some_class, app, stack, StackEnd::dump_short, 3);
    }
    EXPECT_EQ(folder.files(), (std::vector<std::string>{"CYCLES.100000.1.all.all.all", "frames", "images"}));
    EXPECT_EQ(folder.bytes("images"), "{root}/bin/a%25%0a\n{root}/lib/c\n");
    EXPECT_EQ(folder.bytes("frames"),
              stack_file(StackFileKind::frames, {0x17ffffffffff, 1, 0x100000000010, 0x280000000020}));
    EXPECT_EQ(folder.bytes("CYCLES.100000.1.all.all.all"),
              stack_file(StackFileKind::nodes, {0x100000, 0x40000200000, 0x80000300000, 0xc0000400003}));
}

TEST(StackSet, adds_up_equal_stacks_and_keeps_others_apart) {
    StacksFolder folder;
    StackSet set = folder.set();
    const uint32_t app = set.image(file_image("/a"));
    const Frames stack{{app, 3, true}, {app, 2, false}, {app, 1, false}};
    for (int i = 0; i < 5; ++i)
        set.add(some_class, app, stack, StackEnd::root, 1);
    set.add(some_class, app, Frames(stack.begin() + 1, stack.end()), StackEnd::root, 1);
    set.add(some_class, app, Frames(stack.begin(), stack.begin() + 2), StackEnd::root, 1);
    set.add(some_class, app, Frames(stack.begin(), stack.begin() + 2), StackEnd::no_info, 1);
    set.add(some_class, app, Frames{{app, 3, false}, {app, 2, false}, {app, 1, false}}, StackEnd::root, 10);
    EXPECT_EQ(folder.stacks(), (StackTexts{{"/a;/a+1;/a+2;/a+3!", 5},
                                           {"/a;/a+1;/a+2", 1},
                                           {"/a;/a+2;/a+3!", 1},
                                           {"/a;[no_info];/a+2;/a+3!", 1},
                                           {"/a;/a+1;/a+2;/a+3", 10}}));
    EXPECT_EQ(set.counts(), (StackAccount{.complete = 17, .incomplete = {{"no_info", 1}}}));
    EXPECT_EQ(folder.notes.warnings(), std::vector<std::string>());
}

TEST(StackSet, a_stack_without_frames_is_the_application) {
    StacksFolder folder;
    StackSet set = folder.set();
    set.add(some_class, set.image(file_image("/a")), {}, StackEnd::no_registers, 2);
    EXPECT_EQ(folder.stacks(), (StackTexts{{"/a;[no_registers]", 2}}));
}

TEST(StackSet, threads_do_not_disturb_each_other) {
    StacksFolder folder;
    StackSet set = folder.set();
    const uint32_t app = set.image(file_image("/a"));
    StackTexts expected;
    for (uint32_t i = 0; i < 1000; ++i) {
        const uint32_t thread = i % 70, depth = 3 + i % 5;
        set.add(i % 3 ? some_class : of_thread(thread), app, frames(app, depth, i % 10), StackEnd::root, 1,
                thread);
    }
    uint64_t sum = sum_of(folder.stacks());
    for (uint32_t thread = 0; thread < 70; ++thread) {
        const StackTexts stacks = folder.stacks(of_thread(thread));
        sum += sum_of(stacks);
        for (const auto& [stack, count] : stacks)
            EXPECT_TRUE(stack.starts_with("/a;/a+")) << stack;
    }
    EXPECT_EQ(sum, 1000u);
    EXPECT_EQ(set.counts().complete, 1000u);
}

TEST(StackSet, an_appended_run_goes_on) {
    StacksFolder folder;
    for (int run = 0; run < 3; ++run) {
        StackSet set = folder.set();
        const uint32_t other = run == 1 ? set.image(file_image("/other")) : 0;
        const uint32_t app = set.image(file_image("/a"));
        EXPECT_EQ(app, 1u);
        set.add(some_class, app, frames(app, 3, 5), StackEnd::root, 2);
        if (other) set.add(some_class, other, frames(other, 2, 7), StackEnd::root, 1);
        EXPECT_EQ(set.counts().complete, other ? 3u : 2u);
    }
    EXPECT_EQ(folder.stacks(),
              (StackTexts{{"/a;/a+100;/a+200;/a+5!", 6}, {"/other;/other+100;/other+7!", 1}}));
    EXPECT_EQ(folder.notes.warnings(), std::vector<std::string>());
}

TEST(StackSet, the_file_of_a_class_is_opened_before_its_first_stack_if_that_is_wished) {
    StacksFolder folder;
    {
        StackSet set = folder.set();
        set.add(some_class, set.image(file_image("/a")), {}, StackEnd::root, 1);
    }
    folder.write(mangle_class(some_class), "noise");
    StackSet set = folder.set();
    set.prepare(of_thread(5));
    EXPECT_TRUE(folder.notes.warnings().empty());
    set.prepare(some_class);
    EXPECT_EQ(folder.notes.warnings().size(), 1u);
    EXPECT_EQ(folder.files(),
              (std::vector<std::string>{"CYCLES.100000.1.all.all.all", "CYCLES.100000.1.all.all.all.damaged",
                                        "frames", "images"}));
}

TEST(StackSet, a_writer_that_is_killed_at_any_moment_leaves_all_that_it_added) {
    StacksFolder folder;
    SharedCount added;
    {  // a writer may be killed before it makes the file
        StackSet set = folder.set();
        set.add(some_class, set.image(file_image("/a")), {}, StackEnd::root, 1);
        ++*added;
    }
    for (uint64_t kills = 1; kills <= 100; ++kills) {
        const pid_t writer = fork();
        ASSERT_GE(writer, 0);
        if (writer == 0) add_until_killed(folder, *added, kills);
        int status = 0;
        ASSERT_EQ(waitpid(writer, &status, 0), writer);
        ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);

        const uint64_t sum = sum_of(folder.stacks());
        EXPECT_GE(sum, *added);
        EXPECT_LE(sum, *added + kills) << "one each that was killed before it could say so";
    }
    EXPECT_GT(*added, 1u);
    EXPECT_EQ(folder.notes.warnings(), std::vector<std::string>());
}

TEST(StackSet, two_runs_give_the_same_sums_in_either_order) {
    const auto run = [](StacksFolder& folder, int seed) {
        StackSet set = folder.set();
        std::vector<uint32_t> images;
        for (int i = 0; i < 4; ++i)
            images.push_back(set.image(file_image("/lib" + std::to_string((i * seed) % 5))));
        for (uint64_t i = 0; i < 500; ++i)
            set.add(some_class, images[i % 2], frames(images[i % 4], 2 + i * seed % 7, i % 11),
                    i % 5 ? StackEnd::root : StackEnd::no_mapping, 1);
    };
    StacksFolder one, other;
    run(one, 1);
    run(one, 3);
    run(other, 3);
    run(other, 1);
    EXPECT_EQ(one.stacks(), other.stacks());
    EXPECT_EQ(sum_of(one.stacks()), 1000u);
}

TEST(StackSet, closes_the_files_of_classes_beyond_a_number_and_opens_them_again) {
    StacksFolder folder;
    StackSet set = folder.set({.open_classes = 2});
    const uint32_t app = set.image(file_image("/a"));
    for (int round = 0; round < 10; ++round)
        for (uint32_t tid = 0; tid < 5; ++tid)
            set.add(of_thread(tid), app, frames(app, 4, tid), StackEnd::root, 1);
    for (uint32_t tid = 0; tid < 5; ++tid)
        EXPECT_EQ(sum_of(folder.stacks(of_thread(tid))), 10u);
    EXPECT_EQ(set.counts().complete, 50u);
}

TEST(StackSet, counts_beyond_what_a_node_holds_in_further_ones) {
    StacksFolder folder;
    constexpr uint64_t full = most_node_samples, runs = 3;
    for (uint64_t run = 0; run < runs; ++run) {
        StackSet set = folder.set();
        const uint32_t app = set.image(file_image("/a"));
        set.add(some_class, app, frames(app, 2, 5), StackEnd::root, full - 1);
        set.add(some_class, app, frames(app, 2, 5), StackEnd::root, 4);
        set.add(some_class, app, frames(app, 2, 6), StackEnd::root, 2);
        set.add(some_class, app, frames(app, 1, 7), StackEnd::root, 3 * full + 1);
        EXPECT_EQ(set.counts(), (StackAccount{.complete = 4 * full + 6}));
    }
    EXPECT_EQ(folder.stacks(), (StackTexts{{"/a;/a+100;/a+5!", runs * (full + 3)},
                                           {"/a;/a+100;/a+6!", runs * 2},
                                           {"/a;/a+7!", runs * (3 * full + 1)}}));
    // 5 nodes, 3 further ones of the first leaf, 9 of the last
    EXPECT_EQ(folder.bytes("CYCLES.100000.1.all.all.all").size(), stack_file_length(5 + 3 + 9));
    EXPECT_EQ(folder.notes.warnings(), std::vector<std::string>());
}

TEST(StackSet, counts_what_no_further_node_has_room_for_as_lost) {
    StacksFolder folder;
    StackSet set = folder.set({.nodes = 2});
    const uint32_t app = set.image(file_image("/a"));
    set.add(some_class, app, {}, StackEnd::root, UINT32_MAX);
    EXPECT_EQ(set.counts(),
              (StackAccount{.complete = 2 * most_node_samples, .lost = UINT32_MAX - 2 * most_node_samples}));
    EXPECT_EQ(folder.stacks(), (StackTexts{{"/a", 2 * most_node_samples}}));
}

TEST(StackSet, a_file_takes_eight_bytes_an_entry_when_it_is_closed) {
    StacksFolder folder;
    constexpr uint64_t stacks = 20000;
    for (int run = 0; run < 2; ++run) {
        StackSet set = folder.set();
        const uint32_t app = set.image(file_image("/a"));
        for (uint64_t i = 0; i < stacks; ++i)
            set.add(some_class, app, Frames{{app, i, true}, {app, i / 10, false}}, StackEnd::root, 1);
        EXPECT_LE(std::filesystem::file_size(folder.path("frames")),
                  stack_file_length(22001) * 9 / 8 + 16384);
    }
    EXPECT_EQ(folder.bytes("frames").size(), stack_file_length(1 + stacks / 10 + stacks));
    EXPECT_EQ(folder.bytes("CYCLES.100000.1.all.all.all").size(),
              stack_file_length(1 + stacks / 10 + stacks));
    EXPECT_EQ(sum_of(folder.stacks()), 2 * stacks);
    EXPECT_EQ(folder.notes.warnings(), std::vector<std::string>());
}

TEST(StackSet, without_room_for_nodes_counts_on_the_frames_that_are_there) {
    StacksFolder folder;
    StackSet set = folder.set({.nodes = 4});
    const uint32_t app = set.image(file_image("/a")), other = set.image(file_image("/b"));
    set.add(some_class, app, frames(app, 3, 5), StackEnd::root, 1);
    set.add(some_class, app, frames(app, 3, 6), StackEnd::root, 10);
    set.add(some_class, app, frames(app, 3, 5), StackEnd::no_info, 100);
    set.add(some_class, other, {}, StackEnd::root, 1000);
    EXPECT_EQ(folder.stacks(),
              (StackTexts{{"/a;/a+100;/a+200;/a+5!", 1}, {"/a;/a+100;/a+200", 10}, {"/a", 100}}));
    EXPECT_EQ(set.counts(), (StackAccount{.complete = 111, .cut = 110, .lost = 1000}));
}

TEST(StackSet, without_room_for_frames_or_images_counts_on_the_frames_that_are_there) {
    StacksFolder folder;
    StackSet set = folder.set({.images = 1, .frames = 3});
    const uint32_t app = set.image(file_image("/a"));
    EXPECT_EQ(set.image(file_image("/b")), 0u);
    EXPECT_EQ(set.image(file_image("not absolute")), 0u);
    set.add(some_class, app, frames(app, 3, 5), StackEnd::root, 1);
    set.add(some_class, app, Frames{{app, 0x100, false}, {0, 4, false}, {app, 0x100, false}}, StackEnd::root,
            2);
    set.add(some_class, 0, {}, StackEnd::root, 4);
    EXPECT_EQ(folder.stacks(), (StackTexts{{"/a;/a+100;/a+200", 1}, {"/a;/a+100", 2}}));
    EXPECT_EQ(set.counts(), (StackAccount{.complete = 3, .cut = 3, .lost = 4}));
}

TEST(StackSet, an_offset_that_keys_cannot_hold_cuts_the_stack) {
    StacksFolder folder;
    StackSet set = folder.set();
    const uint32_t app = set.image(file_image("/a"));
    for (const uint64_t offset : {StackFrame::application_offset, ~uint64_t{0}})
        set.add(some_class, app, Frames{{app, offset, true}, {app, 1, false}}, StackEnd::root, 1);
    EXPECT_EQ(folder.stacks(), (StackTexts{{"/a;/a+1", 2}}));
    EXPECT_EQ(set.counts(), (StackAccount{.complete = 2, .cut = 2}));
}

TEST(StackSet, a_stack_too_deep_for_readers_keeps_its_inner_frames) {
    StacksFolder folder;
    StackSet set = folder.set();
    const uint32_t app = set.image(file_image("/a"));
    set.add(some_class, app, frames(app, deepest_stack - 2, 5), StackEnd::no_info, 1);
    set.add(some_class, app, frames(app, 5000, 5), StackEnd::root, 1);
    const StackTexts stacks = folder.stacks();
    ASSERT_EQ(stacks.size(), 2u);
    EXPECT_TRUE(stacks.begin()->first.starts_with("/a;[no_info];/a+100;"));
    EXPECT_TRUE(stacks.rbegin()->first.starts_with("/a;[too_deep];")) << stacks.rbegin()->first.substr(0, 40);
    EXPECT_TRUE(stacks.rbegin()->first.ends_with(";/a+138700;/a+5!"));
    EXPECT_EQ(set.counts(), (StackAccount{.incomplete = {{"no_info", 1}, {"too_deep", 1}}}));
    EXPECT_EQ(folder.notes.warnings(), std::vector<std::string>());
}

TEST(StackSet, a_full_disk_counts_on_the_frames_that_are_there_and_is_tried_again) {
    StacksFolder folder;
    StackSet set = folder.set();
    const uint32_t app = set.image(file_image("/a"));
    {
        const FileSizeLimit full(8192);
        for (uint64_t i = 0; i < 1500; ++i)
            set.add(some_class, app, frames(app, 2, i), StackEnd::root, 1);
        set.add(of_thread(1), app, {}, StackEnd::root, 1);
        full.set(100);
        set.add(of_thread(2), app, {}, StackEnd::root, 1);
    }
    EXPECT_EQ(set.counts(), (StackAccount{.complete = 1501, .cut = 480, .lost = 1}));
    EXPECT_EQ(folder.stacks()["/a;/a+100"], 480u);
    EXPECT_EQ(folder.notes.warnings().size(), 1u);
    set.flush();
    set.add(of_thread(2), app, frames(app, 2, 1499), StackEnd::root, 1);
    EXPECT_EQ(folder.stacks(of_thread(2)), (StackTexts{{"/a;/a+100;/a+5db!", 1}}));
}

TEST(StackSet, files_take_no_more_bytes_than_they_may) {
    StacksFolder folder;
    for (int run = 0; run < 2; ++run) {
        StackSet set = folder.set({.bytes = 20000});
        const uint32_t app = set.image(file_image("/a"));
        for (uint32_t i = 0; i < 3000; ++i)
            set.add(of_thread(i % 5), app, frames(app, 3, i), StackEnd::root, 1);
        const StackAccount counts = set.counts();
        EXPECT_GT(counts.cut, 0u);
        EXPECT_GT(counts.lost, 0u);
        EXPECT_EQ(counts.complete + counts.lost, 3000u);
    }
    uintmax_t bytes = 0;
    for (const std::string& name : folder.files())
        bytes += std::filesystem::file_size(folder.path(name));
    EXPECT_LE(bytes, 25000u);
}

}  // namespace op
