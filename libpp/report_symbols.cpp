// SPDX-License-Identifier: GPL-2.0-or-later
// The symbol list: sum by symbol, filter, name what is left, sort.
#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>

#include "libop/ledger.h"
#include "libpp/percent.h"
#include "libpp/report.h"

namespace op::pp {

namespace {

/// The samples of one symbol in one application.
struct Sum {
    uint32_t app, symbol;
    size_t counts;  ///< index of the first in Sums::counts
};

/// Samples by application and symbol, in the order of the profile.
struct Sums {
    std::vector<Sum> rows;
    std::vector<uint64_t> counts;
};

class NameFilter {
public:
    explicit NameFilter(const ReportOptions& options)
        : include_(options.include_symbols.begin(), options.include_symbols.end()),
          exclude_(options.exclude_symbols.begin(), options.exclude_symbols.end()) {}

    bool passes(std::string_view name) const {
        return (include_.empty() || include_.contains(name)) && !exclude_.contains(name);
    }

private:
    std::set<std::string_view> include_, exclude_;
};

/// Per symbol of the profile whether it is asked for.
std::vector<bool> wanted_symbols(const Profile& profile, const ReportOptions& options) {
    const NameFilter filter(options);
    std::vector<bool> wanted;
    wanted.reserve(profile.symbols.size());
    for (const auto& symbol : profile.symbols)
        wanted.push_back(filter.passes(symbol.symbol->name));
    return wanted;
}

Sums sum_by_symbol(const Profile& profile, const std::vector<bool>& wanted) {
    const size_t width = profile.columns.size();
    Sums sums;
    std::unordered_map<uint64_t, size_t> rows;
    rows.reserve(profile.symbols.size());
    for (size_t i = 0; i < profile.samples.size(); ++i) {
        const uint32_t symbol = profile.leaf(i).symbol;
        if (symbol == Location::no_symbol || !wanted[symbol]) continue;
        const uint32_t app = profile.samples[i].app;
        const auto [at, is_new] = rows.try_emplace(uint64_t{app} << 32 | symbol, sums.counts.size());
        if (is_new) {
            sums.rows.push_back({app, symbol, sums.counts.size()});
            sums.counts.resize(sums.counts.size() + width);
        }
        for (size_t column = 0; column < width; ++column) {
            uint64_t& sum = sums.counts[at->second + column];
            sum = add_saturating(sum, profile.count(i, column));
        }
    }
    return sums;
}

std::vector<uint64_t> totals_of(const Sums& sums, size_t width) {
    std::vector<uint64_t> totals(width);
    for (size_t i = 0; i < sums.counts.size(); ++i)
        totals[i % width] = add_saturating(totals[i % width], sums.counts[i]);
    return totals;
}

bool reaches(const Sums& sums, const Sum& row, const std::vector<uint64_t>& totals, double threshold) {
    if (threshold <= 0) return true;
    for (size_t column = 0; column < totals.size(); ++column)
        if (percent_of(sums.counts[row.counts + column], totals[column]) >= threshold) return true;
    return false;
}

SymbolRow make_row(const Profile& profile, const Sum& sum, const ReportOptions& options, bool needs_line) {
    const ProfileSymbol& symbol = profile.symbols[sum.symbol];
    ImageSymbols& symbols = *profile.images[symbol.image].symbols;
    SymbolRow row{symbol.image, sum.app, symbol.symbol->address,
                  symbols.name(*symbol.symbol, options.demangle), std::nullopt};
    if (needs_line) row.line = symbols.line(symbol.symbol->start);
    return row;
}

/// The place of every name in the alphabet; equal names share one.
std::vector<uint32_t> ranks(const std::vector<std::string>& names) {
    std::vector<std::string_view> sorted(names.begin(), names.end());
    std::ranges::sort(sorted);
    std::vector<uint32_t> result;
    for (const std::string_view name : names)
        result.push_back(static_cast<uint32_t>(std::ranges::lower_bound(sorted, name) - sorted.begin()));
    return result;
}

/// Compares rows of a report by one key after the other.
class RowOrder {
public:
    RowOrder(const SymbolReport& report, const ReportOptions& options)
        : report_(report), ranks_(ranks(report.images)), is_reverse_(options.reverse), keys_(options.sort) {
        for (const SortKey key : {SortKey::sample, SortKey::image, SortKey::app_name, SortKey::symbol,
                                  SortKey::debug, SortKey::vma})
            if (std::ranges::find(keys_, key) == keys_.end()) keys_.push_back(key);
    }

    bool operator()(size_t a, size_t b) const {
        for (const SortKey key : keys_)
            if (const auto order = compare(key, a, b); order != 0) return is_reverse_ ? order > 0 : order < 0;
        return false;
    }

private:
    std::strong_ordering compare(SortKey key, size_t a, size_t b) const {
        const SymbolRow& x = report_.rows[a];
        const SymbolRow& y = report_.rows[b];
        const size_t width = report_.totals.size();
        switch (key) {
            case SortKey::sample:
                return report_.counts[b * width] <=> report_.counts[a * width];
            case SortKey::image:
                return ranks_[x.image] <=> ranks_[y.image];
            case SortKey::app_name:
                return ranks_[x.app] <=> ranks_[y.app];
            case SortKey::symbol:
                return x.name <=> y.name;
            case SortKey::debug:
                return compare_lines(x.line, y.line);
            case SortKey::vma:
                break;
        }
        return x.address <=> y.address;
    }

    static std::strong_ordering compare_lines(const std::optional<SourceLine>& a,
                                              const std::optional<SourceLine>& b) {
        if (!a || !b) return a.has_value() <=> b.has_value();
        if (const auto order = a->file <=> b->file; order != 0) return order;
        return a->line <=> b->line;
    }

    const SymbolReport& report_;
    std::vector<uint32_t> ranks_;
    bool is_reverse_;
    std::vector<SortKey> keys_;
};

/// Puts the rows and their counts in order.
void sort_rows(SymbolReport& report, const ReportOptions& options) {
    const size_t width = report.totals.size();
    std::vector<size_t> order(report.rows.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, RowOrder(report, options));
    std::vector<SymbolRow> rows;
    std::vector<uint64_t> counts;
    rows.reserve(order.size());
    counts.reserve(report.counts.size());
    for (const size_t i : order) {
        rows.push_back(report.rows[i]);
        for (size_t column = 0; column < width; ++column)
            counts.push_back(report.counts[i * width + column]);
    }
    report.rows = std::move(rows);
    report.counts = std::move(counts);
}

/// True if some column has samples of more than one application.
bool has_several_apps(const Profile& profile) {
    std::vector<std::set<uint32_t>> apps(profile.columns.size());
    for (size_t i = 0; i < profile.samples.size(); ++i)
        for (size_t column = 0; column < apps.size(); ++column)
            if (profile.count(i, column) && apps[column].insert(profile.samples[i].app).second &&
                apps[column].size() > 1)
                return true;
    return false;
}

/// Which columns the rows call for.
void choose_columns(SymbolReport& report, const Profile& profile, const ReportOptions& options) {
    constexpr LinkAddress four_gib{uint64_t{1} << 32};
    report.has_addresses = options.addresses;
    report.is_accumulated = options.accumulated;
    report.has_lines = options.debug_info;
    report.has_long_names = options.long_names;
    report.has_wide_addresses =
        std::ranges::any_of(report.rows, [&](const SymbolRow& row) { return row.address > four_gib; });
    report.has_images =
        std::ranges::any_of(report.rows, [](const SymbolRow& row) { return row.image != row.app; });
    report.has_apps = has_several_apps(profile);
}

}  // namespace

SymbolReport report_symbols(const Profile& profile, ReportHead head, const ReportOptions& options) {
    const size_t width = profile.columns.size();
    SymbolReport report;
    report.head = std::move(head);
    for (const auto& image : profile.images)
        report.images.push_back(shown_name(image.name, options.long_names));
    const Sums sums = sum_by_symbol(profile, wanted_symbols(profile, options));
    report.totals = totals_of(sums, width);
    const bool needs_lines =
        options.debug_info || std::ranges::find(options.sort, SortKey::debug) != options.sort.end();
    for (const Sum& sum : sums.rows) {
        if (!reaches(sums, sum, report.totals, options.threshold)) continue;
        report.rows.push_back(make_row(profile, sum, options, needs_lines));
        const auto first = sums.counts.begin() + static_cast<ptrdiff_t>(sum.counts);
        report.counts.insert(report.counts.end(), first, first + static_cast<ptrdiff_t>(width));
    }
    choose_columns(report, profile, options);
    sort_rows(report, options);
    return report;
}

}  // namespace op::pp
