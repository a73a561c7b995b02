// SPDX-License-Identifier: GPL-2.0-or-later
// How many stacks are complete, and what to do about the others.
#include "libpp/report/stack_shares.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "libop/base/text.h"
#include "libop/jit/code_switches.h"
#include "libop/session/ledger.h"
#include "libpp/profile/percent.h"
#include "libpp/report/symbol_rows.h"

namespace op::pp {

namespace {

/// Why stacks have no more callers, and the remedy, if there is any; by number of a cut's location.
constexpr std::array<std::string_view, StackTree::no_stack + 1> remedies = {
    "",
    "their stacks, or the frame of one function, are larger than what was copied of them, 65528 bytes at "
    "most; if the program keeps frame pointers, operf --unwind=frame-pointers finds their callers",
    "a page of the stack was not in memory, as below large arrays that nothing was written to yet",
    "their callers are on another stack than the one in use, which alone was copied",
    "a return address is in no mapped code: the code there may keep data where its frame was",
    "code has neither unwind tables nor frame pointers: compile it with -fasynchronous-unwind-tables, or see "
    "INCOMPLETE STACKS in opreport(1)",
    "the frames of some code cannot be computed from a sample",
    "a frame is its own caller: the code's unwind tables are wrong, or its stack is damaged",
    "they have more frames than are kept: the recursion is that deep",
    "the kernel gave no registers of the program with them",
    "they were followed by frame pointers, which do not show where a stack ends: record with operf "
    "--unwind=tables",
    "the driver could not copy them: the daemon was too slow for its buffer, memory maps were locked, or the "
    "driver's worker places the samples",
    "they were recorded without; record with operf --callgraph, or perf record -g",
};

/// The reason for that instead, where the code was made at run time: it has no tables, and nobody compiles
/// it.
constexpr std::string_view run_time_lack = "code that is made at run time has no frame pointers";

/// Of 64-bit processes "[vdso]", of others "[vdso32]".
constexpr std::string_view vdso_label = "[vdso";

/// The ends that missing frame pointers lead to.
bool is_for_frame_pointers(uint32_t end) {
    return end == static_cast<uint32_t>(StackEnd::no_info) ||
           end == static_cast<uint32_t>(StackEnd::no_mapping);
}

constexpr uint32_t no_location = UINT32_MAX;

/// For each node the location of the outermost code of its stacks, below a cut; no_location where there is
/// none.
std::vector<uint32_t> outermost_locations(const StackTree& tree) {
    std::vector<uint32_t> result(tree.nodes.size(), no_location);
    for (size_t node = 1; node < result.size(); ++node) {
        const StackNode& at = tree.nodes[node];
        const bool is_first = tree.nodes[at.parent].kind == StackNodeKind::cut;
        if (!is_first)
            result[node] = result[at.parent];
        else if (at.is_code())
            result[node] = at.location;
    }
    return result;
}

bool is_run_time_code(const Profile& profile, const Location& location) {
    const ImageName& image = profile.images[location.image].name;
    return image.kind == ImageName::Kind::anon && !image.name.starts_with(vdso_label);
}

/// Samples by the outermost row of their stacks, as row_symbol() returns it.
using RowCounts = std::map<uint32_t, uint64_t>;

/// See StackShares::outermost.
std::string outermost_text(const Profile& profile, const RowCounts& counts, uint64_t all, Demangle demangle) {
    const auto most = std::ranges::max_element(counts, {}, &RowCounts::value_type::second);
    if (most == counts.end() || most->second <= all / 2) return "";
    const bool is_function = most->first < profile.symbols.size();
    const uint32_t number = is_function ? profile.symbols[most->first].image
                                        : static_cast<uint32_t>(most->first - profile.symbols.size());
    const ProfileImage& image = profile.images[number];
    const std::string file = printable(name_in_brackets(image.name, false));
    if (!is_function || is_whole_image(profile, profile.symbols[most->first])) return file;
    return printable(image.symbols->name(*profile.symbols[most->first].symbol, demangle)) + " " + file;
}

/// The switch of the program that most such stacks are of, if it has one.
std::string run_time_remedy(const StackShares& shares) {
    const std::string_view own = frame_pointer_switch(shares.run_time_program);
    return std::string(run_time_lack) + (own.empty() ? "; see INCOMPLETE STACKS in opreport(1)" : ": ") +
           std::string(own);
}

/// Most of the stacks with that end are of code that is made at run time.
bool is_mostly_run_time(const StackShares& shares, uint32_t end) {
    return is_for_frame_pointers(end) && !shares.in_run_time_code.empty() &&
           shares.in_run_time_code[end] > shares.by_end[end] / 2;
}

}  // namespace

uint64_t StackShares::total() const {
    uint64_t sum = 0;
    for (const uint64_t count : by_end)
        sum = add_saturating(sum, count);
    return sum;
}

uint64_t StackShares::without() const {
    return by_end.size() > StackTree::no_stack ? by_end[StackTree::no_stack] : 0;
}

uint32_t StackShares::heaviest_cut() const {
    const auto first = by_end.begin() + 1;
    const auto end =
        by_end.begin() + static_cast<ptrdiff_t>(std::min<size_t>(by_end.size(), StackTree::no_stack));
    const auto most = std::max_element(first, end);
    return most == end || *most == 0 ? 0 : static_cast<uint32_t>(most - by_end.begin());
}

StackShares stack_shares(const Profile& profile, const StackTree& tree, Demangle demangle) {
    StackShares shares{std::vector<uint64_t>(StackTree::no_stack + 1),
                       std::vector<uint64_t>(StackTree::no_stack + 1)};
    const auto ends = stack_ends(tree);
    const auto outermost = outermost_locations(tree);
    const auto apps = stack_applications(profile);
    std::map<std::string_view, uint64_t> programs;
    std::map<uint32_t, RowCounts> rows;  // by end
    const auto add = [](uint64_t& sum, uint64_t count) { sum = add_saturating(sum, count); };
    for (const StackCount& count : tree.counts) {
        add(shares.by_end[ends[count.node]], count.count);
        if (outermost[count.node] == no_location) continue;
        const Location& location = profile.locations[outermost[count.node]];
        add(rows[ends[count.node]][row_symbol(profile, location)], count.count);
        if (!is_run_time_code(profile, location)) continue;
        add(shares.in_run_time_code[ends[count.node]], count.count);
        if (is_for_frame_pointers(ends[count.node]))
            add(programs[base_name(profile.images[apps[count.node]].name.name)], count.count);
    }
    const auto most =
        std::ranges::max_element(programs, {}, &std::pair<const std::string_view, uint64_t>::second);
    if (most != programs.end()) shares.run_time_program = most->first;
    const uint32_t cut = shares.heaviest_cut();
    shares.outermost = outermost_text(profile, rows[cut], shares.by_end[cut], demangle);
    return shares;
}

std::string percent_text(double percent) {
    if (percent < 0.1) return "less than 0.1 %";
    const long rounded = std::lround(percent * 10);
    const long tenths = percent < 100 ? std::min(rounded, 999L) : rounded;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

std::string stack_shares_text(const StackShares& shares) {
    if (shares.total() == 0) return "";
    const uint64_t without = shares.without(), total = shares.total() - without, complete = shares.complete();
    const std::string others =
        " of the samples have no call stack: " + std::string(remedies[StackTree::no_stack]) + ".";
    if (total == 0) return "No sample has a call stack: " + std::string(remedies[StackTree::no_stack]) + ".";
    const std::string rest =
        without == 0 ? "" : " " + percent_text(percent_of(without, shares.total())) + others;
    if (complete == total) return "All stacks are complete." + rest;
    const uint32_t cut = shares.heaviest_cut();
    const auto share = [&](uint64_t part) { return percent_text(percent_of(part, total)); };
    const std::string whole =
        complete == 0 ? "No stack is complete; " : share(complete) + " of the stacks are complete; ";
    const bool is_run_time = is_mostly_run_time(shares, cut);
    const std::string reason = is_run_time ? run_time_remedy(shares) : std::string(remedies[cut]);
    const std::string place = is_run_time || shares.outermost.empty()
                                  ? ""
                                  : " Most of these lead no further than " + shares.outermost + ".";
    return whole + share(shares.by_end[cut]) + " are incomplete because " + reason + "." + place + rest;
}

}  // namespace op::pp
