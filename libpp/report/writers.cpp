// SPDX-License-Identifier: GPL-2.0-or-later
// The table of writers.
#include <algorithm>

#include "libpp/report/writer.h"

namespace op::pp {

namespace {

constexpr Writer table[] = {
    {"text", true, false, true, write_text},
    {"json", false, false, true, write_json},
    {"csv", false, false, false, write_csv},
    {"xml", false, true, true, write_xml},
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
