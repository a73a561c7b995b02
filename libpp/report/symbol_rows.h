// SPDX-License-Identifier: GPL-2.0-or-later
// The common parts of reports by symbol: sums by application and symbol, naming, order.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libpp/profile/profile.h"
#include "libpp/report/report.h"

namespace op::pp {

/// The name of an image's row for samples in no symbol.
constexpr std::string_view no_symbol_name = "[no symbol]";

/// The row of a location: an index into Profile::symbols or, for a location in no symbol,
/// Profile::symbols.size() + the index of its image.
uint32_t row_symbol(const Profile& profile, const Location& location);

/// A symbol in one application, or the application's samples in no symbol of an image.
struct AppSymbol {
    uint32_t app;     ///< index into Profile::images
    uint32_t symbol;  ///< as row_symbol() returns it

    auto operator<=>(const AppSymbol&) const = default;
    /// Both in one number.
    uint64_t key() const { return uint64_t{app} << 32 | symbol; }
};

/// Samples by application and symbol, in the order of the profile.
struct SymbolSums {
    std::vector<AppSymbol> rows;
    std::vector<uint64_t> counts;  ///< one per row and column, row by row
};

/// Adds up the samples of the wanted rows, which are indexed as row_symbol() returns them.
SymbolSums sum_by_symbol(const Profile& profile, const std::vector<bool>& wanted);

/// For each symbol of the profile, true if the report asks for it. A name given by the user matches the name
/// in the object file, the shown name, and the shown name without its parameters or without the mark of a
/// clone. To include an inlined function that has a bare name, the last component of a longer name is enough.
/// Names to be included that are in ReportOptions::bare_names match those that have them without namespaces,
/// classes and arguments.
std::vector<bool> wanted_symbols(const Profile& profile, const ReportOptions& options);

/// The same for everything row_symbol() returns.
std::vector<bool> wanted_rows(const Profile& profile, const ReportOptions& options);

/// The names to be included, without namespaces and brackets, that no symbol of the profiles has: for
/// ReportOptions::bare_names.
std::vector<std::string> included_bare_names(std::span<const Profile* const> profiles,
                                             const ReportOptions& options);

/// The names of all symbols of the profile as shown, without namespaces, classes, arguments and parameters;
/// each once.
std::vector<std::string> bare_names(const Profile& profile, const ReportOptions& options);

/// The sum over all rows per column, saturating.
std::vector<uint64_t> column_totals(std::span<const uint64_t> counts, size_t width);

/// True if a row has at least that share, in percent, of some column's total.
bool reaches(std::span<const uint64_t> row, std::span<const uint64_t> totals, double threshold);

/// Names a row; finds its source line if `needs_line`.
SymbolRow make_row(const Profile& profile, const AppSymbol& symbol, const ReportOptions& options,
                   bool needs_line);

/// True if rows need source lines: to show them or to sort by them.
bool needs_lines(const ReportOptions& options);

/// The images of the profile, as shown.
std::vector<std::string> image_names(const Profile& profile, const ReportOptions& options);

/// The columns that the shown rows need, with the names of all images.
SymbolColumns choose_columns(const Profile& profile, std::span<const SymbolRow> rows,
                             const ReportOptions& options);

/// Orders rows by several keys; a function object over indexes. Rows with equal keys are equal.
class RowOrder {
public:
    /// `counts` has one number per row and column. All must outlive the order.
    RowOrder(std::span<const SymbolRow> rows, std::span<const uint64_t> counts, size_t width,
             std::span<const std::string> images, const ReportOptions& options);
    bool operator()(size_t a, size_t b) const;

private:
    std::strong_ordering compare(SortKey key, size_t a, size_t b) const;

    std::span<const SymbolRow> rows_;
    std::span<const uint64_t> counts_;
    size_t width_;
    std::vector<uint32_t> ranks_;
    bool is_reverse_;
    SortColumn sort_column_;
    std::vector<SortKey> keys_;
};

}  // namespace op::pp
