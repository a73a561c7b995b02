// SPDX-License-Identifier: GPL-2.0-or-later
// Quoting of cells.
#include "libop/base/csv.h"

#include "libop/base/text.h"

namespace op {

std::string csv_cell(std::string_view text) {
    std::string safe = printable(text);
    if (!safe.empty() && std::string_view("=+-@").find(safe.front()) != std::string_view::npos)
        safe.insert(0, 1, '\'');
    if (safe.find_first_of(",\"") == safe.npos) return safe;
    std::string result = "\"";
    for (const char c : safe) {
        if (c == '"') result += '"';
        result += c;
    }
    return result + "\"";
}

}  // namespace op
