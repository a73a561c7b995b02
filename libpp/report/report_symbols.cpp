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
};

Rows shown_rows(const Profile& profile, const SymbolSums& sums, const std::vector<uint64_t>& totals,
                const ReportOptions& options) {
    const size_t width = totals.size();
    Rows shown;
    for (size_t i = 0; i < sums.rows.size(); ++i) {
        const std::span counts(&sums.counts[i * width], width);
        if (!reaches(counts, totals, options.threshold)) continue;
        shown.rows.push_back(make_row(profile, sums.rows[i], options, needs_lines(options)));
        shown.symbols.push_back(sums.rows[i]);
        shown.counts.insert(shown.counts.end(), counts.begin(), counts.end());
    }
    return shown;
}

Rows in_order(const Rows& rows, const SymbolColumns& columns, size_t width, const ReportOptions& options) {
    std::vector<size_t> order(rows.rows.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, RowOrder(rows.rows, rows.counts, width, columns.images, options));
    Rows sorted;
    sorted.rows.reserve(order.size());
    sorted.symbols.reserve(order.size());
    sorted.counts.reserve(rows.counts.size());
    for (const size_t i : order) {
        sorted.rows.push_back(rows.rows[i]);
        sorted.symbols.push_back(rows.symbols[i]);
        const auto first = rows.counts.begin() + static_cast<ptrdiff_t>(i * width);
        sorted.counts.insert(sorted.counts.end(), first, first + static_cast<ptrdiff_t>(width));
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
    const SymbolSums sums = sum_by_symbol(profile, wanted_rows(profile, options));
    report.totals = column_totals(sums.counts, width);
    const Rows rows = shown_rows(profile, sums, report.totals, options);
    report.columns = choose_columns(profile, rows.rows, options);
    Rows sorted = in_order(rows, report.columns, width, options);
    report.rows = std::move(sorted.rows);
    report.counts = std::move(sorted.counts);
    report.has_global_percent = options.global_percent;
    if (!options.details) return report;
    DetailCollector(profile, sorted.symbols).put_into(report, options.debug_info);
    for (const AppSymbol& row : sorted.symbols)
        report.code.push_back(code_of(profile, row));
    return report;
}

}  // namespace op::pp
