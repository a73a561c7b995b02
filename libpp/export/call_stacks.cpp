// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks from arcs.
#include "libpp/export/call_stacks.h"

#include <algorithm>

namespace op::pp {

namespace {

constexpr size_t deepest = 127;  // frames; as many as the kernel takes

bool is_zero(const std::vector<uint64_t>& counts) {
    return std::ranges::all_of(counts, [](uint64_t n) { return n == 0; });
}

}  // namespace

CallStacks::CallStacks(const Profile& profile) : profile_(profile) {
    const size_t width = profile.columns.size();
    for (size_t i = 0; i < profile.arcs.size(); ++i) {
        const Arc& arc = profile.arcs[i];
        Calls& callee = calls_[point(arc.callee_app, arc.callee)];
        Calls& caller = calls_[point(arc.caller_app, arc.caller)];
        callee.into.push_back(i);
        callee.excess.resize(width);
        caller.excess.resize(width);
        for (size_t column = 0; column < width; ++column) {
            callee.excess[column] += profile.arc_counts[i * width + column];
            caller.excess[column] -= profile.arc_counts[i * width + column];
        }
    }
}

CallStacks::Point CallStacks::point(uint32_t app, uint32_t location) const {
    return {app, profile_.locations[location].image, profile_.locations[location].offset};
}

std::vector<CallStack> CallStacks::of(size_t sample) const {
    const size_t width = profile_.columns.size();
    const StackSamples& samples = profile_.samples[sample];
    const auto first = profile_.frames.begin() + samples.first_frame;
    CallStack rest{{first, first + samples.frames}, {}};
    for (size_t column = 0; column < width; ++column)
        rest.counts.push_back(profile_.count(sample, column));
    std::vector<CallStack> stacks;
    const auto found =
        rest.frames.size() > 1 ? calls_.end() : calls_.find(point(samples.app, rest.frames.front()));
    if (found == calls_.end()) return {rest};
    for (const size_t arc : found->second.into) {
        CallStack stack{rest.frames, std::vector<uint64_t>(width)};
        for (size_t column = 0; column < width; ++column) {
            // An address may be sampled, and be on the stack of other samples, too: no more than there are.
            stack.counts[column] = std::min(profile_.arc_counts[arc * width + column], rest.counts[column]);
            rest.counts[column] -= stack.counts[column];
        }
        if (is_zero(stack.counts)) continue;
        extend(stack, arc);
        stacks.push_back(std::move(stack));
    }
    if (!is_zero(rest.counts)) stacks.push_back(std::move(rest));
    return stacks;
}

/// Adds the arc's caller, and those above it while there is no choice.
void CallStacks::extend(CallStack& stack, size_t arc) const {
    for (const size_t* next = &arc; next && stack.frames.size() < deepest;) {
        const Arc& call = profile_.arcs[*next];
        if (std::ranges::find(stack.frames, call.caller) != stack.frames.end()) return;
        stack.frames.push_back(call.caller);
        next = only_way_up(point(call.caller_app, call.caller));
    }
}

/// The single arc into a point through which all calls from that point were reached; null if no arc is.
const size_t* CallStacks::only_way_up(const Point& from) const {
    const auto found = calls_.find(from);
    if (found == calls_.end() || found->second.into.size() != 1 || !is_zero(found->second.excess))
        return nullptr;
    return &found->second.into.front();
}

}  // namespace op::pp
