// SPDX-License-Identifier: GPL-2.0-or-later
// The table of writers. opreport's help, its messages and a test of its manual are made from it.
#include <algorithm>

#include "libpp/report/writer.h"

namespace op::pp {

// Each is defined in the file of its name.
WriteReport write_text, write_json, write_csv, write_markdown, write_xml;

namespace {

constexpr Writer table[] = {
    {.name = "text",
     .is_for_people = true,
     .fits_terminals = true,
     .has_trees = true,
     .has_remarks = true,
     .write = write_text},
    {.name = "json", .has_trees = true, .has_remarks = true, .write = write_json},
    {.name = "csv", .write = write_csv},
    {.name = "markdown",
     .is_for_people = true,
     .has_trees = true,
     .has_remarks = true,
     .write = write_markdown},
    {.name = "xml", .is_by_application = true, .has_remarks = true, .write = write_xml},
};

}  // namespace

std::span<const Writer> writers() {
    return table;
}

const Writer* find_writer(std::string_view name) {
    const auto* const row = std::ranges::find(table, name, &Writer::name);
    return row == std::end(table) ? nullptr : row;
}

}  // namespace op::pp
