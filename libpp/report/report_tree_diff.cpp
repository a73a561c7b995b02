// SPDX-License-Identifier: GPL-2.0-or-later
// The comparison of two trees of calls: the union of their rows, which are the same where all rows above them
// are.
#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "libop/session/ledger.h"
#include "libpp/report/comparison.h"
#include "libpp/report/report.h"
#include "libpp/report/significance.h"
#include "libpp/report/symbol_rows.h"

namespace op::pp {

namespace {

constexpr uint32_t no_node = UINT32_MAX;

/// A row of either tree.
struct Node {
    uint32_t parent;  ///< no_node = none is above it
    CallTreeRow row;
};

/// The rows of both trees, each once, below the rows that they are below.
class TreeUnion {
public:
    /// The tree's rows are of images that the report has from `first_image` on.
    void add(const CallTreeReport& tree, uint32_t first_image) {
        walk(tree, [&](uint32_t parent, const CallTreeRow& row) {
            const auto [at, is_new] =
                nodes_.try_emplace(key(tree, parent, row), static_cast<uint32_t>(all_.size()));
            if (is_new) {
                all_.push_back({parent, row});
                all_.back().row.image += first_image;
            } else
                all_[at->second].row.levels = std::max(all_[at->second].row.levels, row.levels);
            return at->second;
        });
    }

    /// Numbers of a tree's rows, added to those of the nodes; what is not in the union is left out.
    std::vector<uint64_t> counts(const CallTreeReport& tree, const std::vector<uint64_t>& numbers,
                                 size_t width) const {
        std::vector<uint64_t> sums(all_.size() * width);
        if (numbers.empty()) return sums;
        size_t index = 0;
        walk(tree, [&](uint32_t parent, const CallTreeRow& row) {
            const size_t first = index++ * width;
            const auto at = nodes_.find(key(tree, parent, row));
            if (at == nodes_.end()) return missing;
            for (size_t column = 0; column < width; ++column) {
                uint64_t& sum = sums[at->second * width + column];
                sum = add_saturating(sum, numbers[first + column]);
            }
            return at->second;
        });
        return sums;
    }

    const std::vector<Node>& all() const { return all_; }

private:
    /// Of a row that is not in the union: nothing is below it.
    static constexpr uint32_t missing = no_node - 1;
    using Key = std::tuple<uint32_t, CallTreeRow::Kind, uint32_t, std::string_view, std::string_view>;

    static Key key(const CallTreeReport& tree, uint32_t parent, const CallTreeRow& row) {
        const bool is_cut = row.kind == CallTreeRow::Kind::cut;
        return {parent, row.kind, row.end, row.name,
                is_cut ? std::string_view() : std::string_view(tree.images[row.image])};
    }

    /// Calls visit(node above, row), which returns the row's node, for all rows.
    template <class Visit>
    static void walk(const CallTreeReport& tree, const Visit& visit) {
        std::vector<uint32_t> path;  // by depth
        for (const CallTreeRow& row : tree.rows) {
            path.resize(row.depth);
            path.push_back(visit(path.empty() ? no_node : path.back(), row));
        }
    }

    std::map<Key, uint32_t> nodes_;
    std::vector<Node> all_;
};

/// Puts the comparison together.
class TreeDifference {
public:
    TreeDifference(const CallTreeReport& before, const CallTreeReport& after, const ReportOptions& options)
        : before_(before), after_(after), options_(options), width_(after.head.columns.size()) {
        report_.head = after.head;
        report_.head.remarks = lines_of_both(before.head.remarks, after.head.remarks);
        report_.head.facts = lines_of_both(before.head.facts, after.head.facts);
        report_.account_before = before.head.account;
        report_.scaled_before = before.head.scaled;
        report_.is_by_callee = after.is_by_callee;
        report_.images = after.images;
        report_.images.insert(report_.images.end(), before.images.begin(), before.images.end());
        report_.images_in_brackets = after.images_in_brackets;
        report_.images_in_brackets.insert(report_.images_in_brackets.end(), before.images_in_brackets.begin(),
                                          before.images_in_brackets.end());
        report_.totals = totals(after);
        report_.totals_before = totals(before);
        report_.stacks = after.stacks;
        report_.stacks_before = before.stacks;
        report_.stack_losses = lines_of_both(before.stack_losses, after.stack_losses);
    }

    CallTreeReport build(const SessionReports<CallTreeReport>& sessions) && {
        union_.add(after_, 0);
        union_.add(before_, static_cast<uint32_t>(after_.images.size()));
        counts_before_ = union_.counts(before_, before_.counts, width_);
        counts_after_ = union_.counts(after_, after_.counts, width_);
        own_before_ = union_.counts(before_, before_.own, width_);
        own_after_ = union_.counts(after_, after_.own, width_);
        for (size_t i = 0; i < counts_after_.size(); ++i)
            differences_.push_back(difference({counts_before_[i], report_.totals_before[i % width_]},
                                              {counts_after_[i], report_.totals[i % width_]}));
        test(sessions);
        choose();
        put_in_order();
        return std::move(report_);
    }

private:
    /// Of a tree without rows all are 0.
    std::vector<uint64_t> totals(const CallTreeReport& tree) const {
        return tree.totals.empty() ? std::vector<uint64_t>(width_) : tree.totals;
    }

    void test(const SessionReports<CallTreeReport>& sessions) {
        const auto counts_of = [&](const std::vector<CallTreeReport>& trees) {
            std::vector<SessionCounts> counts;
            for (const CallTreeReport& tree : trees)
                counts.push_back({totals(tree), union_.counts(tree, tree.counts, width_)});
            return counts;
        };
        const auto firsts = counts_of(sessions.before), seconds = counts_of(sessions.after);
        report_.power = test_differences({before_.head, report_.totals_before, counts_before_, firsts},
                                         {after_.head, report_.totals, counts_after_, seconds}, differences_);
        for (std::string& fact : test_facts(report_.power, "rows"))
            report_.head.facts.push_back(std::move(fact));
    }

    std::span<const uint64_t> row(const std::vector<uint64_t>& counts, size_t node) const {
        return std::span(counts).subspan(node * width_, width_);
    }

    /// Chooses the nodes that are shown: a node with all above it.
    void choose() {
        const std::vector<Node>& nodes = union_.all();
        is_shown_.assign(nodes.size(), false);
        for (size_t i = nodes.size(); i-- > 0;) {  // those above a node are before it
            const bool reaches_it =
                reaches(row(counts_before_, i), report_.totals_before, options_.threshold) ||
                reaches(row(counts_after_, i), report_.totals, options_.threshold);
            if (!reaches_it) report_.left_out = options_.threshold;
            const bool is_wanted = !options_.significant || is_significant(i);
            if (reaches_it && is_wanted) is_shown_[i] = true;
            if (is_shown_[i] && nodes[i].parent != no_node) is_shown_[nodes[i].parent] = true;
        }
    }

    bool is_significant(size_t node) const {
        return std::ranges::any_of(std::span(differences_).subspan(node * width_, width_),
                                   &Difference::is_significant);
    }

    Share before(uint32_t node, size_t column) const {
        return {counts_before_[node * width_ + column], report_.totals_before[column]};
    }
    Share after(uint32_t node, size_t column) const {
        return {counts_after_[node * width_ + column], report_.totals[column]};
    }

    /// The larger of both shares of the first column.
    double weight(uint32_t node) const { return std::max(before(node, 0).ratio(), after(node, 0).ratio()); }

    /// The greatest change of a share that is more than chance; 0 = none is.
    double significant_change(uint32_t node) const {
        double greatest = 0;
        for (size_t column = 0; column < width_; ++column)
            if (differences_[node * width_ + column].is_significant)
                greatest =
                    std::max(greatest, std::fabs(after(node, column).ratio() - before(node, column).ratio()));
        return greatest;
    }

    /// The order of rows below one row: significant changes first, the greatest at their top, then the
    /// others by share.
    bool is_before(uint32_t a, uint32_t b) const {
        if (changes_[a] != changes_[b]) return changes_[a] > changes_[b];
        if (const double first = weight(a), second = weight(b); first != second) return first > second;
        const auto key = [this](uint32_t node) {
            const CallTreeRow& at = union_.all()[node].row;
            return std::tuple(at.name, std::string_view(report_.images[at.image]), at.end);
        };
        return key(a) < key(b);
    }

    void put_in_order() {
        const std::vector<Node>& nodes = union_.all();
        for (uint32_t i = 0; i < nodes.size(); ++i)
            changes_.push_back(significant_change(i));
        std::vector<std::vector<uint32_t>> below(nodes.size() + 1);  // the first rows at the end
        for (uint32_t i = 0; i < nodes.size(); ++i)
            if (is_shown_[i]) below[nodes[i].parent == no_node ? nodes.size() : nodes[i].parent].push_back(i);
        for (auto& siblings : below)
            std::ranges::sort(siblings, [this](uint32_t a, uint32_t b) { return is_before(b, a); });
        std::vector<uint32_t> pending = below.back();
        while (!pending.empty()) {
            const uint32_t node = pending.back();
            pending.pop_back();
            add_row(node);
            pending.insert(pending.end(), below[node].begin(), below[node].end());
        }
    }

    void add_row(uint32_t node) {
        const auto append = [&](std::vector<uint64_t>& to, const std::vector<uint64_t>& from) {
            const auto numbers = row(from, node);
            to.insert(to.end(), numbers.begin(), numbers.end());
        };
        report_.rows.push_back(union_.all()[node].row);
        append(report_.counts, counts_after_);
        append(report_.counts_before, counts_before_);
        if (!report_.is_by_callee) {
            append(report_.own, own_after_);
            append(report_.own_before, own_before_);
        }
        const auto first = differences_.begin() + static_cast<ptrdiff_t>(node * width_);
        report_.differences.insert(report_.differences.end(), first, first + static_cast<ptrdiff_t>(width_));
    }

    const CallTreeReport& before_;
    const CallTreeReport& after_;
    const ReportOptions& options_;
    size_t width_;
    CallTreeReport report_;
    TreeUnion union_;
    // By node and column:
    std::vector<uint64_t> counts_before_, counts_after_, own_before_, own_after_;
    std::vector<Difference> differences_;
    std::vector<double> changes_;  ///< by node: significant_change()
    std::vector<bool> is_shown_;   ///< by node
};

}  // namespace

CallTreeReport report_tree_difference(const CallTreeReport& before, const CallTreeReport& after,
                                      const ReportOptions& options,
                                      const SessionReports<CallTreeReport>& sessions) {
    check_comparable(before.head, after.head);
    return TreeDifference(before, after, options).build(sessions);
}

}  // namespace op::pp
