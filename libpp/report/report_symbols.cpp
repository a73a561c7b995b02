// SPDX-License-Identifier: GPL-2.0-or-later
// The symbol list: sum by symbol, filter, name what is left, sort; then, if requested, each symbol's
// addresses.
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "libop/session/ledger.h"
#include "libpp/report/report.h"
#include "libpp/report/symbol_rows.h"

namespace op::pp {

namespace {

/// The rows that are shown, and what of the profile they are, in the same order.
struct Rows {
    std::vector<SymbolRow> rows;
    std::vector<AppSymbol> symbols;
    std::vector<uint64_t> counts;
    std::vector<uint64_t> inclusive;  ///< empty if not wanted
};

/// All samples per column, of whatever symbols.
std::vector<uint64_t> all_samples(const Profile& profile) {
    std::vector<uint64_t> totals(profile.columns.size());
    for (size_t i = 0; i < profile.samples.size(); ++i)
        for (size_t column = 0; column < totals.size(); ++column)
            totals[column] = add_saturating(totals[column], profile.count(i, column));
    return totals;
}

/// Adds rows for wanted symbols that were on a stack without being sampled. Returns the samples in each row
/// and all it calls, one per row and column.
std::vector<uint64_t> add_inclusive(const Profile& profile, const std::vector<bool>& wanted,
                                    SymbolSums& sums) {
    const size_t width = profile.columns.size();
    const StackTree& tree = profile.stacks;
    const std::vector<uint32_t> apps = stack_applications(profile);
    std::unordered_map<uint64_t, size_t> rows;
    for (size_t i = 0; i < sums.rows.size(); ++i)
        rows.emplace(sums.rows[i].key(), i);
    std::vector<size_t> row_of(tree.nodes.size(), not_counted);
    for (size_t i = 0; i < tree.nodes.size(); ++i) {
        if (!tree.nodes[i].is_code()) continue;
        const uint32_t symbol = row_symbol(profile, profile.locations[tree.nodes[i].location]);
        if (!wanted[symbol]) continue;
        const AppSymbol row{profile.row_image(apps[i]), symbol};
        const auto [at, is_new] = rows.try_emplace(row.key(), sums.rows.size());
        if (is_new) sums.rows.push_back(row);
        row_of[i] = at->second;
    }
    sums.counts.resize(sums.rows.size() * width);
    std::vector<uint64_t> inclusive(sums.counts.size());
    sum_once(
        tree, width, [&](uint32_t node) { return row_of[node]; },
        [&](size_t row, const uint64_t* counts) {
            for (size_t column = 0; column < width; ++column)
                inclusive[row * width + column] =
                    add_saturating(inclusive[row * width + column], counts[column]);
        });
    return inclusive;
}

void append_row(const std::vector<uint64_t>& from, size_t row, size_t width, std::vector<uint64_t>& to) {
    const auto first = from.begin() + static_cast<ptrdiff_t>(row * width);
    to.insert(to.end(), first, first + static_cast<ptrdiff_t>(width));
}

/// `deciding`: the counts that the threshold is for, with their totals.
Rows shown_rows(const Profile& profile, const SymbolSums& sums, const std::vector<uint64_t>& inclusive,
                const std::vector<uint64_t>& deciding, const std::vector<uint64_t>& totals,
                const ReportOptions& options) {
    const size_t width = totals.size();
    Rows shown;
    for (size_t i = 0; i < sums.rows.size(); ++i) {
        const std::span counts(&sums.counts[i * width], width);
        if (!reaches(std::span(deciding).subspan(i * width, width), totals, options.threshold)) continue;
        if (!inclusive.empty()) append_row(inclusive, i, width, shown.inclusive);
        shown.rows.push_back(make_row(profile, sums.rows[i], options, needs_lines(options)));
        shown.symbols.push_back(sums.rows[i]);
        shown.counts.insert(shown.counts.end(), counts.begin(), counts.end());
    }
    return shown;
}

Rows in_order(const Rows& rows, const SymbolColumns& columns, size_t width, const ReportOptions& options) {
    std::vector<size_t> order(rows.rows.size());
    std::iota(order.begin(), order.end(), 0);
    const auto& deciding = rows.inclusive.empty() ? rows.counts : rows.inclusive;
    std::ranges::stable_sort(order, RowOrder(rows.rows, deciding, width, columns.images, options));
    Rows sorted;
    sorted.rows.reserve(order.size());
    sorted.symbols.reserve(order.size());
    sorted.counts.reserve(rows.counts.size());
    for (const size_t i : order) {
        sorted.rows.push_back(rows.rows[i]);
        sorted.symbols.push_back(rows.symbols[i]);
        append_row(rows.counts, i, width, sorted.counts);
        if (!rows.inclusive.empty()) append_row(rows.inclusive, i, width, sorted.inclusive);
    }
    return sorted;
}

/// Collects the addresses of each row. The profile has them by image and offset, so each row's come in order.
class DetailCollector {
public:
    DetailCollector(const Profile& profile, const std::vector<AppSymbol>& rows) : profile_(profile) {
        samples_.resize(rows.size());
        std::unordered_map<uint64_t, size_t> row_of;
        for (size_t i = 0; i < rows.size(); ++i)
            row_of.emplace(rows[i].key(), i);
        for (size_t i = 0; i < profile.samples.size(); ++i) {
            const auto row = row_of.find(
                AppSymbol{profile.row_image(profile.samples[i].app), row_symbol(profile, profile.leaf(i))}
                    .key());
            if (row != row_of.end()) samples_[row->second].push_back(i);
        }
    }

    void put_into(SymbolReport& report, bool has_lines) const {
        for (const auto& samples : samples_) {
            report.first_detail.push_back(report.details.size());
            for (const size_t sample : samples)
                put(sample, report, has_lines);
        }
        report.first_detail.push_back(report.details.size());
    }

private:
    void put(size_t sample, SymbolReport& report, bool has_lines) const {
        const Location& at = profile_.leaf(sample);
        ImageSymbols& symbols = *profile_.images[at.image].symbols;
        DetailRow row{symbols.link_address(at.offset), std::nullopt};
        if (has_lines) row.line = symbols.line(at.offset);
        report.details.push_back(row);
        for (size_t column = 0; column < profile_.columns.size(); ++column)
            report.detail_counts.push_back(profile_.count(sample, column));
    }

    const Profile& profile_;
    std::vector<std::vector<size_t>> samples_;  ///< per row
};

/// The bytes of a row; none of code that is no symbol's own.
std::span<const std::byte> code_of(const Profile& profile, const AppSymbol& row) {
    if (row.symbol >= profile.symbols.size()) return {};
    const ProfileSymbol& symbol = profile.symbols[row.symbol];
    if (symbol.is_inlined) return {};
    return profile.images[symbol.image].symbols->code(*symbol.symbol);
}

}  // namespace

SymbolReport report_symbols(const Profile& profile, ReportHead head, const ReportOptions& options) {
    const size_t width = profile.columns.size();
    SymbolReport report;
    report.head = std::move(head);
    const std::vector<bool> wanted = wanted_rows(profile, options);
    SymbolSums sums = sum_by_symbol(profile, wanted);
    report.totals = column_totals(sums.counts, width);
    std::vector<uint64_t> inclusive;
    if (options.inclusive) inclusive = add_inclusive(profile, wanted, sums);
    if (options.inclusive) report.inclusive_totals = all_samples(profile);
    const Rows rows = options.inclusive
                          ? shown_rows(profile, sums, inclusive, inclusive, report.inclusive_totals, options)
                          : shown_rows(profile, sums, {}, sums.counts, report.totals, options);
    report.columns = choose_columns(profile, rows.rows, options);
    Rows sorted = in_order(rows, report.columns, width, options);
    report.rows = std::move(sorted.rows);
    report.counts = std::move(sorted.counts);
    report.inclusive = std::move(sorted.inclusive);
    report.has_global_percent = options.global_percent;
    if (!options.details) return report;
    DetailCollector(profile, sorted.symbols).put_into(report, options.debug_info);
    for (const AppSymbol& row : sorted.symbols)
        report.code.push_back(code_of(profile, row));
    return report;
}

}  // namespace op::pp
