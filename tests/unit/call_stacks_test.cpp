// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/export/call_stacks.h"

#include <gtest/gtest.h>

#include "tests/unit/fake_symbols.h"

namespace op::pp {

namespace {

/// One image with one symbol; a column.
struct Calls {
    test::FakeSymbols symbols{{"f", 0, 0x1000}};
    Profile profile;

    Calls() {
        profile.columns.resize(1);
        profile.images = {{ImageName{ImageName::Kind::file, "/bin/a"}, &symbols}};
        profile.symbols = {{0, &symbols.symbols()[0]}};
    }
    void sample(uint64_t at, uint64_t count) {
        profile.samples.push_back({0, static_cast<uint32_t>(profile.frames.size()), 1});
        profile.frames.push_back(location(at));
        profile.counts.push_back(count);
    }
    void call(uint64_t from, uint64_t to, uint64_t count) {
        profile.arcs.push_back({0, 0, location(from), location(to)});
        profile.arc_counts.push_back(count);
    }
    uint32_t location(uint64_t offset) {
        profile.locations.push_back({0, 0, ImageOffset{offset}});
        return static_cast<uint32_t>(profile.locations.size() - 1);
    }
    /// The stacks of a sample as offsets, with their counts.
    std::map<std::vector<uint64_t>, uint64_t> of(size_t sample) const {
        profile.check();
        std::map<std::vector<uint64_t>, uint64_t> result;
        for (const CallStack& stack : CallStacks(profile).of(sample)) {
            std::vector<uint64_t> offsets;
            for (const uint32_t frame : stack.frames)
                offsets.push_back(profile.locations[frame].offset.value());
            result[offsets] += stack.counts.at(0);
        }
        return result;
    }
};

using Stacks = std::map<std::vector<uint64_t>, uint64_t>;

}  // namespace

TEST(CallStacks, a_sample_without_calls_is_a_stack_of_one_frame) {
    Calls calls;
    calls.sample(0x10, 7);
    EXPECT_EQ(calls.of(0), (Stacks{{{0x10}, 7}}));
}

TEST(CallStacks, go_up_while_there_is_one_way) {
    Calls calls;
    calls.sample(0x10, 7);
    calls.call(0x20, 0x10, 7);
    calls.call(0x30, 0x20, 7);
    EXPECT_EQ(calls.of(0), (Stacks{{{0x10, 0x20, 0x30}, 7}}));
}

TEST(CallStacks, distinguish_callers_and_samples_without_one) {
    Calls calls;
    calls.sample(0x10, 7);
    calls.call(0x20, 0x10, 3);
    calls.call(0x28, 0x10, 2);
    EXPECT_EQ(calls.of(0), (Stacks{{{0x10, 0x20}, 3}, {{0x10, 0x28}, 2}, {{0x10}, 2}}));
}

TEST(CallStacks, end_where_the_caller_was_called_from_two_places) {
    Calls calls;
    calls.sample(0x10, 7);
    calls.call(0x20, 0x10, 7);
    calls.call(0x30, 0x20, 4);
    calls.call(0x38, 0x20, 3);
    EXPECT_EQ(calls.of(0), (Stacks{{{0x10, 0x20}, 7}}));
}

TEST(CallStacks, end_where_some_chains_broke) {
    Calls calls;
    calls.sample(0x10, 7);
    calls.call(0x20, 0x10, 7);
    calls.call(0x30, 0x20, 6);
    EXPECT_EQ(calls.of(0), (Stacks{{{0x10, 0x20}, 7}}));
}

TEST(CallStacks, samples_that_share_a_caller_share_the_way_up) {
    Calls calls;
    calls.sample(0x10, 7);
    calls.sample(0x14, 2);
    calls.call(0x20, 0x10, 7);
    calls.call(0x20, 0x14, 2);
    calls.call(0x30, 0x20, 9);
    EXPECT_EQ(calls.of(0), (Stacks{{{0x10, 0x20, 0x30}, 7}}));
    EXPECT_EQ(calls.of(1), (Stacks{{{0x14, 0x20, 0x30}, 2}}));
}

TEST(CallStacks, count_no_sample_twice_though_its_address_is_a_return_address_too) {
    Calls calls;
    calls.sample(0x20, 3);
    calls.sample(0x10, 5);
    calls.call(0x20, 0x10, 5);
    calls.call(0x30, 0x20, 8);
    EXPECT_EQ(calls.of(0), (Stacks{{{0x20, 0x30}, 3}}));
}

TEST(CallStacks, a_ring_of_calls_ends) {
    Calls calls;
    calls.sample(0x10, 4);
    calls.call(0x20, 0x10, 4);
    calls.call(0x30, 0x20, 4);
    calls.call(0x10, 0x30, 4);
    const Stacks stacks = calls.of(0);
    ASSERT_EQ(stacks.size(), 1u);
    EXPECT_EQ(stacks.begin()->second, 4u);
}

TEST(CallStacks, calls_of_another_application_are_ignored) {
    Calls calls;
    calls.sample(0x10, 7);
    calls.profile.images.push_back({ImageName{ImageName::Kind::file, "/bin/b"}, nullptr});
    calls.call(0x20, 0x10, 7);
    calls.profile.arcs[0].caller_app = calls.profile.arcs[0].callee_app = 1;
    EXPECT_EQ(calls.of(0), (Stacks{{{0x10}, 7}}));
}

}  // namespace op::pp
