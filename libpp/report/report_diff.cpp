// SPDX-License-Identifier: GPL-2.0-or-later
// The comparison of two symbol lists: the union of their rows, with the second's counts.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "libop/base/error.h"
#include "libpp/report/report.h"
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

/// A count and what it is a share of.
struct Share {
    uint64_t count, total;

    bool operator==(const Share& other) const {
        using Product = unsigned __int128;
        return Product{count} * other.total == Product{other.count} * total;
    }
    double value() const { return static_cast<double>(count) / static_cast<double>(total); }
};

Difference difference(const Share& before, const Share& after) {
    if (before.count == 0 && after.count == 0) return {Difference::Kind::changed, 0};
    if (before.count == 0) return {Difference::Kind::added, 0};
    if (after.count == 0) return {Difference::Kind::removed, 0};
    if (before == after) return {Difference::Kind::changed, 0};
    return {Difference::Kind::changed, (after.value() - before.value()) / before.value() * 100};
}

bool is_shown(const Difference& first_column, double threshold) {
    return first_column.kind != Difference::Kind::changed || std::fabs(first_column.percent) >= threshold;
}

/// The remarks on both profiles, then those on one of them.
std::vector<std::string> remarks_of_both(const std::vector<std::string>& first,
                                         const std::vector<std::string>& second) {
    const auto is_in = [](const std::vector<std::string>& remarks, const std::string& remark) {
        return std::ranges::find(remarks, remark) != remarks.end();
    };
    std::vector<std::string> both;
    for (const std::string& remark : first)
        if (is_in(second, remark)) both.push_back(remark);
    for (const std::string& remark : first)
        if (!is_in(second, remark)) both.push_back("first profile: " + remark);
    for (const std::string& remark : second)
        if (!is_in(first, remark)) both.push_back("second profile: " + remark);
    return both;
}

/// Puts the union together, unsorted.
class Union {
public:
    Union(const SymbolReport& before, const SymbolReport& after, double threshold)
        : before_(before), after_(after), width_(after.totals.size()), threshold_(threshold) {
        result_.head = after.head;
        result_.head.remarks = remarks_of_both(before.head.remarks, after.head.remarks);
        result_.scaled_before = before.head.scaled;
        result_.totals = after.totals;
        result_.totals_before = before.totals;
        result_.columns = after.columns;
        result_.columns.is_differential = true;
        const SymbolColumns& other = before.columns;
        result_.columns.has_images |= other.has_images;
        result_.columns.has_apps |= other.has_apps;
        result_.columns.has_wide_addresses |= other.has_wide_addresses;
        result_.columns.images.insert(result_.columns.images.end(), other.images.begin(), other.images.end());
    }

    SymbolReport build() && {
        const auto old_rows = index_rows(before_), new_rows = index_rows(after_);
        for (const auto& [key, row] : new_rows) {
            const auto old = old_rows.find(key);
            add(old == old_rows.end() ? none_.data() : &before_.counts[old->second * width_], row);
        }
        for (const auto& [key, row] : old_rows)
            if (!new_rows.contains(key)) add_removed(row);
        return std::move(result_);
    }

private:
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
        if (!is_shown(differences[0], threshold_)) return;
        result_.rows.push_back(row);
        result_.counts.insert(result_.counts.end(), counts, counts + width_);
        result_.counts_before.insert(result_.counts_before.end(), before, before + width_);
        result_.differences.insert(result_.differences.end(), differences.begin(), differences.end());
    }

    const SymbolReport& before_;
    const SymbolReport& after_;
    size_t width_;
    const std::vector<uint64_t> none_ = std::vector<uint64_t>(width_);
    double threshold_;
    SymbolReport result_;
};

void sort_rows(SymbolReport& report, const ReportOptions& options) {
    const size_t width = report.totals.size();
    std::vector<size_t> order(report.rows.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order,
                             RowOrder(report.rows, report.counts, width, report.columns.images, options));
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

bool are_comparable(const ReportHead& a, const ReportHead& b) {
    if (a.axis != b.axis || a.columns.size() != b.columns.size()) return false;
    return a.axis != Axis::event ||
           std::ranges::equal(a.columns, b.columns, [](const ProfileClass& x, const ProfileClass& y) {
               return x.event == y.event && x.count == y.count;
           });
}

}  // namespace

void check_comparable(const ReportHead& before, const ReportHead& after) {
    if (!are_comparable(before, after))
        throw_usage(
            "the two profiles' classes are incompatible: they must be of the same events and counts, and "
            "separated alike");
}

SymbolReport report_difference(const SymbolReport& before, const SymbolReport& after,
                               const ReportOptions& options) {
    check_comparable(before.head, after.head);
    SymbolReport report = Union(before, after, options.threshold).build();
    sort_rows(report, options);
    return report;
}

}  // namespace op::pp
