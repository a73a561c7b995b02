// SPDX-License-Identifier: GPL-2.0-or-later
// Keys and lines of the screen.
#include "utils/optop/screen_state.h"

#include <algorithm>
#include <map>

#include "libop/base/counted.h"
#include "libop/base/text.h"
#include "libpp/report/fit_names.h"

namespace op::tool {

namespace {

constexpr size_t most_rows = 1000;      ///< that can be scrolled through
constexpr size_t longest_filter = 200;  ///< bytes
constexpr double hot_share = 0.05;

const std::vector<ScreenLine> help_lines = {
    {"Keys", Tone::head},
    {"1 2 3      samples of the last window, of the last minute, since the start"},
    {"arrows, page up, page down, home, end, wheel, click   select a row"},
    {"Enter      the whole names of the row; Escape goes back, or takes back / d t k i"},
    {"c          callers and callees of the row; E all levels of them, C the nearest"},
    {"a          the instructions of the row, with their samples and source lines"},
    {"/          only what has a text in its names; Enter ends it, an empty one shows all"},
    {"d t        only the image (DSO), or the application, of the row; again: all"},
    {"k i        only the kernel; kernel, user code, both in turn"},
    {"g          rows by function, image, application"},
    {"s          sort by samples, or by change"},
    {"e          the next event"},
    {"b B        count from now on, and compare with what was before; from the start again"},
    {"f          freeze the picture, or let it go on"},
    {"+ -        look more often, or less often"},
    {"V          names in full, or as wide as the screen"},
    {"w P        write this view to a file; at once as text"},
    {"h ?        this help"},
    {"q          quit"}};

std::vector<ScreenLine> name_lines(const LiveRow& row) {
    std::vector<ScreenLine> lines;
    const auto add = [&](const char* what, const std::string& name) {
        if (!name.empty()) lines.push_back({what + printable(name)});
    };
    add("symbol       ", row.symbol);
    add("image        ", row.image);
    add("application  ", row.app);
    lines.push_back(
        {"samples      " + std::to_string(row.count.now) + ", before " + std::to_string(row.count.before)});
    lines.push_back({"share        " + fixed(100 * row.share.low, 2) + " % to " +
                     fixed(100 * row.share.high, 2) + " % (95 % confidence)"});
    return lines;
}

/// The text in lines of that many columns, broken between words.
std::vector<std::string> wrapped(std::string_view text, size_t columns) {
    std::vector<std::string> lines;
    for (std::string_view word; !(word = take_word(text)).empty();) {
        if (lines.empty() || pp::columns_of(lines.back()) + 1 + pp::columns_of(word) > columns)
            lines.emplace_back(word);
        else
            lines.back().append(" ").append(word);
    }
    return lines;
}

std::string share_text(uint64_t part, uint64_t whole) {
    const double percent = whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    const std::string text = fixed(percent, 2);
    return std::string(text.size() < 6 ? 6 - text.size() : 0, ' ') + text;
}

std::string count_text(uint64_t count) {
    const std::string text = std::to_string(count);
    return std::string(text.size() < 9 ? 9 - text.size() : 0, ' ') + text;
}

}  // namespace

void Cursor::move(ScreenKey key) {
    const size_t last = all == 0 ? 0 : all - 1, page = std::max<size_t>(shown, 1);
    if (key == ScreenKey::up && selected > 0) --selected;
    if (key == ScreenKey::down) ++selected;
    if (key == ScreenKey::page_up) selected -= std::min(selected, page);
    if (key == ScreenKey::page_down) selected += page;
    if (key == ScreenKey::home) selected = 0;
    if (key == ScreenKey::end) selected = last;
    selected = std::min(selected, last);
}

void Cursor::fit(size_t length, size_t room) {
    all = length;
    selected = all == 0 ? 0 : std::min(selected, all - 1);
    first = std::min(first, selected);
    if (room > 0 && selected >= first + room) first = selected - room + 1;
    shown = std::min(room, all - std::min(all, first));
}

void ScreenState::set_code(std::vector<CodeRow> code) {
    const bool is_new = code_.empty();
    code_ = std::move(code);
    const auto hottest = std::ranges::max_element(code_, {}, &CodeRow::samples);
    if (is_new && hottest != code_.end())
        panel_cursor_.selected = static_cast<size_t>(hottest - code_.begin());
}

ScreenTask ScreenState::press(ScreenKey key, char character) {
    notice_.clear();
    if (is_typing_) return press_in_filter(key, character);
    if (is_naming_file_) return press_for_file(key == ScreenKey::other ? character : '\0');
    if (key == ScreenKey::other) return press_letter(character);
    if (key == ScreenKey::escape && panel_ == Panel::rows) return zoom_out();
    if (key == ScreenKey::escape || (key == ScreenKey::enter && panel_ != Panel::rows)) {
        panel_ = Panel::rows;
        return ScreenTask::remake;
    }
    if (key == ScreenKey::enter) return open(Panel::names);
    cursor().move(key);
    return ScreenTask::none;
}

ScreenTask ScreenState::press_in_filter(ScreenKey key, char character) {
    if (key == ScreenKey::escape) is_typing_ = false;
    if (key == ScreenKey::erase && !typed_.empty()) typed_.pop_back();
    if (key == ScreenKey::other && typed_.size() < longest_filter &&
        static_cast<unsigned char>(character) >= ' ')
        typed_ += character;
    if (key != ScreenKey::enter) return ScreenTask::none;
    is_typing_ = false;
    filter_ = typed_;
    row_cursor_ = {};
    return ScreenTask::remake;
}

ScreenTask ScreenState::press_for_file(char character) {
    is_naming_file_ = false;
    if (character == 't') return ScreenTask::write_text;
    if (character == 'j') return ScreenTask::write_json;
    return character == 'h' ? ScreenTask::write_page : ScreenTask::none;
}

ScreenTask ScreenState::press_letter(char character) {
    switch (character) {
        case 'q':
            is_quitting_ = true;
            return ScreenTask::none;
        case 'h':
        case '?':
            return open(panel_ == Panel::help ? Panel::rows : Panel::help);
        case 'c':
            is_expanded_ = false;
            return open(Panel::calls);
        case 'a':
            return open(Panel::code);
        case 'E':
        case 'C':
            is_expanded_ = character == 'E';
            return ScreenTask::none;
        case 'f':
            is_frozen_ = !is_frozen_;
            return ScreenTask::none;
        case '+':
            pace_.ask(pace_.asked() / 2);
            return ScreenTask::none;
        case '-':
            pace_.ask(pace_.asked() * 2);
            return ScreenTask::none;
        case 'V':
            has_whole_names_ = !has_whole_names_;
            return ScreenTask::none;
        case 'b':
            return ScreenTask::set_base;
        case 'B':
            return ScreenTask::clear_base;
        case 'w':
            is_naming_file_ = true;
            return ScreenTask::none;
        case 'P':
            return ScreenTask::write_text;
        default:
            return panel_ == Panel::rows || character == '1' || character == '2' || character == '3'
                       ? change_view(character)
                       : ScreenTask::none;
    }
}

/// Keys that change which rows there are.
ScreenTask ScreenState::change_view(char character) {
    switch (character) {
        case '1':
            span_ = Span::window;
            return ScreenTask::remake;
        case '2':
            span_ = Span::minute;
            return ScreenTask::remake;
        case '3':
            span_ = Span::start;
            return ScreenTask::remake;
        case 's':
            order_ = order_ == RowOrder::samples ? RowOrder::change : RowOrder::samples;
            return ScreenTask::remake;
        case 'g':
            group_ = group_ == RowGroup::function ? RowGroup::image
                     : group_ == RowGroup::image  ? RowGroup::application
                                                  : RowGroup::function;
            return ScreenTask::remake;
        case 'e':
        case '\t':
            ++event_;
            return ScreenTask::remake;
        case '/':
            is_typing_ = true;
            typed_ = filter_;
            return ScreenTask::none;
        default:
            return zoom(character);
    }
}

ScreenTask ScreenState::zoom(char character) {
    const LiveRow* const row =
        row_cursor_.selected < shown_rows_.size() ? &shown_rows_[row_cursor_.selected] : nullptr;
    const auto toggle = [&](std::optional<LiveRow>& kept, const std::optional<uint32_t> RowPlace::*place) {
        if (kept)
            kept.reset();
        else if (row && row->place.*place)
            kept = *row;
    };
    if (character == 'd')
        toggle(image_, &RowPlace::image);
    else if (character == 't')
        toggle(app_, &RowPlace::app);
    else if (character == 'k')
        mode_ = mode_ == RowMode::kernel ? RowMode::all : RowMode::kernel;
    else if (character == 'i')
        mode_ = mode_ == RowMode::all      ? RowMode::kernel
                : mode_ == RowMode::kernel ? RowMode::user
                                           : RowMode::all;
    else
        return ScreenTask::none;
    row_cursor_ = {};
    return ScreenTask::remake;
}

/// Takes back one of what keeps rows from being shown.
ScreenTask ScreenState::zoom_out() {
    if (image_)
        image_.reset();
    else if (app_)
        app_.reset();
    else if (mode_ != RowMode::all)
        mode_ = RowMode::all;
    else
        filter_.clear();
    return ScreenTask::remake;
}

ScreenTask ScreenState::open(Panel panel) {
    const bool is_of_row = panel == Panel::names || panel == Panel::calls || panel == Panel::code;
    if (is_of_row && panel_ == Panel::rows) {
        if (row_cursor_.selected >= shown_rows_.size()) return ScreenTask::none;
        subject_ = shown_rows_[row_cursor_.selected];
    } else if (is_of_row && panel_ == Panel::help) {
        return ScreenTask::none;
    }
    panel_ = panel;
    panel_cursor_ = {};
    code_.clear();
    calls_ = {};
    return ScreenTask::remake;
}

ScreenTask ScreenState::select_line(size_t line) {
    Cursor& list = cursor();
    if (line < body_at_ || line - body_at_ >= list.shown) return ScreenTask::none;
    const size_t selected = list.first + (line - body_at_);
    if (panel_ == Panel::rows && list.selected == selected) return open(Panel::names);
    list.selected = selected;
    return ScreenTask::none;
}

RowWish ScreenState::wish(const std::vector<uint32_t>& events) const {
    RowWish wish;
    if (!events.empty()) wish.event = events[event_ % events.size()];
    wish.rows = most_rows;
    wish.order = order_;
    wish.group = group_;
    wish.mode = mode_;
    wish.filter = filter_;
    if (image_) wish.image = image_->place.image;
    if (app_) wish.app = app_->place.app;
    return wish;
}

std::string ScreenState::status_line() const {
    if (!notice_.empty()) return notice_;
    if (is_typing_) return "filter: " + printable(typed_);
    if (is_naming_file_) return "write this view: t text, j JSON, h page of the whole session";
    std::vector<std::string> parts{"h help", "q quit", "every " + fixed(pace_.interval(), 1) + " s"};
    if (is_frozen_) parts.emplace_back("FROZEN");
    if (order_ == RowOrder::change) parts.emplace_back("sorted by change");
    if (mode_ != RowMode::all)
        parts.emplace_back(mode_ == RowMode::kernel ? "kernel only" : "user code only");
    if (image_) parts.push_back("image: " + short_name(image_->image));
    if (app_) parts.push_back("application: " + short_name(app_->app));
    if (!filter_.empty()) parts.push_back("filter: " + printable(filter_));
    return joined(parts, "  ");
}

void ScreenState::make_safe(std::vector<LiveRow>& rows) const {
    for (LiveRow& row : rows) {
        row.symbol = printable(row.symbol);
        row.image = has_whole_names_ ? printable(row.image) : short_name(row.image);
        row.app = has_whole_names_ ? printable(row.app) : short_name(row.app);
    }
}

/// Shortens the symbols, which differ where they differed before; cuts the names of files.
void ScreenState::fit_names(std::vector<LiveRow>& rows, const Layout& layout) const {
    std::map<std::string, size_t> room;
    for (const LiveRow& row : rows)
        room.emplace(row.symbol, layout.symbol_width);
    const auto fitted = pp::fit_names(room);
    for (LiveRow& row : rows) {
        row.symbol = pp::cut_text(fitted.at(row.symbol), layout.symbol_width);
        if (layout.has_app) row.image = pp::cut_text(row.image, layout.image_width);
    }
}

/// The heads of the columns and the rows that are shown.
std::vector<ScreenLine> ScreenState::row_lines(const Picture& picture, size_t columns, size_t room) {
    row_cursor_.fit(picture.rows.rows.size(), room);
    const auto first = picture.rows.rows.begin() + static_cast<std::ptrdiff_t>(row_cursor_.first);
    std::vector<LiveRow> shown(first, first + static_cast<std::ptrdiff_t>(row_cursor_.shown));
    make_safe(shown);
    Layout layout = Layout::for_screen(columns, picture.group, signs_);
    layout.fit(shown);
    if (!has_whole_names_) fit_names(shown, layout);
    std::vector<ScreenLine> lines{{column_heads(picture, layout), Tone::head}};
    for (const LiveRow& row : shown) {
        Tone tone = Tone::plain;
        if (picture.rows.all.now > 0 &&
            static_cast<double>(row.count.now) >= hot_share * static_cast<double>(picture.rows.all.now))
            tone = Tone::hot;
        if (row.is_significant) tone = row.change < 0 ? Tone::fall : Tone::rise;
        lines.push_back({row_line(row, picture, layout), tone});
    }
    return lines;
}

std::vector<ScreenLine> ScreenState::call_lines() const {
    std::vector<ScreenLine> lines;
    if (!calls_.remark.empty()) lines.push_back({printable(calls_.remark), Tone::remark});
    if (calls_.samples > 0)
        lines.push_back({"since the start: " + counted(calls_.samples, "sample") + " with what it called, " +
                         std::to_string(calls_.self) + " in its own code"});
    const auto add = [&](const char* head, const std::vector<CallLine>& calls) {
        lines.push_back({head, Tone::head});
        for (const CallLine& one : calls) {
            if (one.depth > 0 && !is_expanded_) continue;
            lines.push_back({share_text(one.samples, calls_.samples) + count_text(one.samples) + "  " +
                             std::string(size_t{2} * one.depth, ' ') + printable(one.name) +
                             (one.image.empty() ? "" : " [" + short_name(one.image) + "]")});
        }
        if (calls.empty()) lines.push_back({"  none"});
    };
    add("     %  samples  callers", calls_.callers);
    add("     %  samples  callees", calls_.callees);
    return lines;
}

std::vector<ScreenLine> ScreenState::code_lines() const {
    std::vector<ScreenLine> lines;
    uint64_t all = 0;
    for (const CodeRow& row : code_)
        all += row.samples;
    for (const CodeRow& row : code_) {
        const std::string counts =
            row.samples == 0 ? std::string(15, ' ') : share_text(row.samples, all) + count_text(row.samples);
        std::string text = counts + "  " + hex(row.address) + "  " + printable(row.text);
        if (!row.source.empty()) text += "  " + printable(row.source);
        lines.push_back(
            {text, row.samples > 0 && static_cast<double>(row.samples) >= hot_share * static_cast<double>(all)
                       ? Tone::hot
                       : Tone::plain});
    }
    if (lines.empty()) lines.push_back({"no code is known of this row", Tone::remark});
    return lines;
}

/// The part that is shown of a panel without rows.
std::vector<ScreenLine> ScreenState::body(size_t room) {
    const std::vector<ScreenLine> all = panel_ == Panel::help    ? help_lines
                                        : panel_ == Panel::names ? name_lines(subject_)
                                        : panel_ == Panel::calls ? call_lines()
                                                                 : code_lines();
    panel_cursor_.fit(all.size(), room);
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(panel_cursor_.first);
    return {first, first + static_cast<std::ptrdiff_t>(panel_cursor_.shown)};
}

std::vector<ScreenLine> ScreenState::lines(const Picture& picture, size_t columns, size_t rows) {
    std::vector<ScreenLine> lines;
    selected_line_ = 0;
    shown_rows_ = picture.rows.rows;
    const auto append = [&lines](const std::vector<ScreenLine>& more) {
        lines.insert(lines.end(), more.begin(), more.end());
    };
    if (columns < least_columns || rows < least_rows) {
        lines.push_back({"optop: " + std::to_string(columns) + "x" + std::to_string(rows)});
        lines.push_back({"needs " + std::to_string(least_columns) + "x" + std::to_string(least_rows)});
    } else {
        lines.push_back({head_line(picture), Tone::head});
        if (panel_ == Panel::rows) {
            for (const std::string& remark : remarks_of(picture))
                for (const std::string& line : wrapped(remark, columns))
                    if (lines.size() + 3 < rows) lines.push_back({line, Tone::remark});
            body_at_ = lines.size() + 1;
            append(row_lines(picture, columns, rows - lines.size() - 2));
        } else {
            if (panel_ == Panel::calls || panel_ == Panel::code)
                lines.push_back(
                    {printable(subject_.symbol.empty() ? subject_.image : subject_.symbol), Tone::head});
            body_at_ = lines.size();
            append(body(rows - lines.size() - 1));
        }
        if (cursor().all > 0 && panel_ != Panel::help && panel_ != Panel::names)
            selected_line_ = body_at_ + cursor().selected - cursor().first;
        lines.resize(rows - 1);
        lines.push_back({status_line(), Tone::head});
    }
    lines.resize(std::min(lines.size(), rows));
    for (ScreenLine& line : lines)
        line.text = pp::cut_text(line.text, columns);
    return lines;
}

}  // namespace op::tool
