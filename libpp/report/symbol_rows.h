// SPDX-License-Identifier: GPL-2.0-or-later
// What the reports by symbol have in common: sums by application and symbol, naming, order.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "libpp/profile/profile.h"
#include "libpp/report/report.h"

namespace op::pp {

/// What a row of an image is called whose samples are in none of its symbols.
constexpr std::string_view no_symbol_name = "[no symbol]";

/// What a location is shown as: an index into Profile::symbols or, past their end, Profile::symbols.size() +
/// the index of the image in none of whose symbols it is.
uint32_t row_symbol(const Profile& profile, const Location& location);

/// A symbol in one application, or what an image has of the application's samples in no symbol.
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

/// Adds up the samples in the wanted ones of what row_symbol() returns.
SymbolSums sum_by_symbol(const Profile& profile, const std::vector<bool>& wanted);

/// Per symbol of the profile whether the report asks for it; symbols are named as in the object file.
std::vector<bool> wanted_symbols(const Profile& profile, const ReportOptions& options);

/// The same for everything row_symbol() returns.
std::vector<bool> wanted_rows(const Profile& profile, const ReportOptions& options);

/// Per column the sum over all rows, saturating.
std::vector<uint64_t> column_totals(std::span<const uint64_t> counts, size_t width);

/// True if a row has at least that share, in percent, of some column's total.
bool reaches(std::span<const uint64_t> row, std::span<const uint64_t> totals, double threshold);

/// Names a row; finds its source line if `needs_line`.
SymbolRow make_row(const Profile& profile, const AppSymbol& symbol, const ReportOptions& options,
                   bool needs_line);

/// True if rows are to have source lines: they are shown, or sorted by.
bool needs_lines(const ReportOptions& options);

/// The images of the profile, as shown.
std::vector<std::string> image_names(const Profile& profile, const ReportOptions& options);

/// The columns that the rows shown call for, with the names of all images.
SymbolColumns choose_columns(const Profile& profile, std::span<const SymbolRow> rows,
                             const ReportOptions& options);

/// Orders rows by one key after the other; a function object over indexes. Ties are equal.
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
    std::vector<SortKey> keys_;
};

}  // namespace op::pp
