// SPDX-License-Identifier: GPL-2.0-or-later
// The tree of calls. Only what is shown is merged: the children of a row are found when the row is, so that a
// threshold saves the work below it.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "libop/session/ledger.h"
#include "libpp/report/report.h"
#include "libpp/report/stack_shares.h"
#include "libpp/report/symbol_rows.h"

namespace op::pp {

namespace {

/// Numbers what rows are of: functions (those of one name in one image are one), applications, cuts.
class RowIds {
public:
    explicit RowIds(const Profile& profile)
        : profile_(profile),
          applications_(static_cast<uint32_t>(profile.symbols.size() + profile.images.size())),
          cuts_(applications_ + static_cast<uint32_t>(profile.images.size())) {
        const std::vector<uint32_t> symbols = first_of_name();
        for (const Location& location : profile.locations) {
            const uint32_t row = row_symbol(profile, location);
            of_location_.push_back(row < symbols.size() ? symbols[row] : row);
        }
    }

    uint32_t of(const StackNode& node) const {
        if (node.is_code()) return of_location_[node.location];
        return node.kind == StackNodeKind::cut ? cuts_ + node.location
                                               : applications_ + profile_.row_image(node.location);
    }
    size_t size() const { return cuts_ + StackTree::no_stack + 1; }
    /// True for a function, false for the code of an image of which no function is known.
    bool is_function(uint32_t id) const {
        return id < profile_.symbols.size() && !op::pp::is_whole_image(profile_, profile_.symbols[id]);
    }

    CallTreeRow row(uint32_t id, const ReportOptions& options) const {
        if (id >= cuts_) return {.kind = CallTreeRow::Kind::cut, .depth = 0, .end = id - cuts_};
        if (id >= applications_)
            return {.kind = CallTreeRow::Kind::application, .depth = 0, .image = id - applications_};
        const SymbolRow made = make_row(profile_, {0, id}, options, false);
        return {.kind = CallTreeRow::Kind::function,
                .depth = 0,
                .image = made.image,
                .name = made.name,
                .is_whole_image = !is_function(id)};
    }

private:
    /// For each symbol the first one of its name and image.
    std::vector<uint32_t> first_of_name() const {
        std::map<std::tuple<uint32_t, std::string_view, bool>, uint32_t> first;
        std::vector<uint32_t> result;
        for (uint32_t i = 0; i < profile_.symbols.size(); ++i) {
            const ProfileSymbol& symbol = profile_.symbols[i];
            result.push_back(
                symbol.symbol->is_nameless
                    ? i
                    : first
                          .try_emplace(
                              {profile_.row_image(symbol.image), symbol.symbol->name, symbol.is_inlined}, i)
                          .first->second);
        }
        return result;
    }

    const Profile& profile_;
    uint32_t applications_, cuts_;  ///< the first number of each
    std::vector<uint32_t> of_location_;
};

/// One of the nodes of a row.
struct Item {
    uint32_t node;
    uint32_t leaf;  ///< from the sampled functions up: where the stack's samples are in StackTree::counts
};

/// The nodes of a row.
struct Group {
    uint32_t row;  ///< as RowIds has it
    uint32_t depth = 0;
    std::vector<Item> items = {};
    std::vector<uint64_t> counts;  ///< one per column
};

class TreeBuilder {
public:
    /// `tree`: the profile's or a part of it. The report has its direction and the names of images.
    TreeBuilder(const Profile& profile, const StackTree& tree, const ReportOptions& options,
                CallTreeReport& report)
        : profile_(profile),
          tree_(tree),
          options_(options),
          report_(report),
          width_(profile.columns.size()),
          ids_(profile),
          group_of_(ids_.size(), none) {
        if (report.is_by_callee) return;
        children_.emplace(tree_);
        inclusive_ = inclusive_counts(tree_, width_);
    }

    void build() {
        report_.totals.assign(width_, 0);
        for (const StackCount& count : tree_.counts)
            report_.totals[count.column] = add_saturating(report_.totals[count.column], count.count);
        add_first();
        queue_groups(0);
        while (!pending_.empty()) {
            const Group group = std::move(pending_.back());
            pending_.pop_back();
            add_next(group.items);
            add_row(group, fold_recursion(group.row));
            queue_groups(group.depth + 1);
        }
    }

private:
    static constexpr uint32_t none = UINT32_MAX;

    void add_first() {
        if (!report_.is_by_callee) return add_next({{0, 0}});
        for (uint32_t i = 0; i < tree_.counts.size(); ++i)
            add({tree_.counts[i].node, i});
    }

    /// Groups what is one further in stacks.
    void add_next(const std::vector<Item>& items) {
        for (const Item& item : items)
            if (!report_.is_by_callee)
                for (const uint32_t child : children_->of(item.node))
                    add({child, 0});
            else if (const uint32_t caller = tree_.nodes[item.node].parent; caller != 0)
                add({caller, item.leaf});
    }

    /// Puts what follows the recursive calls of a row in their place, so that every sample is still in the
    /// row or in one group below it. Returns how often the function follows itself at most, itself included.
    uint32_t fold_recursion(uint32_t row) {
        uint32_t levels = 1;
        if (!options_.folds_recursion || !ids_.is_function(row)) return levels;
        for (; group_of_[row] != none; ++levels)
            add_next(take_group(row));
        return levels;
    }

    /// Removes a group that was made.
    std::vector<Item> take_group(uint32_t row) {
        const uint32_t at = std::exchange(group_of_[row], none);
        std::vector<Item> items = std::move(groups_[at].items);
        if (at + 1 != groups_.size()) {
            groups_[at] = std::move(groups_.back());
            group_of_[groups_[at].row] = at;
        }
        groups_.pop_back();
        return items;
    }

    void add(const Item& item) {
        if (!report_.is_by_callee && !has_samples(item.node)) return;
        const uint32_t row = ids_.of(tree_.nodes[item.node]);
        if (group_of_[row] == none) {
            group_of_[row] = static_cast<uint32_t>(groups_.size());
            groups_.push_back({.row = row, .counts = std::vector<uint64_t>(width_)});
        }
        Group& group = groups_[group_of_[row]];
        group.items.push_back(item);
        if (report_.is_by_callee) {
            const StackCount& leaf = tree_.counts[item.leaf];
            group.counts[leaf.column] = add_saturating(group.counts[leaf.column], leaf.count);
        } else
            add_to(group.counts, &inclusive_[item.node * width_]);
    }

    bool has_samples(uint32_t node) const {
        const auto counts = std::span(inclusive_).subspan(node * width_, width_);
        return std::ranges::any_of(counts, [](uint64_t count) { return count > 0; });
    }

    static void add_to(std::vector<uint64_t>& sums, const uint64_t* counts) {
        for (size_t column = 0; column < sums.size(); ++column)
            sums[column] = add_saturating(sums[column], counts[column]);
    }

    /// Adds the row of a group, while the groups below it are all there.
    void add_row(const Group& group, uint32_t levels) {
        CallTreeRow row = ids_.row(group.row, options_);
        row.levels = levels;
        row.depth = group.depth;
        row.is_own = row.kind == CallTreeRow::Kind::function && row.image == shown_below(group);
        report_.rows.push_back(row);
        report_.counts.insert(report_.counts.end(), group.counts.begin(), group.counts.end());
        if (report_.is_by_callee) return;
        std::vector<uint64_t> below(width_);
        for (const Group& next : groups_)
            add_to(below, next.counts.data());
        for (size_t column = 0; column < width_; ++column)
            report_.own.push_back(group.counts[column] - below[column]);
    }

    /// The application that a reader of the row knows; else none.
    uint32_t shown_below(const Group& group) {
        if (!report_.is_by_callee) return application_of(group.items.front().node);
        if (!only_app_) only_app_ = find_only_app();
        return *only_app_;
    }

    uint32_t application_of(uint32_t node) const {
        while (node != 0 && tree_.nodes[node].kind != StackNodeKind::application)
            node = tree_.nodes[node].parent;
        return node == 0 ? none : profile_.row_image(tree_.nodes[node].location);
    }

    /// The application of all stacks; none if there are several.
    uint32_t find_only_app() const {
        uint32_t only = none;
        for (const StackNode& node : tree_.nodes) {
            if (node.kind != StackNodeKind::application) continue;
            const uint32_t app = profile_.row_image(node.location);
            if (only != none && only != app) return none;
            only = app;
        }
        return only;
    }

    /// Queues the groups that were made, the heaviest as the next. Those too light or too deep are dropped.
    void queue_groups(uint32_t depth) {
        for (const Group& group : groups_)
            group_of_[group.row] = none;
        const bool is_too_deep = options_.depth && depth > *options_.depth;
        const size_t light = std::erase_if(groups_, [&](const Group& group) {
            return !reaches(group.counts, report_.totals, options_.threshold);
        });
        if (light > 0) report_.left_out = options_.threshold;
        if (is_too_deep) groups_.clear();
        std::ranges::sort(groups_, [this](const Group& a, const Group& b) { return is_lighter(a, b); });
        for (Group& group : groups_) {
            group.depth = depth;
            pending_.push_back(std::move(group));
        }
        groups_.clear();
    }

    bool is_lighter(const Group& a, const Group& b) const {
        if (a.counts != b.counts) return a.counts < b.counts;
        const auto key = [&](const CallTreeRow& row) {
            return std::tuple(row.name, std::string_view(report_.images[row.image]), row.end);
        };
        return key(ids_.row(a.row, options_)) > key(ids_.row(b.row, options_));
    }

    const Profile& profile_;
    const StackTree& tree_;
    const ReportOptions& options_;
    CallTreeReport& report_;
    size_t width_;
    RowIds ids_;
    std::optional<StackChildren> children_;  ///< from the applications down
    std::vector<uint64_t> inclusive_;        ///< likewise
    std::optional<uint32_t> only_app_;       ///< see find_only_app()
    std::vector<Group> groups_;              ///< being made
    std::vector<uint32_t> group_of_;         ///< by row: index into groups_
    std::vector<Group> pending_;             ///< the next to be shown at the end
};

/// The stacks of samples in the symbols that are asked for.
StackTree wanted_stacks(const Profile& profile, const ReportOptions& options) {
    StackTree tree = profile.stacks;
    const std::vector<bool> wanted = wanted_rows(profile, options);
    std::erase_if(tree.counts, [&](const StackCount& count) {
        const StackNode& node = tree.nodes[count.node];
        return !node.is_code() || !wanted[row_symbol(profile, profile.locations[node.location])];
    });
    return tree;
}

}  // namespace

CallTreeReport report_call_tree(const Profile& profile, ReportHead head, const ReportOptions& options,
                                bool is_by_callee) {
    CallTreeReport report;
    report.head = std::move(head);
    report.is_by_callee = is_by_callee;
    report.images = image_names(profile, options);
    for (const ProfileImage& image : profile.images)
        report.images_in_brackets.push_back(name_in_brackets(image.name, options.long_names));
    const bool is_part = !options.include_symbols.empty() || !options.exclude_symbols.empty();
    const StackTree part = is_part ? wanted_stacks(profile, options) : StackTree{};
    const StackTree& tree = is_part ? part : profile.stacks;
    report.stacks = stack_shares(profile, tree, options.demangle);
    if (!tree.is_empty()) TreeBuilder(profile, tree, options, report).build();
    return report;
}

}  // namespace op::pp
