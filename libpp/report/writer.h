// SPDX-License-Identifier: GPL-2.0-or-later
// Writers: what a report looks like. One function per format; the table is in writers.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "libpp/report/report.h"

namespace op::pp {

/// A format.
struct Writer {
    std::string_view name;
    bool is_for_people;  ///< else names of images are whole paths
    /// opreport gives it symbol lists and call graphs only, in the order of application and image; knows no
    /// shares, running sums and comparisons; columns may differ in several ways.
    bool is_by_application;
    bool has_remarks;  ///< has a place for those of the head; text only where heads are shown
    /// The report in this format. Names in it come from foreign files: a writer lets no control character
    /// out.
    std::string (*write)(const Report& report);
};

/// All formats.
std::span<const Writer> writers();
/// The format of that name, or null.
const Writer* find_writer(std::string_view name);

/// The classic layout for people and their scripts.
std::string write_text(const Report& report);

/// How text looks on a terminal.
struct TextStyle {
    size_t width = 0;  ///< columns of the terminal: rows and heads are cut there; 0 = the classic widths
    bool has_color = false;  ///< rows with large shares stand out (ECMA-48, SGR)
};

/// The classic layout with columns as wide as they need to be, long lines cut, and colours.
std::string write_styled_text(const Report& report, const TextStyle& style);
/// Comma-separated values, one kind of line a report.
std::string write_csv(const Report& report);
/// One JSON object (doc/FORMATS.md).
std::string write_json(const Report& report);

/// XML by application, process and thread (doc/FORMATS.md, doc/opreport.xsd).
std::string write_xml(const Report& report);

}  // namespace op::pp
