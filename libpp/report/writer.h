// SPDX-License-Identifier: GPL-2.0-or-later
// Writers: format reports. One function per format; the table is in writers.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "libpp/report/report.h"

namespace op::pp {

/// The style of text. The default is for files and pipes; other values are for terminals.
struct TextStyle {
    /// Columns of the terminal: columns are as wide as they need to be, rows and heads are cut there.
    /// 0 = the classic widths.
    size_t width = 0;
    bool has_color = false;        ///< rows with large shares stand out (ECMA-48, SGR)
    bool has_whole_names = false;  ///< nothing is cut or shortened to the width
    bool has_all_notes = false;    ///< also on a terminal, also that nothing was lost
};

/// The report in one format. Names in it come from foreign files: a writer lets no control character out.
/// The style changes only what a format shows on a terminal.
using WriteReport = std::string(const Report& report, const TextStyle& style);

/// False if the text of a report, which compares nothing, has so many columns on a terminal that its names
/// would be cut short.
bool leaves_room_for_names(const Report& report, const TextStyle& style);

/// A format.
struct Writer {
    std::string_view name;
    bool is_for_people = false;   ///< else names of images are whole paths
    bool fits_terminals = false;  ///< heeds the width of its style; has one line for a head on a terminal
    /// opreport gives it symbol lists and call graphs only, in the order of application and image; knows no
    /// shares, running sums and comparisons; columns may differ in several ways.
    bool is_by_application = false;
    bool has_trees = false;    ///< has a place for the tree of calls
    bool has_remarks = false;  ///< has a place for those of the head; text only where heads are shown
    WriteReport* write = nullptr;
};

/// All formats.
std::span<const Writer> writers();
/// The format of that name, or null.
const Writer* find_writer(std::string_view name);

}  // namespace op::pp
