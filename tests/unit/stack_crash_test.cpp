// SPDX-License-Identifier: GPL-2.0-or-later
// Sets of stacks that a writer, or the machine, left in any state.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "tests/unit/sample_file_bytes.h"
#include "tests/unit/stored_stacks.h"

namespace op {

using test::file_image;
using test::put_u32;
using test::some_class;
using test::StacksFolder;
using test::StackTexts;
using test::sum_of;

namespace {

const std::string class_name = mangle_class(some_class);

/// Files are in memory if possible: every file that is rebuilt is synced.
class StackCrash : public testing::Test {
protected:
    void SetUp() override {
        if (const char* place = ::getenv("TMPDIR")) place_before_ = place;
        if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 1);
    }
    void TearDown() override {
        if (place_before_)
            ::setenv("TMPDIR", place_before_->c_str(), 1);
        else
            ::unsetenv("TMPDIR");
    }

private:
    std::optional<std::string> place_before_;
};

/// Adds stack number i of a sequence; each is new, and has some frames of its own.
void add_stack(StackSet& set, uint64_t i) {
    const uint32_t app = set.image(file_image("/app")),
                   lib = set.image(file_image("/lib" + std::to_string(i % 9)));
    const std::vector<StackFrame> stack{{lib, i, true}, {lib, i / 3, false}, {app, i % 5, false}};
    set.add(some_class, app, stack, i % 4 ? StackEnd::root : StackEnd::no_mapping, 1);
}

void add_stacks(StacksFolder& folder, uint64_t from, uint64_t to) {
    StackSet set = folder.set();
    for (uint64_t i = from; i < to; ++i)
        add_stack(set, i);
}

StackTexts stacks_of(uint64_t from, uint64_t to) {
    StacksFolder folder;
    add_stacks(folder, from, to);
    return folder.stacks();
}

/// True if no stack has more samples than in `others`: none has become another one.
bool are_among(const StackTexts& stacks, const StackTexts& others) {
    return std::ranges::all_of(stacks, [&](const auto& stack) {
        const auto other = others.find(stack.first);
        return other != others.end() && stack.second <= other->second;
    });
}

/// Adds stacks 100 to 199, and further ones, to stacks 0 to 99 with one file changed.
void check_appended(StacksFolder& folder, const StackTexts& after) {
    folder.recover();
    add_stacks(folder, 100, 200);
    const StackTexts found = folder.stacks();
    EXPECT_TRUE(are_among(found, after));
    EXPECT_GE(sum_of(found), 100u);
    folder.notes.take();
    add_stacks(folder, 200, 210);
    EXPECT_EQ(folder.notes.warnings(), std::vector<std::string>()) << "sound after that";
}

/// A writer in a process of its own: adds the stacks of the sequence from number `first` on until it is
/// killed.
class KilledWriter {
public:
    KilledWriter(StacksFolder& folder, uint64_t first) {
        if (::pipe(ends_) != 0) throw_system("pipe");
        child_ = ::fork();
        if (child_ != 0) {
            ::close(ends_[1]);
            return;
        }
        StackSet set = folder.set();
        for (uint64_t i = first;; ++i) {
            add_stack(set, i);
            if (::write(ends_[1], "x", 1) != 1) ::_exit(1);
        }
    }

    /// Kills the writer once it has counted `wanted` stacks; returns how many it has counted by then.
    uint64_t kill_after(uint64_t wanted) {
        uint64_t seen = 0;
        while (seen < wanted && counted_one())
            ++seen;
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
        while (counted_one())
            ++seen;
        ::close(ends_[0]);
        return seen;
    }

private:
    bool counted_one() {
        char byte;
        return ::read(ends_[0], &byte, 1) == 1;
    }

    int ends_[2];
    pid_t child_;
};

/// Kills so many writers of one session, one after the other.
void kill_writers(int rounds, std::mt19937& random) {
    StacksFolder folder;
    uint64_t counted = 0;
    for (int round = 0; round < rounds; ++round) {
        counted += KilledWriter(folder, counted).kill_after(random() % 300);
        // The one in work when the signal came may be there or not, and comes again then.
        const uint64_t sum = sum_of(folder.stacks());
        EXPECT_GE(sum, counted);
        EXPECT_LE(sum, counted + round + 1);
    }
    EXPECT_TRUE(are_among(stacks_of(0, counted), folder.stacks()));
}

}  // namespace

TEST_F(StackCrash, a_file_cut_anywhere_keeps_its_beginning) {
    const StackTexts before = stacks_of(0, 100), after = stacks_of(0, 200);
    StacksFolder whole;
    add_stacks(whole, 0, 100);
    for (const std::string name : {"frames", class_name.c_str()}) {
        const std::string bytes = whole.bytes(name);
        for (size_t length = 0; length < bytes.size(); length += length < stack_file_length(4) ? 1 : 7) {
            StacksFolder folder;
            for (const std::string& each : whole.files())
                folder.write(each, each == name ? bytes.substr(0, length) : whole.bytes(each));
            // A file without its header is an error to readers, and is set aside by writers.
            const bool is_readable = length == 0 || length >= sizeof(RawStackFileHeader);
            EXPECT_TRUE(!is_readable || are_among(folder.stacks(), before));
            check_appended(folder, after);
        }
    }
}

TEST_F(StackCrash, an_image_whose_line_is_lost_keeps_its_number) {
    StacksFolder folder;
    {
        StackSet set = folder.set();
        const uint32_t a = set.image(file_image("/a")), b = set.image(file_image("/b"));
        set.add(some_class, a, std::vector<StackFrame>{{b, 1, true}}, StackEnd::root, 1);
    }
    folder.write("images", "{root}/a\n{root}/b");
    {
        StackSet set = folder.set();
        const uint32_t c = set.image(file_image("/c"));
        EXPECT_EQ(c, 3u);
        set.add(some_class, c, std::vector<StackFrame>{{c, 1, true}}, StackEnd::root, 1);
    }
    EXPECT_EQ(folder.stacks(), (StackTexts{{"/a;+1!", 1}, {"/c;/c+1!", 1}}));
}

TEST_F(StackCrash, nodes_of_lost_frames_do_not_become_those_of_new_ones) {
    StacksFolder folder;
    add_stacks(folder, 0, 100);
    std::string frames = folder.bytes("frames");
    put_u32(frames, offsetof(RawStackFileHeader, used),
            20);  // as a page that never reached the disk would have it
    folder.write("frames", frames);
    EXPECT_TRUE(are_among(folder.stacks(), stacks_of(0, 100)));
    check_appended(folder, stacks_of(0, 200));
}

TEST_F(StackCrash, files_are_read_whole_only_where_entries_may_be_missing) {
    StacksFolder folder;
    add_stacks(folder, 0, 100);
    std::string nodes = folder.bytes(class_name), frames = folder.bytes("frames");
    nodes.replace(stack_file_length(50), 16, 16, '\0');
    folder.write(class_name, nodes);
    folder.set();
    EXPECT_EQ(folder.bytes(class_name).size(), nodes.size()) << "nothing is missing";
    frames.resize(frames.size() - 1);
    folder.write("frames", frames);
    folder.set();
    EXPECT_LT(folder.bytes(class_name).size(), nodes.size()) << "a frame is";
    folder.write(class_name, nodes);
    folder.recover();
    EXPECT_LT(folder.bytes(class_name).size(), nodes.size()) << "after a crash";
}

TEST_F(StackCrash, a_page_of_zeros_ends_a_file) {
    for (const std::string name : {"frames", class_name.c_str()}) {
        StacksFolder folder;
        add_stacks(folder, 0, 100);
        std::string bytes = folder.bytes(name);
        bytes.replace(stack_file_length(50), 16, 16, '\0');
        folder.write(name, bytes);
        EXPECT_TRUE(are_among(folder.stacks(), stacks_of(0, 100)));
        check_appended(folder, stacks_of(0, 200));
    }
}

TEST_F(StackCrash, noise_leads_nothing_astray) {
    std::mt19937 random(5);
    StacksFolder whole;
    add_stacks(whole, 0, 100);
    for (int round = 0; round < 100; ++round) {
        StacksFolder folder;
        for (const std::string& name : whole.files()) {
            std::string bytes = whole.bytes(name);
            for (int n = 0; n < 20; ++n)
                bytes[random() % std::min<size_t>(bytes.size(), 3000)] ^=
                    static_cast<char>(1 << random() % 8);
            folder.write(name, bytes);
        }
        add_stacks(folder, 100, 200);
        EXPECT_GE(sum_of(folder.stacks()), 100u);
    }
}

// Each round reads all that the session has by then: several sessions cost less than a long one.
TEST_F(StackCrash, a_writer_killed_at_any_moment_loses_nothing_that_it_had_counted) {
    std::mt19937 random(7);
    for (const int rounds : {20, 10, 10, 10})
        kill_writers(rounds, random);
}

}  // namespace op
