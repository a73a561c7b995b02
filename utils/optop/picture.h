// SPDX-License-Identifier: GPL-2.0-or-later
// One look at a session as lines of text or JSON, for scripts and for the screen. Prints nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "utils/optop/live_rows.h"
#include "utils/optop/live_session.h"

namespace op::tool {

/// The time that a picture is of.
enum class Span : uint8_t {
    window,  ///< since the look before
    minute,  ///< the last minute
    start,   ///< since the recording began, or since the baseline
};

/// What a look showed.
struct Picture {
    std::string event = {};  ///< "TIMER:1000000"; empty = no samples yet
    Span span = Span::window;
    RowGroup group = RowGroup::function;
    double seconds = 0;     ///< that the samples came in; 0 = not known
    bool has_base = false;  ///< there is a baseline
    uint64_t total = 0;     ///< samples of the event since the recording began
    LiveState state = {.is_there = true, .is_recorded = true};
    std::vector<std::string> facts = {};  ///< on losses; each a line
    double interval = 0;                  ///< seconds between looks, if more than asked for; else 0
    LiveRows rows = {};
};

/// The characters that mark numbers.
struct Signs {
    std::string interval, rise, fall;

    /// With what ASCII lacks, or without.
    static Signs of(bool has_unicode) {
        return has_unicode ? Signs{"\u00b1", "\u25b2", "\u25bc"} : Signs{"+-", "^", "v"};
    }
};

/// The columns of a table of rows.
struct Layout {
    bool has_interval = true, has_rate = true, has_change = true, has_samples = true, has_image = true,
         has_app = true;
    size_t symbol_width = 8, image_width = 0, app_width = 0;  ///< of names; longer ones are whole
    Signs signs = Signs::of(false);

    /// The columns for which a screen has room.
    static Layout for_screen(size_t columns, RowGroup group, const Signs& signs);
    /// Gives the symbols what images and applications do not need of their columns.
    void fit(const std::vector<LiveRow>& rows);
    /// All columns, as wide as the rows need.
    static Layout for_text(const Picture& picture, const Signs& signs);

private:
    void take_room(size_t& width, size_t columns);
};

/// The number with that many decimals.
std::string fixed(double value, int digits);

/// The line above the rows: event, span, samples.
std::string head_line(const Picture& picture);
/// What the reader must know of the picture: each a sentence without a full stop.
std::vector<std::string> remarks_of(const Picture& picture);
/// The heads of the columns.
std::string column_heads(const Picture& picture, const Layout& layout);
/// The line of a row, whose names are already as they are to be shown.
std::string row_line(const LiveRow& row, const Picture& picture, const Layout& layout);
/// The line of a row without its names.
std::string row_cells(const LiveRow& row, const Picture& picture, const Layout& layout);
/// The last component of a path, safe for a terminal.
std::string short_name(const std::string& name);

/// Head, remarks, column heads and rows, each line ended: a round of --batch.
std::string picture_text(const Picture& picture, const Signs& signs);
/// The same as one line of JSON. Layout: doc/FORMATS.md, "Pictures of optop".
std::string picture_json(const Picture& picture);

}  // namespace op::tool
