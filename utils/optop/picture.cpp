// SPDX-License-Identifier: GPL-2.0-or-later
// The text of a picture. Names come from files and processes of strangers: none is shown unchecked.
#include "utils/optop/picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>

#include "libop/base/counted.h"
#include "libop/base/json.h"
#include "libop/base/text.h"
#include "libpp/report/fit_names.h"
#include "libpp/report/share_intervals.h"

namespace op::tool {

namespace {

/// Of the columns in batch text; a longer name moves its row's end.
constexpr size_t widest_symbol = 40, widest_image = 20;
constexpr size_t share_width = 6, interval_width = 6, rate_width = 9, change_width = 9, samples_width = 11;
constexpr size_t between_names = 2;

std::string right(const std::string& text, size_t width) {
    const size_t columns = pp::columns_of(text);
    return std::string(width > columns ? width - columns : 0, ' ') + text;
}

std::string left(const std::string& text, size_t width) {
    const size_t columns = pp::columns_of(text);
    return text + std::string(width > columns ? width - columns : 0, ' ');
}

std::string span_text(const Picture& picture) {
    if (picture.span == Span::window) return "window";
    if (picture.span == Span::minute) return "last minute";
    return picture.has_base ? "since the baseline" : "since the start";
}

/// The name of a span or group in JSON.
const char* word(Span span) {
    return span == Span::window ? "window" : span == Span::minute ? "minute" : "start";
}
const char* word(RowGroup group) {
    return group == RowGroup::function ? "function" : group == RowGroup::image ? "image" : "application";
}

bool compares(const Picture& picture) {
    return picture.rows.all.now > 0 && picture.rows.all.before > 0;
}

/// A share in percent.
double percent(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string change_text(const LiveRow& row, const Picture& picture, const Signs& signs) {
    if (!compares(picture)) return "-";
    const std::string points = (row.change < 0 ? "-" : "+") + fixed(100 * std::abs(row.change), 2);
    if (!row.is_significant) return points;
    return (row.change < 0 ? signs.fall : signs.rise) + points;
}

size_t width_of(const std::vector<LiveRow>& rows, std::string LiveRow::*name, size_t widest) {
    size_t width = 0;
    for (const LiveRow& row : rows)
        width = std::max(width, pp::columns_of(row.*name));
    return std::min(width, widest);
}

/// The rows with names that are safe for a terminal.
Picture with_safe_names(const Picture& picture) {
    Picture safe = picture;
    for (LiveRow& row : safe.rows.rows) {
        row.symbol = printable(row.symbol);
        row.image = short_name(row.image);
        row.app = short_name(row.app);
    }
    return safe;
}

Json row_json(const LiveRow& row, const Picture& picture) {
    Json json = {{"samples", row.count.now}};
    if (!row.symbol.empty()) json["symbol"] = row.symbol;
    if (!row.image.empty()) json["image"] = row.image;
    if (!row.app.empty()) json["app"] = row.app;
    json["percent"] = pp::rounded(percent(row.count.now, picture.rows.all.now));
    json["low"] = pp::rounded(100 * row.share.low);
    json["high"] = pp::rounded(100 * row.share.high);
    if (!compares(picture)) return json;
    json["before"] = row.count.before;
    json["change"] = pp::rounded(100 * row.change);
    if (row.probability) json["p"] = pp::rounded(*row.probability);
    json["significant"] = row.is_significant;
    return json;
}

}  // namespace

std::string fixed(double value, int digits) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

std::string short_name(const std::string& name) {
    return printable(name.starts_with('/') ? base_name(name) : std::string_view(name));
}

Layout Layout::for_screen(size_t columns, RowGroup group, const Signs& signs) {
    // Fewer and fewer columns, so that a name has room.
    constexpr size_t all = 120, without_samples = 80, without_rate = 60, without_app = 50, least = 40;
    Layout layout;
    layout.signs = signs;
    layout.has_samples = columns >= all;
    layout.has_rate = columns >= without_rate;
    layout.has_interval = columns >= without_samples;
    layout.has_change = columns >= least;
    layout.has_image = columns >= without_app && group == RowGroup::function;
    layout.has_app = columns >= without_samples && group == RowGroup::function;
    const size_t cells = share_width + (layout.has_interval ? interval_width : 0) +
                         (layout.has_rate ? rate_width : 0) + (layout.has_change ? change_width : 0) +
                         (layout.has_samples ? samples_width : 0) + between_names;
    layout.symbol_width = columns > cells ? columns - cells : 1;
    if (layout.has_image) layout.take_room(layout.image_width, layout.symbol_width / 4 + 2);
    if (layout.has_app) layout.take_room(layout.app_width, layout.symbol_width / 4);
    return layout;
}

void Layout::take_room(size_t& width, size_t columns) {
    width = columns;
    symbol_width -= std::min(symbol_width - 1, columns + between_names);
}

void Layout::fit(const std::vector<LiveRow>& rows) {
    for (const auto& [name, width, least] :
         {std::tuple(&LiveRow::image, &image_width, std::string_view("image").size()),
          std::tuple(&LiveRow::app, &app_width, std::string_view("application").size())}) {
        if (*width == 0) continue;
        const size_t needed = std::max(least, width_of(rows, name, *width));
        if (needed >= *width) continue;
        symbol_width += *width - needed;
        *width = needed;
    }
}

Layout Layout::for_text(const Picture& picture, const Signs& signs) {
    Layout layout;
    layout.signs = signs;
    layout.has_image = layout.has_app = picture.group == RowGroup::function;
    layout.symbol_width = width_of(picture.rows.rows, &LiveRow::symbol, widest_symbol);
    layout.image_width = width_of(picture.rows.rows, &LiveRow::image, widest_image);
    return layout;
}

std::string head_line(const Picture& picture) {
    if (picture.event.empty()) return "no samples yet";
    std::string line = printable(picture.event) + ", " + span_text(picture);
    if (picture.seconds > 0) line += " (" + fixed(picture.seconds, 1) + " s)";
    line += ": " + counted(picture.rows.all.now, "sample");
    if (picture.span != Span::start || picture.has_base)
        line += ", " + std::to_string(picture.total) + " since the start";
    return line;
}

std::vector<std::string> remarks_of(const Picture& picture) {
    std::vector<std::string> remarks;
    const LiveState& state = picture.state;
    if (!state.is_there)
        remarks.emplace_back(
            "the session is gone (removed, or saved under another name): this is the last picture");
    else if (!state.is_recorded)
        remarks.emplace_back("nothing is being recorded into this session: this is its last picture");
    if (state.has_restarted)
        remarks.emplace_back(
            "the recording restarted (another one, or a reset): all counts are of the new one");
    if (state.unread_files > 0)
        remarks.push_back(counted(state.unread_files, "sample file") + " cannot be read");
    if (state.has_files_left_out) remarks.emplace_back("the session has more sample files than are followed");
    if (picture.interval > 0)
        remarks.push_back("looking takes more than a tenth of the time: every " + fixed(picture.interval, 1) +
                          " s now");
    remarks.insert(remarks.end(), picture.facts.begin(), picture.facts.end());
    return remarks;
}

std::string column_heads(const Picture& picture, const Layout& layout) {
    std::string line = right("%", share_width);
    if (layout.has_interval) line += right(layout.signs.interval, interval_width);
    if (layout.has_rate) line += right("per s", rate_width);
    if (layout.has_change) line += right("change", change_width);
    if (layout.has_samples) line += right("samples", samples_width);
    if (picture.group == RowGroup::image) return line + "  image";
    if (picture.group == RowGroup::application) return line + "  application";
    line += "  " + (layout.has_image ? left("symbol", layout.symbol_width) : "symbol");
    if (layout.has_image) line += "  " + (layout.has_app ? left("image", layout.image_width) : "image");
    if (layout.has_app) line += "  application";
    return line;
}

std::string row_cells(const LiveRow& row, const Picture& picture, const Layout& layout) {
    const bool has_samples = picture.rows.all.now > 0;
    std::string line =
        right(has_samples ? fixed(percent(row.count.now, picture.rows.all.now), 2) : "-", share_width);
    if (layout.has_interval)
        line += right(has_samples ? fixed(100 * row.share.half_width(), 2) : "-", interval_width);
    if (layout.has_rate)
        line +=
            right(picture.seconds > 0 ? fixed(static_cast<double>(row.count.now) / picture.seconds, 1) : "-",
                  rate_width);
    if (layout.has_change) line += right(change_text(row, picture, layout.signs), change_width);
    if (layout.has_samples) line += right(std::to_string(row.count.now), samples_width);
    return line;
}

std::string row_line(const LiveRow& row, const Picture& picture, const Layout& layout) {
    const std::string line = row_cells(row, picture, layout) + "  ";
    if (picture.group == RowGroup::image) return line + row.image;
    if (picture.group == RowGroup::application) return line + row.app;
    if (!layout.has_image) return line + row.symbol;
    const std::string names = line + left(row.symbol, layout.symbol_width) + "  ";
    if (!layout.has_app) return names + row.image;
    return names + left(row.image, layout.image_width) + "  " + row.app;
}

std::string picture_text(const Picture& picture, const Signs& signs) {
    std::string text = head_line(picture) + "\n";
    for (const std::string& remark : remarks_of(picture))
        text += remark + "\n";
    if (picture.rows.rows.empty()) return text;
    const Picture safe = with_safe_names(picture);
    const Layout layout = Layout::for_text(safe, signs);
    text += column_heads(safe, layout) + "\n";
    for (const LiveRow& row : safe.rows.rows)
        text += row_line(row, safe, layout) + "\n";
    return text;
}

std::string picture_json(const Picture& picture) {
    Json json = {{"format", "oprofile-ng live"}, {"version", 1}};
    json["event"] = picture.event;
    json["span"] = word(picture.span);
    json["group"] = word(picture.group);
    json["seconds"] = pp::rounded(picture.seconds);
    json["samples"] = picture.rows.all.now;
    if (compares(picture)) json["before"] = picture.rows.all.before;
    json["total"] = picture.total;
    json["recording"] = picture.state.is_recorded && picture.state.is_there;
    json["remarks"] = remarks_of(picture);
    json["rows"] = Json::array();
    for (const LiveRow& row : picture.rows.rows)
        json["rows"].add(row_json(row, picture));
    return json_text(std::move(json), {.indent = -1}) + "\n";
}

}  // namespace op::tool
