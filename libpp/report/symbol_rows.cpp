// SPDX-License-Identifier: GPL-2.0-or-later
// Sums, names and order of rows by symbol.
#include "libpp/report/symbol_rows.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "libop/session/ledger.h"
#include "libpp/profile/percent.h"

namespace op::pp {

namespace {

class NameFilter {
public:
    explicit NameFilter(const ReportOptions& options)
        : include_(options.include_symbols.begin(), options.include_symbols.end()),
          exclude_(options.exclude_symbols.begin(), options.exclude_symbols.end()) {}

    bool is_empty() const { return include_.empty() && exclude_.empty(); }
    /// `name` is as in the object file, `shown` as in reports; that without its parameters counts, too.
    bool passes(std::string_view name, std::string_view shown) const {
        const auto is_in = [&](const std::set<std::string_view>& names) {
            return names.contains(name) || names.contains(shown) ||
                   names.contains(shown.substr(0, shown.find('(')));
        };
        return (include_.empty() || is_in(include_)) && !is_in(exclude_);
    }

private:
    std::set<std::string_view> include_, exclude_;
};

std::string_view shown_name_of(const Profile& profile, const ProfileSymbol& symbol,
                               const ReportOptions& options) {
    return profile.images[symbol.image].symbols->name(*symbol.symbol, options.demangle);
}

/// The place of every name in the alphabet; equal names share one.
std::vector<uint32_t> ranks(std::span<const std::string> names) {
    std::vector<std::string_view> sorted(names.begin(), names.end());
    std::ranges::sort(sorted);
    std::vector<uint32_t> result;
    for (const std::string_view name : names)
        result.push_back(static_cast<uint32_t>(std::ranges::lower_bound(sorted, name) - sorted.begin()));
    return result;
}

std::strong_ordering compare_lines(const std::optional<SourceLine>& a, const std::optional<SourceLine>& b) {
    if (!a || !b) return a.has_value() <=> b.has_value();
    if (const auto order = a->file <=> b->file; order != 0) return order;
    return a->line <=> b->line;
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

}  // namespace

std::vector<bool> wanted_symbols(const Profile& profile, const ReportOptions& options) {
    const NameFilter filter(options);
    std::vector<bool> wanted;
    wanted.reserve(profile.symbols.size());
    for (const auto& symbol : profile.symbols)
        wanted.push_back(filter.is_empty() ||
                         filter.passes(symbol.symbol->name, shown_name_of(profile, symbol, options)));
    return wanted;
}

SymbolSums sum_by_symbol(const Profile& profile, const std::vector<bool>& wanted) {
    const size_t width = profile.columns.size();
    SymbolSums sums;
    std::unordered_map<uint64_t, size_t> rows;
    rows.reserve(profile.symbols.size());
    for (size_t i = 0; i < profile.samples.size(); ++i) {
        const uint32_t symbol = profile.leaf(i).symbol;
        if (symbol == Location::no_symbol || !wanted[symbol]) continue;
        const AppSymbol row{profile.samples[i].app, symbol};
        const auto [at, is_new] = rows.try_emplace(row.key(), sums.counts.size());
        if (is_new) {
            sums.rows.push_back(row);
            sums.counts.resize(sums.counts.size() + width);
        }
        for (size_t column = 0; column < width; ++column) {
            uint64_t& sum = sums.counts[at->second + column];
            sum = add_saturating(sum, profile.count(i, column));
        }
    }
    return sums;
}

std::vector<uint64_t> column_totals(std::span<const uint64_t> counts, size_t width) {
    std::vector<uint64_t> totals(width);
    for (size_t i = 0; i < counts.size(); ++i)
        totals[i % width] = add_saturating(totals[i % width], counts[i]);
    return totals;
}

bool reaches(std::span<const uint64_t> row, std::span<const uint64_t> totals, double threshold) {
    if (threshold <= 0) return true;
    for (size_t column = 0; column < totals.size(); ++column)
        if (percent_of(row[column], totals[column]) >= threshold) return true;
    return false;
}

SymbolRow make_row(const Profile& profile, const AppSymbol& symbol, const ReportOptions& options,
                   bool needs_line) {
    const ProfileSymbol& found = profile.symbols[symbol.symbol];
    ImageSymbols& symbols = *profile.images[found.image].symbols;
    SymbolRow row{found.image,           symbol.app,
                  found.symbol->address, symbols.name(*found.symbol, options.demangle),
                  std::nullopt,          found.is_inlined};
    if (needs_line) row.line = symbols.line(found.symbol->start);
    return row;
}

bool needs_lines(const ReportOptions& options) {
    return options.debug_info || std::ranges::find(options.sort, SortKey::debug) != options.sort.end();
}

SymbolColumns choose_columns(const Profile& profile, std::span<const SymbolRow> rows,
                             const ReportOptions& options) {
    constexpr LinkAddress four_gib{uint64_t{1} << 32};
    SymbolColumns columns;
    for (const auto& image : profile.images)
        columns.images.push_back(shown_name(image.name, options.long_names));
    columns.has_addresses = options.addresses;
    columns.is_accumulated = options.accumulated;
    columns.has_lines = options.debug_info;
    columns.has_long_names = options.long_names;
    columns.has_wide_addresses =
        std::ranges::any_of(rows, [&](const SymbolRow& row) { return row.address > four_gib; });
    columns.has_images = std::ranges::any_of(rows, [](const SymbolRow& row) { return row.image != row.app; });
    columns.has_apps = has_several_apps(profile);
    return columns;
}

RowOrder::RowOrder(std::span<const SymbolRow> rows, std::span<const uint64_t> counts, size_t width,
                   std::span<const std::string> images, const ReportOptions& options)
    : rows_(rows),
      counts_(counts),
      width_(width),
      ranks_(ranks(images)),
      is_reverse_(options.reverse),
      keys_(options.sort) {
    for (const SortKey key :
         {SortKey::sample, SortKey::image, SortKey::app_name, SortKey::symbol, SortKey::debug, SortKey::vma})
        if (std::ranges::find(keys_, key) == keys_.end()) keys_.push_back(key);
}

bool RowOrder::operator()(size_t a, size_t b) const {
    for (const SortKey key : keys_)
        if (const auto order = compare(key, a, b); order != 0) return is_reverse_ ? order > 0 : order < 0;
    return false;
}

std::strong_ordering RowOrder::compare(SortKey key, size_t a, size_t b) const {
    const SymbolRow& x = rows_[a];
    const SymbolRow& y = rows_[b];
    switch (key) {
        case SortKey::sample:
            return counts_[b * width_] <=> counts_[a * width_];
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

}  // namespace op::pp
