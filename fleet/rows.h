// SPDX-License-Identifier: GPL-2.0-or-later
// The result of a query: text cells, parsed from ClickHouse's TabSeparatedWithNames.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace op::fleet {

/// Cells of any bytes, as many in each row as there are names.
class Rows {
public:
    /// Parses TabSeparatedWithNames. Throws an input error that begins with `label` if it is not that.
    static Rows parse(std::string_view text, std::string_view label);

    size_t size() const { return names_.empty() ? 0 : cells_.size() / names_.size(); }
    bool empty() const { return cells_.empty(); }
    const std::vector<std::string>& names() const { return names_; }
    /// The cell of a row in the column of that number.
    const std::string& text(size_t row, size_t column) const { return cells_[row * names_.size() + column]; }
    /// The same as a number. Each throws an input error if the cell is not one.
    uint64_t number(size_t row, size_t column) const;
    int64_t signed_number(size_t row, size_t column) const;
    double real(size_t row, size_t column) const;
    /// The elements of a cell of type Array(String).
    std::vector<std::string> strings(size_t row, size_t column) const;

private:
    std::vector<std::string> names_, cells_;
    std::string label_;
};

/// The value of a field of TabSeparated: `\t`, `\n`, `\\` and so on become what they are.
std::string unescaped_field(std::string_view field);
/// The field of a value: unescaped_field() gives it back, and there is no tab, newline or NUL in it.
std::string escaped_field(std::string_view value);
/// The elements of `['a','b']`. Throws an input error that begins with `label` if it is not that.
std::vector<std::string> parse_string_array(std::string_view text, std::string_view label);

}  // namespace op::fleet
