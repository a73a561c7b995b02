// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/profile/split_inlines.h"

#include <gtest/gtest.h>

#include <map>

#include "libpp/report/report.h"
#include "tests/unit/fake_symbols.h"

namespace op::pp {

namespace {

/// main at 0x100 has square inlined at 0x104, and at 0x108 square inlined into sum; own code at 0x10c. square
/// has code of its own at 0x110, too. main calls square from 0x108, where sum is inlined.
struct Inlined {
    test::FakeSymbols symbols{{"main", 0x100, 0x10}, {"square", 0x110, 0x10}};
    Profile profile;

    Inlined() {
        symbols.frames_at[0x104] = {{"square", "/s.h", 3}, {"main", "/m.c", 9}};
        symbols.frames_at[0x108] = {{"square", "/s.h", 4}, {"sum", "/s.h", 7}, {"main", "/m.c", 11}};
        symbols.frames_at[0x10c] = {{"main", "/m.c", 12}};
        symbols.frames_at[0x107] = {{"sum", "/s.h", 6}, {"main", "/m.c", 11}};
        profile.columns = {ProfileClass{"E", 100, 0, {}, {}, {}}};
        profile.images = {{ImageName{ImageName::Kind::file, "/bin/a"}, &symbols}};
        profile.symbols = {{0, &symbols.symbols()[0]}, {0, &symbols.symbols()[1]}};
        for (const uint64_t offset : {0x104, 0x108, 0x10c, 0x110}) {
            profile.frames.push_back(static_cast<uint32_t>(profile.locations.size()));
            profile.samples.push_back({0, profile.frames.back(), 1});
            profile.counts.push_back(offset);
            profile.locations.push_back({0, offset < 0x110 ? 0u : 1u, ImageOffset{offset}});
        }
        profile.locations.push_back({0, 0, ImageOffset{0x108}});
        profile.locations.push_back({0, 1, ImageOffset{0x110}});
        profile.arcs = {{0, 0, 4, 5}};
        profile.arc_counts = {50};
        profile.check();
    }
    std::string name(uint32_t location) const {
        return std::string(profile.symbols[profile.locations[location].symbol].symbol->name);
    }
    std::map<std::string, uint64_t> by_symbol() const {
        std::map<std::string, uint64_t> sums;
        for (size_t i = 0; i < profile.samples.size(); ++i)
            sums[name(profile.frames[profile.samples[i].first_frame])] += profile.count(i, 0);
        return sums;
    }
    std::map<std::string, uint64_t> by_call() const {
        std::map<std::string, uint64_t> sums;
        for (size_t i = 0; i < profile.arcs.size(); ++i)
            sums[name(profile.arcs[i].caller) + ">" + name(profile.arcs[i].callee)] += profile.arc_counts[i];
        return sums;
    }
};

using Sums = std::map<std::string, uint64_t>;

}  // namespace

TEST(SplitInlines, a_sample_counts_for_the_innermost_function_wherever_its_code_lies) {
    Inlined one;
    split_by_inlined_functions(one.profile, {});
    EXPECT_EQ(one.by_symbol(), (Sums{{"square", 0x104 + 0x108 + 0x110}, {"main", 0x10c}}));
    EXPECT_EQ(one.by_call(), (Sums{{"sum>square", 50}})) << "the caller is inlined, too";
}

TEST(SplitInlines, inlined_calls_become_arcs_on_request) {
    Inlined one;
    split_by_inlined_functions(one.profile, {.with_calls = true});
    EXPECT_EQ(one.by_call(),
              (Sums{{"main>square", 0x104}, {"sum>square", 0x108 + 50}, {"main>sum", 0x108 + 50}}));
}

TEST(SplitInlines, a_function_without_code_of_its_own_is_reported) {
    Inlined one;
    split_by_inlined_functions(one.profile, {.with_calls = true});
    const auto report = report_callgraph(one.profile, {}, {});
    for (const auto& line : report.lines)
        EXPECT_EQ(line.symbol.is_inlined, line.symbol.name == "sum");
    EXPECT_EQ(one.profile.inlined.size(), 1u);
    EXPECT_EQ(one.profile.inlined[0]->start.value(), 0x108u) << "its first sampled instruction";
    EXPECT_EQ(one.profile.inlined[0]->address.value(), 0x400108u);
}

TEST(SplitInlines, code_without_debug_information_stays_as_it_is) {
    Inlined one;
    one.symbols.frames_at.clear();
    split_by_inlined_functions(one.profile, {.with_calls = true});
    EXPECT_EQ(one.by_symbol(), (Sums{{"main", 0x104 + 0x108 + 0x10c}, {"square", 0x110}}));
    EXPECT_EQ(one.by_call(), (Sums{{"main>square", 50}}));
}

TEST(SplitInlines, a_function_without_a_name_is_part_of_its_caller) {
    Inlined one;
    one.symbols.frames_at[0x108][0].function = "";
    split_by_inlined_functions(one.profile, {});
    EXPECT_EQ(one.by_symbol()["sum"], 0x108u);
}

}  // namespace op::pp
