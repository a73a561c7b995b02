// SPDX-License-Identifier: GPL-2.0-or-later
// How many stacks are complete, and what to do about the others.
#include "libpp/report/stack_shares.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "libop/session/ledger.h"
#include "libpp/profile/percent.h"

namespace op::pp {

namespace {

/// Why stacks have no more callers, and the remedy, if there is any; by number of a cut's location.
constexpr std::array<std::string_view, StackTree::no_stack + 1> remedies = {
    "",
    "the copied part of the stack was too short: record with --stack-size=65528",
    "a page of the stack was not in memory",
    "the program runs on several stacks and only the one in use was copied: nothing is wrong",
    "a return address is in no mapped code: the code there may keep data where its frame was",
    "code has neither unwind tables nor frame pointers: compile it with -fasynchronous-unwind-tables",
    "the frames of some code cannot be computed from a sample",
    "a frame is its own caller: the code's unwind tables are wrong, or its stack is damaged",
    "they have more frames than are kept: the recursion is that deep",
    "the kernel gave no registers of the program with them",
    "they were followed by frame pointers, which do not show where a stack ends: record with operf "
    "--unwind=tables",
    "the driver could not copy them: the daemon was too slow for its buffer, or memory maps were locked",
    "they were recorded without call stacks: record with operf --callgraph",
};

}  // namespace

uint64_t StackShares::total() const {
    uint64_t sum = 0;
    for (const uint64_t count : by_end)
        sum = add_saturating(sum, count);
    return sum;
}

uint32_t StackShares::heaviest_cut() const {
    const auto first = by_end.begin() + 1;
    const auto most = std::max_element(first, by_end.end());
    return most == by_end.end() || *most == 0 ? 0 : static_cast<uint32_t>(most - by_end.begin());
}

StackShares stack_shares(const StackTree& tree) {
    StackShares shares{std::vector<uint64_t>(StackTree::no_stack + 1)};
    const auto ends = stack_ends(tree);
    for (const StackCount& count : tree.counts) {
        uint64_t& sum = shares.by_end[ends[count.node]];
        sum = add_saturating(sum, count.count);
    }
    return shares;
}

std::string_view cut_name(uint32_t end) {
    return end == StackTree::no_stack ? "no_stack" : stack_end_name(static_cast<StackEnd>(end));
}

std::string percent_text(double percent) {
    const auto tenths = static_cast<uint64_t>(percent * 10);
    if (tenths == 0) return "less than 0.1 %";
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

std::string stack_shares_text(const StackShares& shares) {
    const uint64_t total = shares.total(), complete = shares.complete();
    if (total == 0) return "";
    if (complete == total) return "All stacks are complete.";
    const uint32_t cut = shares.heaviest_cut();
    const auto share = [&](uint64_t part) { return percent_text(percent_of(part, total)); };
    const std::string whole =
        complete == 0 ? "No stack is complete; " : share(complete) + " of the stacks are complete; ";
    return whole + share(shares.by_end[cut]) + " are not because " + std::string(remedies[cut]) + ".";
}

}  // namespace op::pp
