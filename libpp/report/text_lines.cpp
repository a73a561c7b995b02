// SPDX-License-Identifier: GPL-2.0-or-later
// The lines of text reports by symbol.
#include "libpp/report/text_lines.h"

#include <algorithm>

#include "libpp/report/fit_names.h"
#include "libpp/report/share_intervals.h"
#include "libpp/report/write_text.h"

namespace op::pp {

void add_cell(std::string& line, std::string_view text, size_t width) {
    line += text;
    line.append(text.size() < width ? width - text.size() : 1, ' ');
}

void add_interval_cell(std::string& line, std::string_view text) {
    line += text;
    const size_t columns = columns_of(text);
    line.append(columns < interval_width ? interval_width - columns : 1, ' ');
}

void Lines::add(Line line) {
    if (!is_fitting_) return put(line, line.name);
    if (!line.name.empty()) {
        const size_t taken = columns_of(line.cells) + columns_of(line.end);
        const size_t room = std::max(least_name, style_.width > taken ? style_.width - taken : 0);
        const auto [at, is_new] = room_.try_emplace(line.name, room);
        at->second = std::min(at->second, room);
    }
    lines_.push_back(std::move(line));
}

std::string Lines::text() && {
    const auto names = fit_names(room_);
    for (const Line& line : lines_)
        put(line, line.name.empty() ? line.name : names.at(line.name));
    return std::move(text_);
}

void Lines::put(const Line& line, const std::string& name) {
    const size_t start = text_.size();
    text_.append(line.cells).append(name).append(line.end);
    end_row(text_, start, line.share, style_);
}

}  // namespace op::pp
