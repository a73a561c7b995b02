// SPDX-License-Identifier: GPL-2.0-or-later
// The lines of text reports by symbol: cells, then a name, which is fitted to a terminal.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libpp/report/writer.h"

namespace op::pp {

/// Columns of a name on a terminal: what is behind it is cut instead, and columns that leave less are not
/// shown where the report can do without.
inline constexpr size_t least_name = 20;

/// Adds a left-aligned cell and at least one blank.
void add_cell(std::string& line, std::string_view text, size_t width);

/// Adds a cell of share_intervals.h, whose first character has two bytes, and a blank.
void add_interval_cell(std::string& line, std::string_view text);

/// A line that may end in a symbol's name.
struct Line {
    std::string cells;      ///< what is before the name
    std::string name = {};  ///< empty = none
    std::string end = {};   ///< behind the name
    double share = 0;       ///< the row's first, in percent
};

/// The lines of a report. On a terminal names are fitted to its width when all of them are known.
class Lines {
public:
    /// The lines follow `head`.
    Lines(std::string head, TextStyle style)
        : style_(style), is_fitting_(style.width > 0 && !style.has_whole_names), text_(std::move(head)) {}

    void add(Line line);
    /// The head and all lines, each ended.
    std::string text() &&;

private:
    void put(const Line& line, const std::string& name);

    TextStyle style_;
    bool is_fitting_;
    std::vector<Line> lines_;
    std::map<std::string, size_t> room_;  ///< least columns of each name
    std::string text_;
};

}  // namespace op::pp
