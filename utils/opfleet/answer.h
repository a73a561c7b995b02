// SPDX-License-Identifier: GPL-2.0-or-later
// The answer of a verb: facts, remarks and a table, as text, JSON or CSV.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "libop/base/json.h"
#include "utils/shared/options.h"
#include "utils/shared/output.h"
#include "utils/shared/tool.h"

namespace op::tool {

/// A cell: empty, a text of any bytes, a whole number, another number, yes or no. Lists are for JSON; others
/// have their elements with blanks between them.
using Cell = std::variant<std::monostate, std::string, uint64_t, double, bool, std::vector<std::string>>;

/// A column. Columns with a title of "" are not part of text.
struct AnswerColumn {
    std::string key;    ///< its name in JSON and CSV
    std::string title;  ///< its head in text; empty = text leaves it out
    int decimals = 4;   ///< of its numbers that are not whole, in text
};

struct Answer {
    std::string kind;                                 ///< the verb
    std::vector<std::pair<std::string, Json>> facts;  ///< members of the JSON object, before its rows
    std::vector<std::string> head;                    ///< lines above the table, in text only
    std::vector<std::string> remarks;                 ///< what is missing or doubtful; a line each
    std::vector<AnswerColumn> columns;
    std::vector<std::vector<Cell>> rows;  ///< a cell for each column
};

enum class AnswerFormat : uint8_t { text, json, csv };

/// The answer in a format, ending in a newline. Text begins with the head and the remarks; JSON is an object
/// {"format": "oprofile-ng fleet", "version": 1, "kind", facts..., "remarks", "rows": [{KEY: VALUE...}...]};
/// CSV has no remarks.
std::string answer_text(const Answer& answer, AnswerFormat format);

/// --format, and what all verbs that answer share.
struct AnswerOptions {
    std::string format = "text";
    ShowOptions show;

    /// Rows for CommandSyntax; they point into this object.
    std::vector<Option> table();
    /// Throws a usage error on an unknown one.
    AnswerFormat checked_format() const;
};

/// Prints the answer on stdout, text through the pager. Remarks that the format has no room for become notes
/// of the tool. Throws a system error.
void show_answer(Tool& tool, const AnswerOptions& options, const Answer& answer);

}  // namespace op::tool
