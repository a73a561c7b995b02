// SPDX-License-Identifier: GPL-2.0-or-later
// What the keys of the screen do, and the lines that it shows. Knows no terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "utils/optop/code_rows.h"
#include "utils/optop/pace.h"
#include "utils/optop/picture.h"
#include "utils/optop/row_calls.h"

namespace op::tool {

/// What a key means.
enum class ScreenKey : uint8_t { other, up, down, page_up, page_down, home, end, enter, escape, erase };

/// What has to be done for a key.
enum class ScreenTask : uint8_t {
    none,
    remake,      ///< make the picture, the calls or the code again
    set_base,    ///< make what is counted now the baseline; then as `remake`
    clear_base,  ///< have no baseline; likewise
    write_text,  ///< write the picture to a file: as text, as JSON, or opreport's page of the session
    write_json,
    write_page,
};

/// What the screen shows.
enum class Panel : uint8_t { rows, help, names, calls, code };

/// How a line looks where there are colours; each look has another sign as well.
enum class Tone : uint8_t { plain, head, remark, rise, fall, hot };

struct ScreenLine {
    std::string text;
    Tone tone = Tone::plain;
};

/// A list of which a part is shown.
struct Cursor {
    size_t selected = 0, first = 0, shown = 0, all = 0;

    void move(ScreenKey key);
    /// Fits the list into so many lines; the selected one is among them.
    void fit(size_t length, size_t room);
};

/// The state of the screen between two pictures.
class ScreenState {
public:
    /// Smaller screens show their size.
    static constexpr size_t least_columns = 20, least_rows = 4;

    ScreenState(double delay, Signs signs) : pace_(delay), signs_(std::move(signs)) {}

    /// What is shown at first.
    void set_view(Span span, RowOrder order) {
        span_ = span;
        order_ = order;
    }
    /// Takes a key: its meaning, or `other` and the character.
    ScreenTask press(ScreenKey key, char character);
    /// Selects the row shown in that line of the screen, if there is one; shows more of it if it was selected
    /// before.
    ScreenTask select_line(size_t line);
    /// A message for the last line, until the next key.
    void set_notice(std::string text) { notice_ = std::move(text); }
    void set_calls(RowCalls calls) { calls_ = std::move(calls); }
    void set_code(std::vector<CodeRow> code);

    /// The wish that follows from the keys, for one of `events`; none = there are none yet.
    RowWish wish(const std::vector<uint32_t>& events) const;
    Span span() const noexcept { return span_; }
    Panel panel() const noexcept { return panel_; }
    /// The row that names, calls and code are of.
    const LiveRow& subject() const noexcept { return subject_; }
    Pace& pace() noexcept { return pace_; }
    bool is_quitting() const noexcept { return is_quitting_; }
    bool is_frozen() const noexcept { return is_frozen_; }

    /// The lines of a screen of that many columns and lines; none is longer.
    std::vector<ScreenLine> lines(const Picture& picture, size_t columns, size_t rows);
    /// The line that is selected; 0 = none.
    size_t selected_line() const noexcept { return selected_line_; }

private:
    ScreenTask press_letter(char character);
    ScreenTask press_in_filter(ScreenKey key, char character);
    ScreenTask press_for_file(char character);
    ScreenTask change_view(char character);
    ScreenTask zoom(char character);
    ScreenTask zoom_out();
    ScreenTask open(Panel panel);
    Cursor& cursor() { return panel_ == Panel::rows ? row_cursor_ : panel_cursor_; }

    std::string status_line() const;
    std::vector<ScreenLine> body(size_t room);
    std::vector<ScreenLine> row_lines(const Picture& picture, size_t columns, size_t room);
    std::vector<ScreenLine> call_lines() const;
    std::vector<ScreenLine> code_lines() const;
    void make_safe(std::vector<LiveRow>& rows) const;
    void fit_names(std::vector<LiveRow>& rows, const Layout& layout) const;

    Pace pace_;
    Signs signs_;
    std::string filter_, typed_, notice_;
    std::optional<LiveRow> image_, app_;  ///< the row whose image or application alone is shown
    RowOrder order_ = RowOrder::samples;
    RowGroup group_ = RowGroup::function;
    RowMode mode_ = RowMode::all;
    Span span_ = Span::window;
    Panel panel_ = Panel::rows;
    LiveRow subject_;
    std::vector<LiveRow> shown_rows_;  ///< of the last picture
    RowCalls calls_;
    std::vector<CodeRow> code_;
    Cursor row_cursor_, panel_cursor_;
    size_t event_ = 0, body_at_ = 0, selected_line_ = 0;
    bool is_quitting_ = false, is_frozen_ = false, is_typing_ = false, is_naming_file_ = false;
    bool has_whole_names_ = false, is_expanded_ = false;
};

}  // namespace op::tool
