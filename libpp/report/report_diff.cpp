// SPDX-License-Identifier: GPL-2.0-or-later
// The comparison of two symbol lists: the union of their rows, with the second's counts.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <tuple>

#include "libop/base/text.h"
#include "libpp/report/comparison.h"
#include "libpp/report/report.h"
#include "libpp/report/significance.h"
#include "libpp/report/symbol_rows.h"

namespace op::pp {

namespace {

/// Rows with equal keys are the same: image, application, name, and the number of the symbol among those of
/// that name, in the order of addresses.
using RowKey = std::tuple<std::string_view, std::string_view, std::string_view, size_t>;

std::map<RowKey, size_t> index_rows(const SymbolReport& report) {
    std::vector<size_t> order(report.rows.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](size_t i) { return report.rows[i].address; });
    std::map<RowKey, size_t> index;
    for (const size_t i : order) {
        const SymbolRow& row = report.rows[i];
        RowKey key{report.columns.images[row.image], report.columns.images[row.app], row.name, 0};
        while (!index.emplace(key, i).second)
            ++std::get<3>(key);
    }
    return index;
}

/// Where samples are compared, a row has to reach the threshold on either side; of shares the change has to.
bool is_shown(const SymbolReport& report, size_t row, const ReportOptions& options) {
    const size_t width = report.totals.size(), first = row * width;
    const auto differences = std::span(report.differences).subspan(first, width);
    if (options.significant && std::ranges::none_of(differences, &Difference::is_significant)) return false;
    if (!options.compares_counts) {
        const Difference& difference = differences.front();
        return difference.kind != Difference::Kind::changed ||
               std::fabs(difference.percent) >= options.threshold;
    }
    if (reaches(std::span(report.counts_before).subspan(first, width), report.totals_before,
                options.threshold))
        return true;
    std::vector<uint64_t> after;
    for (size_t i = first; i < first + width; ++i)
        after.push_back(report.count_after(i));
    return reaches(after, report.totals, options.threshold);
}

constexpr size_t no_row = SIZE_MAX;

/// The samples of a list's applications, over all columns, by name as shown.
std::map<std::string_view, double> samples_by_app(const SymbolReport& report) {
    std::map<std::string_view, double> samples;
    const size_t width = report.totals.size();
    for (size_t i = 0; i < report.counts.size(); ++i)
        samples[report.columns.images[report.rows[i / width].app]] += static_cast<double>(report.counts[i]);
    return samples;
}

/// The one application that the other list lacks, if most of the samples are of it; empty without one.
std::string_view main_stranger(const std::map<std::string_view, double>& apps,
                               const std::map<std::string_view, double>& others) {
    std::string_view stranger;
    double all = 0;
    for (const auto& [app, samples] : apps) {
        all += samples;
        if (others.contains(app)) continue;
        if (!stranger.empty()) return {};
        stranger = app;
    }
    return !stranger.empty() && 2 * apps.at(stranger) > all ? stranger : std::string_view();
}

/// A program that has another name in each list, as builds of it have: the one application that the other
/// lacks, with most of the samples. Both are empty otherwise.
struct RenamedApp {
    std::string_view before, after;

    RenamedApp(const SymbolReport& first, const SymbolReport& second) {
        const auto olds = samples_by_app(first), news = samples_by_app(second);
        const std::string_view gone = main_stranger(olds, news), come = main_stranger(news, olds);
        if (gone.empty() || come.empty()) return;
        before = gone;
        after = come;
    }
    /// The key that a row of the second list would have in the first. The program's own functions have none
    /// there: they are of another image.
    RowKey key_before(RowKey key) const {
        std::string_view& app = std::get<1>(key);
        if (app == after) app = before;
        return key;
    }
};

/// True if rows of one image differ in the application.
bool has_image_in_several_apps(const SymbolReport& report) {
    std::map<std::string_view, std::string_view> apps;  // by image
    return std::ranges::any_of(report.rows, [&](const SymbolRow& row) {
        const std::string_view app = report.columns.images[row.app];
        return apps.emplace(report.columns.images[row.image], app).first->second != app;
    });
}

/// The rows of a list by their names and addresses.
class NamedRows {
public:
    explicit NamedRows(const SymbolReport& report) : report_(report) {
        for (size_t i = 0; i < report.rows.size(); ++i)
            rows_.emplace(key(i), i);
    }

    /// The row that a row of another list is; no_row without one. Of joined files the address may be
    /// that of another one: then it is the only row of that name.
    size_t find(const NamedRows& other, size_t row) const {
        const Key wanted = other.key(row);
        const auto exact = rows_.find(wanted);
        if (exact != rows_.end()) return exact->second;
        return other.only_of_name(wanted) == no_row ? no_row : only_of_name(wanted);
    }

private:
    using Key = std::tuple<std::string_view, std::string_view, std::string_view, uint64_t>;

    Key key(size_t row) const {
        const SymbolRow& at = report_.rows[row];
        return {report_.columns.images[at.image], report_.columns.images[at.app], at.name,
                at.address.value()};
    }

    size_t only_of_name(Key key) const {
        std::get<3>(key) = 0;
        const auto first = rows_.lower_bound(key);
        std::get<3>(key) = UINT64_MAX;
        const auto end = rows_.upper_bound(key);
        return first != end && std::next(first) == end ? first->second : no_row;
    }

    const SymbolReport& report_;
    std::map<Key, size_t> rows_;
};

/// Puts the union together, unsorted.
class Union {
public:
    Union(const SymbolReport& before, const SymbolReport& after, bool compares_counts)
        : before_(before),
          after_(after),
          tested_(compares_counts ? Tested::counts : Tested::shares),
          width_(after.totals.size()) {
        result_.head = after.head;
        result_.head.remarks = lines_of_both(before.head.remarks, after.head.remarks);
        result_.head.facts = lines_of_both(before.head.facts, after.head.facts);
        result_.account_before = before.head.account;
        result_.scaled_before = before.head.scaled;
        result_.totals = after.totals;
        result_.totals_before = before.totals;
        result_.columns = after.columns;
        result_.columns.is_differential = !compares_counts;
        result_.columns.has_changes = compares_counts;
        const SymbolColumns& other = before.columns;
        result_.columns.has_images |= other.has_images;
        result_.columns.has_apps |= other.has_apps;
        result_.columns.has_wide_addresses |= other.has_wide_addresses;
        result_.columns.images.insert(result_.columns.images.end(), other.images.begin(), other.images.end());
    }

    SymbolReport build(const SessionReports<SymbolReport>& sessions) && {
        const auto new_rows = index_rows(after_);
        auto left = index_rows(before_);
        const RenamedApp renamed(before_, after_);
        bool is_renamed = false;
        for (const auto& [key, row] : new_rows) {
            const auto old = left.find(renamed.key_before(key));
            is_renamed |= old != left.end() && old->first != key;
            sides_.push_back({old == left.end() ? no_row : old->second, row});
            add(old == left.end() ? none_.data() : &before_.counts[old->second * width_], row);
            if (old != left.end()) left.erase(old);
        }
        for (const auto& [key, row] : left) {
            sides_.push_back({row, no_row});
            add_removed(row);
        }
        if (is_renamed)
            result_.head.remarks.push_back("libraries and the kernel in " + printable(renamed.before) +
                                           " are compared with those in " + printable(renamed.after));
        result_.columns.has_apps |= has_image_in_several_apps(result_);
        test(sessions);
        return std::move(result_);
    }

private:
    /// A row of the union in the two lists.
    struct Sides {
        size_t before, after;
    };

    void add(const uint64_t* before, size_t row) {
        const uint64_t* const counts = &after_.counts[row * width_];
        std::vector<Difference> differences;
        for (size_t column = 0; column < width_; ++column)
            differences.push_back(difference({before[column], before_.totals[column]},
                                             {counts[column], after_.totals[column]}));
        add(after_.rows[row], counts, before, differences);
    }

    void add_removed(size_t row) {
        SymbolRow moved = before_.rows[row];
        const auto offset = static_cast<uint32_t>(after_.columns.images.size());
        moved.image += offset;
        moved.app += offset;
        const uint64_t* const counts = &before_.counts[row * width_];
        add(moved, counts, counts, std::vector<Difference>(width_, {Difference::Kind::removed, 0}));
    }

    void add(const SymbolRow& row, const uint64_t* counts, const uint64_t* before,
             const std::vector<Difference>& differences) {
        result_.rows.push_back(row);
        result_.counts.insert(result_.counts.end(), counts, counts + width_);
        result_.counts_before.insert(result_.counts_before.end(), before, before + width_);
        result_.differences.insert(result_.differences.end(), differences.begin(), differences.end());
    }

    void test(const SessionReports<SymbolReport>& sessions) {
        std::vector<uint64_t> after;
        for (size_t i = 0; i < result_.counts.size(); ++i)
            after.push_back(result_.count_after(i));
        const auto firsts = session_counts(sessions.before, before_, &Sides::before);
        const auto seconds = session_counts(sessions.after, after_, &Sides::after);
        result_.power =
            test_differences({before_.head, result_.totals_before, result_.counts_before, firsts},
                             {result_.head, result_.totals, after, seconds}, result_.differences, tested_);
    }

    /// The counts of sessions of a side in the rows of the union.
    std::vector<SessionCounts> session_counts(const std::vector<SymbolReport>& sessions,
                                              const SymbolReport& side, size_t Sides::*row_of) const {
        std::vector<SessionCounts> result;
        if (sessions.empty()) return result;
        const NamedRows of_side(side);
        for (const SymbolReport& session : sessions) {
            const NamedRows of_session(session);
            SessionCounts& counts = result.emplace_back();
            counts.totals = session.totals;
            for (const Sides& at : sides_) {
                const size_t row = at.*row_of == no_row ? no_row : of_session.find(of_side, at.*row_of);
                const uint64_t* const first = row == no_row ? none_.data() : &session.counts[row * width_];
                counts.counts.insert(counts.counts.end(), first, first + width_);
            }
        }
        return result;
    }

    const SymbolReport& before_;
    const SymbolReport& after_;
    Tested tested_;
    size_t width_;
    std::vector<Sides> sides_;  ///< one per row
    const std::vector<uint64_t> none_ = std::vector<uint64_t>(width_);
    SymbolReport result_;
};

/// The order of rows: those with a significant change first, the greatest change of a share at their top,
/// then the others; where samples are compared, the greatest change of samples first; with sort keys as these
/// have it.
class ComparedOrder {
public:
    ComparedOrder(const SymbolReport& report, const ReportOptions& options)
        : order_(report.rows, report.counts, report.totals.size(), report.columns.images, options),
          is_reverse_(options.reverse) {
        if (options.sort.empty())
            for (size_t row = 0; row < report.rows.size(); ++row)
                changes_.push_back(options.compares_counts
                                       ? change_of_samples(report, row, options.sort_column)
                                       : significant_change(report, row, options.sort_column));
    }

    bool operator()(size_t a, size_t b) const {
        if (changes_.empty() || changes_[a] == changes_[b]) return order_(a, b);
        return (changes_[a] > changes_[b]) != is_reverse_;
    }

private:
    /// Of all columns, or of the one that is wanted.
    static double change_of_samples(const SymbolReport& report, size_t row, const SortColumn& wanted) {
        const size_t width = report.totals.size();
        double sum = 0;
        for (size_t column = 0; column < width; ++column) {
            const size_t i = row * width + column;
            if (wanted.number.value_or(column) == column)
                sum += report.change_of(column, report.counts_before[i], report.count_after(i)).delta();
        }
        return std::fabs(sum);
    }

    /// The greatest change of a share that is more than chance, in the column that was asked for or in any;
    /// 0 = none is.
    static double significant_change(const SymbolReport& report, size_t row, const SortColumn& wanted) {
        const size_t width = report.totals.size();
        double greatest = 0;
        for (size_t column = 0; column < width; ++column) {
            const size_t i = row * width + column;
            if (wanted.is_given && wanted.number != column) continue;
            if (!report.differences[i].is_significant) continue;
            const Share before{report.counts_before[i], report.totals_before[column]},
                after{report.count_after(i), report.totals[column]};
            greatest = std::max(greatest, std::fabs(after.ratio() - before.ratio()));
        }
        return greatest;
    }

    RowOrder order_;
    bool is_reverse_;
    std::vector<double> changes_;  ///< by row; empty = they do not count
};

/// Chooses the rows and puts them in order.
void choose_rows(SymbolReport& report, const ReportOptions& options) {
    const size_t width = report.totals.size();
    std::vector<size_t> order;
    for (size_t i = 0; i < report.rows.size(); ++i)
        if (is_shown(report, i, options)) order.push_back(i);
    std::ranges::stable_sort(order, ComparedOrder(report, options));
    SymbolReport sorted;
    for (const size_t i : order) {
        sorted.rows.push_back(report.rows[i]);
        for (size_t column = 0; column < width; ++column) {
            sorted.counts.push_back(report.counts[i * width + column]);
            sorted.counts_before.push_back(report.counts_before[i * width + column]);
            sorted.differences.push_back(report.differences[i * width + column]);
        }
    }
    report.rows = std::move(sorted.rows);
    report.counts = std::move(sorted.counts);
    report.counts_before = std::move(sorted.counts_before);
    report.differences = std::move(sorted.differences);
}

}  // namespace

SymbolReport report_difference(const SymbolReport& before, const SymbolReport& after,
                               const ReportOptions& options, const SessionReports<SymbolReport>& sessions) {
    check_comparable(before.head, after.head);
    SymbolReport report = Union(before, after, options.compares_counts).build(sessions);
    for (std::string& fact : test_facts(report.power, "symbols"))
        report.head.facts.push_back(std::move(fact));
    choose_rows(report, options);
    return report;
}

}  // namespace op::pp
