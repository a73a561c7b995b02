// SPDX-License-Identifier: GPL-2.0-or-later
// Sums, names and order of rows by symbol.
#include "libpp/report/symbol_rows.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "libop/session/ledger.h"
#include "libpp/profile/percent.h"
#include "libpp/report/name_brackets.h"
#include "libpp/symbols/run_time_code.h"

namespace op::pp {

namespace {

/// "lookup" of "OrderBook::lookup(int)".
std::string_view last_component(std::string_view name) {
    constexpr std::string_view unnamed = "(anonymous namespace)::", separator = "::";
    if (const size_t at = name.rfind(unnamed); at != name.npos) name.remove_prefix(at + unnamed.size());
    name = name.substr(0, name.find('('));
    const size_t at = name.rfind(separator);
    return at == name.npos ? name : name.substr(at + separator.size());
}

/// "score" of "logs::score<int>(std::string const&)": without namespaces, classes, arguments and parameters.
std::string_view bare_name(std::string_view shown) {
    std::string_view name = last_component(shown);
    if (name.find("operator") != name.npos) return name;
    const std::string_view whole = shown.substr(0, shown.find('('));
    if (!whole.ends_with('>')) return name;
    size_t at = whole.size(), depth = 0;
    while (at > 0) {
        const char c = whole[--at];
        depth += c == '>';
        if (c == '<' && --depth == 0) return last_component(whole.substr(0, at));
    }
    return name;
}

/// The names, those put together again that were split at a comma between brackets.
std::vector<std::string> whole_names(std::span<const std::string> parts) {
    std::vector<std::string> names;
    for (const std::string& part : parts)
        if (!names.empty() && has_open_bracket(names.back()))
            names.back() += "," + part;
        else
            names.push_back(part);
    return names;
}

/// Names given by the user.
class NameSet {
public:
    explicit NameSet(std::span<const std::string> parts) {
        for (std::string& name : whole_names(parts)) {
            last_components_.emplace(last_component(name));
            names_.insert(std::move(name));
        }
    }

    bool is_empty() const { return names_.empty(); }
    /// `name` is as in the object file, `shown` as in reports; that without its parameters counts, too, and
    /// that without the mark of a clone made by the compiler.
    bool contains(std::string_view name, std::string_view shown) const {
        return names_.contains(name) || names_.contains(shown) ||
               names_.contains(shown.substr(0, shown.find('('))) ||
               names_.contains(shown.substr(0, shown.find(" [clone ")));
    }
    /// Those without namespace and brackets.
    std::vector<std::string_view> bare_names() const {
        std::vector<std::string_view> bare;
        for (const std::string& name : names_)
            if (name.find_first_of(":()<>[]") == name.npos) bare.push_back(name);
        return bare;
    }
    /// The same for a function that debug information names without its class and parameters. It may be
    /// another class's function or one of C.
    bool contains_bare(std::string_view name) const { return last_components_.contains(name); }

private:
    std::set<std::string, std::less<>> names_, last_components_;
};

class NameFilter {
public:
    /// Names in `bare` that are included are those of all symbols whose bare name it is.
    NameFilter(const ReportOptions& options, std::vector<std::string> bare)
        : include_(options.include_symbols),
          exclude_(options.exclude_symbols),
          bare_(std::make_move_iterator(bare.begin()), std::make_move_iterator(bare.end())) {}

    bool is_empty() const { return include_.is_empty() && exclude_.is_empty(); }
    bool passes(std::string_view name, std::string_view shown, bool is_inlined = false) const {
        const bool is_bare = is_inlined && name == shown;
        const bool is_included = include_.is_empty() || include_.contains(name, shown) ||
                                 (is_bare && include_.contains_bare(name)) ||
                                 bare_.contains(bare_name(shown));
        return is_included && !exclude_.contains(name, shown);
    }

private:
    NameSet include_, exclude_;
    std::set<std::string, std::less<>> bare_;
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
            if (profile.count(i, column) &&
                apps[column].insert(profile.row_image(profile.samples[i].app)).second &&
                apps[column].size() > 1)
                return true;
    return false;
}

}  // namespace

std::vector<std::string> included_bare_names(std::span<const Profile* const> profiles,
                                             const ReportOptions& options) {
    const auto has = [&](const Profile& profile, const NameSet& name) {
        return std::ranges::any_of(profile.symbols, [&](const ProfileSymbol& symbol) {
            return name.contains(symbol.symbol->name, shown_name_of(profile, symbol, options));
        });
    };
    std::vector<std::string> bare;
    const NameSet included(options.include_symbols);
    for (const std::string_view name : included.bare_names()) {
        const NameSet one({{std::string(name)}});
        if (std::ranges::none_of(profiles, [&](const Profile* profile) { return has(*profile, one); }))
            bare.emplace_back(name);
    }
    return bare;
}

std::vector<bool> wanted_symbols(const Profile& profile, const ReportOptions& options) {
    const Profile* const one[] = {&profile};
    const NameFilter filter(options,
                            options.bare_names ? *options.bare_names : included_bare_names(one, options));
    if (filter.is_empty()) return std::vector<bool>(profile.symbols.size(), true);
    std::vector<bool> wanted;
    wanted.reserve(profile.symbols.size());
    for (const auto& symbol : profile.symbols)
        wanted.push_back(
            filter.passes(symbol.symbol->name, shown_name_of(profile, symbol, options), symbol.is_inlined));
    return wanted;
}

std::vector<std::string> bare_names(const Profile& profile, const ReportOptions& options) {
    std::set<std::string_view> names;
    for (const auto& symbol : profile.symbols)
        names.insert(bare_name(shown_name_of(profile, symbol, options)));
    return {names.begin(), names.end()};
}

std::vector<bool> wanted_rows(const Profile& profile, const ReportOptions& options) {
    std::vector<bool> wanted = wanted_symbols(profile, options);
    wanted.resize(wanted.size() + profile.images.size(),
                  NameFilter(options, {}).passes(no_symbol_name, no_symbol_name));
    return wanted;
}

uint32_t row_symbol(const Profile& profile, const Location& location) {
    const auto& joined = profile.joined.symbols;
    if (location.symbol != Location::no_symbol)
        return joined.empty() ? location.symbol : joined[location.symbol];
    return static_cast<uint32_t>(profile.symbols.size()) + profile.row_image(location.image);
}

SymbolSums sum_by_symbol(const Profile& profile, const std::vector<bool>& wanted) {
    const size_t width = profile.columns.size();
    SymbolSums sums;
    std::unordered_map<uint64_t, size_t> rows;
    rows.reserve(profile.symbols.size());
    for (size_t i = 0; i < profile.samples.size(); ++i) {
        const uint32_t symbol = row_symbol(profile, profile.leaf(i));
        if (!wanted[symbol]) continue;
        const AppSymbol row{profile.row_image(profile.samples[i].app), symbol};
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
    if (symbol.symbol >= profile.symbols.size()) {
        const auto image = static_cast<uint32_t>(symbol.symbol - profile.symbols.size());
        return {.image = image, .app = symbol.app, .address = {}, .name = no_symbol_name, .line = {}};
    }
    const ProfileSymbol& found = profile.symbols[symbol.symbol];
    ImageSymbols& symbols = *profile.images[found.image].symbols;
    const auto& joined = profile.joined.symbol_images;
    SymbolRow row{.image = joined.empty() ? found.image : joined[symbol.symbol],
                  .app = symbol.app,
                  .address = shown_address(symbols, *found.symbol),
                  .name = symbols.name(*found.symbol, options.demangle),
                  .line = std::nullopt,
                  .is_inlined = found.is_inlined};
    if (row.image != found.image && is_whole_image(profile, found))
        row.name = profile.images[row.image].name.name;
    if (needs_line) row.line = symbols.line_of(*found.symbol);
    return row;
}

bool needs_lines(const ReportOptions& options) {
    return options.debug_info || std::ranges::find(options.sort, SortKey::debug) != options.sort.end();
}

std::vector<std::string> image_names(const Profile& profile, const ReportOptions& options) {
    std::vector<std::string> names;
    for (const auto& image : profile.images)
        names.push_back(shown_name(image.name, options.long_names));
    return names;
}

SymbolColumns choose_columns(const Profile& profile, std::span<const SymbolRow> rows,
                             const ReportOptions& options) {
    constexpr LinkAddress four_gib{uint64_t{1} << 32};
    SymbolColumns columns;
    columns.images = image_names(profile, options);
    columns.has_addresses = options.addresses;
    columns.is_accumulated = options.accumulated;
    columns.is_inclusive = options.inclusive;
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
      sort_column_(options.sort_column),
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
            return sort_column_.of(counts_.subspan(b * width_, width_)) <=>
                   sort_column_.of(counts_.subspan(a * width_, width_));
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
