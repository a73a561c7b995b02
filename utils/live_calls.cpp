// SPDX-License-Identifier: GPL-2.0-or-later
// From a profile with call stacks to the trees of callers and callees of one function.
#include "utils/live_calls.h"

#include <algorithm>
#include <map>
#include <string>

#include "libop/base/error.h"
#include "utils/load_profile.h"

namespace op::tool {

namespace {

constexpr size_t most_lines = 500;
constexpr unsigned deepest = 40;
/// Of the function's samples: what has fewer than one in so many is not listed.
constexpr uint64_t least_part = 1000;

/// A function as a number: of its symbol, else of its image.
using FunctionKey = uint64_t;
constexpr FunctionKey of_image = uint64_t{1} << 32;
constexpr FunctionKey unknown_caller = UINT64_MAX;

/// A tree of calls, merged by function.
class CallTrie {
public:
    /// The node of a function below a node; node 0 is the root.
    size_t child(size_t node, FunctionKey key) {
        const auto [at, is_new] = nodes_[node].children.try_emplace(key, nodes_.size());
        const size_t number = at->second;
        if (is_new) nodes_.push_back({key, 0, {}});
        return number;
    }
    void add(size_t node, uint64_t samples) { nodes_[node].samples += samples; }

    /// The lines in order: most samples first.
    template <class LineOf>
    std::vector<CallLine> lines(uint64_t least, LineOf line_of) const {
        struct Place {
            size_t node;
            unsigned depth;
        };
        std::vector<CallLine> lines;
        std::vector<Place> pending;
        const auto push = [&](size_t node, unsigned depth) {
            std::vector<size_t> below;
            for (const auto& [key, number] : nodes_[node].children)
                if (nodes_[number].samples >= least) below.push_back(number);
            std::ranges::stable_sort(below, {}, [&](size_t number) { return nodes_[number].samples; });
            for (const size_t number : below)
                pending.push_back({number, depth});
        };
        push(0, 0);
        while (!pending.empty() && lines.size() < most_lines) {
            const Place place = pending.back();
            pending.pop_back();
            lines.push_back(line_of(nodes_[place.node].key));
            lines.back().depth = place.depth;
            lines.back().samples = nodes_[place.node].samples;
            if (place.depth < deepest) push(place.node, place.depth + 1);
        }
        return lines;
    }

private:
    struct Node {
        FunctionKey key;
        uint64_t samples;
        std::map<FunctionKey, size_t> children;
    };
    std::vector<Node> nodes_{{0, 0, {}}};
};

/// Finds the function in a profile and adds up its calls.
class CallSums {
public:
    CallSums(const pp::Profile& profile, const CalledFunction& function) : profile_(profile) {
        const auto column = std::ranges::find_if(profile.columns, [&](const pp::ProfileClass& one) {
            return one.event == function.event.event && one.count == function.event.count &&
                   one.unit_mask == function.event.unit_mask;
        });
        column_ = static_cast<size_t>(column - profile.columns.begin());
        for (uint32_t i = 0; i < profile.images.size(); ++i)
            if (profile.images[i].name == function.app) app_ = i;
        for (uint32_t i = 0; i < profile.symbols.size(); ++i) {
            const pp::ProfileSymbol& symbol = profile.symbols[i];
            if (symbol.symbol->start == function.start && !symbol.is_inlined &&
                profile.images[symbol.image].name == function.image)
                symbol_ = i;
        }
    }

    RowCalls calls() {
        RowCalls calls;
        if (column_ == profile_.columns.size() || symbol_ == none)
            calls.remark = "the function has no samples in the session any more";
        else if (!profile_.stacks.is_empty())
            add_stacks(calls);
        else if (!profile_.arcs.empty())
            add_arcs(calls);
        else
            calls.remark = "no calls were recorded: record with operf --callgraph";
        const uint64_t least = std::max<uint64_t>(1, calls.samples / least_part);
        const auto line_of = [this](FunctionKey key) { return line(key); };
        calls.callers = callers_.lines(least, line_of);
        calls.callees = callees_.lines(least, line_of);
        return calls;
    }

private:
    static constexpr uint32_t none = UINT32_MAX;

    FunctionKey key_of(uint32_t location) const {
        const pp::Location& at = profile_.locations[location];
        return at.symbol == pp::Location::no_symbol ? of_image | at.image : at.symbol;
    }

    CallLine line(FunctionKey key) const {
        if (key == unknown_caller) return {0, "(callers are not known)", "", 0};
        if (key >= of_image)
            return {0, "(no symbol)", profile_.images[static_cast<uint32_t>(key)].name.display(), 0};
        const pp::ProfileSymbol& symbol = profile_.symbols[static_cast<uint32_t>(key)];
        const pp::ProfileImage& image = profile_.images[symbol.image];
        const std::string_view name =
            image.symbols ? image.symbols->name(*symbol.symbol, pp::Demangle::normal) : symbol.symbol->name;
        return {0, std::string(name), image.name.display(), 0};
    }

    /// Of several nodes of the function in a stack the outermost counts.
    void add_stacks(RowCalls& calls) {
        const pp::StackTree& tree = profile_.stacks;
        const std::vector<uint64_t> inclusive = pp::inclusive_counts(tree, profile_.columns.size());
        const std::vector<uint32_t> apps = pp::stack_applications(profile_);
        std::vector<uint64_t> own(tree.nodes.size());
        for (const pp::StackCount& count : tree.counts)
            if (count.column == column_) own[count.node] += count.count;
        std::vector<size_t> below(tree.nodes.size(), SIZE_MAX);  // the node in callees_
        for (size_t i = 1; i < tree.nodes.size(); ++i) {
            const pp::StackNode& node = tree.nodes[i];
            const uint64_t samples = inclusive[i * profile_.columns.size() + column_];
            if (!node.is_code() || samples == 0) continue;
            if (below[node.parent] != SIZE_MAX) {
                below[i] = callees_.child(below[node.parent], key_of(node.location));
                callees_.add(below[i], samples);
            } else if (profile_.locations[node.location].symbol == symbol_ && apps[i] == app_) {
                below[i] = 0;
                calls.samples += samples;
                calls.self += own[i];
                add_callers(node.parent, samples);
            }
        }
    }

    void add_callers(uint32_t node, uint64_t samples) {
        size_t at = 0;
        for (; profile_.stacks.nodes[node].is_code(); node = profile_.stacks.nodes[node].parent) {
            at = callers_.child(at, key_of(profile_.stacks.nodes[node].location));
            callers_.add(at, samples);
        }
        if (profile_.stacks.nodes[node].kind == pp::StackNodeKind::cut)
            callers_.add(callers_.child(at, unknown_caller), samples);
    }

    void add_arcs(RowCalls& calls) {
        const size_t width = profile_.columns.size();
        for (size_t i = 0; i < profile_.samples.size(); ++i)
            if (profile_.leaf(i).symbol == symbol_ && profile_.samples[i].app == app_)
                calls.self += profile_.count(i, column_);
        calls.samples = calls.self;
        for (size_t i = 0; i < profile_.arcs.size(); ++i) {
            const pp::Arc& arc = profile_.arcs[i];
            const uint64_t samples = profile_.arc_counts[i * width + column_];
            if (profile_.locations[arc.callee].symbol == symbol_ && arc.callee_app == app_)
                callers_.add(callers_.child(0, key_of(arc.caller)), samples);
            if (profile_.locations[arc.caller].symbol == symbol_ && arc.caller_app == app_) {
                callees_.add(callees_.child(0, key_of(arc.callee)), samples);
                calls.samples += samples;
            }
        }
    }

    const pp::Profile& profile_;
    size_t column_;
    uint32_t app_ = none, symbol_ = none;
    CallTrie callers_, callees_;
};

}  // namespace

RowCalls calls_in(const pp::Profile& profile, const CalledFunction& function) {
    return CallSums(profile, function).calls();
}

RowCalls read_calls(const CommonOptions& common, const Outside& outside, const CalledFunction& function) {
    LoadOptions load;
    load.select.callgraph = true;
    load.merge.cpu = load.merge.tid = load.merge.tgid = true;
    load.may_differ_in_several = true;
    load.notes_missing = false;
    CommonOptions quiet = common;
    quiet.is_dir_in_head = true;
    Tool tool;  // its warnings are not printed: the screen has no place for them
    try {
        LoadedProfile loaded(quiet, {}, load, outside, tool);
        return calls_in(loaded.profile(), function);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::internal) throw;
        RowCalls none;
        none.remark = error.what();
        return none;
    }
}

}  // namespace op::tool
