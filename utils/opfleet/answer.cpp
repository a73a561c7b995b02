// SPDX-License-Identifier: GPL-2.0-or-later
// Writes answers. Numbers in text are right-aligned, texts left-aligned; the last column is as long as it is.
#include "utils/opfleet/answer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "libop/base/csv.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::tool {
namespace {

std::string formatted(const char* format, int precision, double number) {
    char text[400];
    std::snprintf(text, sizeof text, format, precision, number);
    return text;
}

/// Six significant digits: further ones differ between processors, and mean nothing.
std::string six_digits(double number) {
    return formatted("%.*g", 6, number);
}

/// A cell of text.
struct TextCell {
    int decimals;

    std::string operator()(std::monostate) const { return "-"; }
    std::string operator()(const std::string& text) const { return printable(text); }
    std::string operator()(uint64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return formatted("%.*f", decimals, number); }
    std::string operator()(bool value) const { return value ? "yes" : "no"; }
    std::string operator()(const std::vector<std::string>& texts) const {
        return printable(joined(texts, " "));
    }
};

struct CsvCell {
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(const std::string& text) const { return csv_cell(text); }
    std::string operator()(uint64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return six_digits(number); }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(const std::vector<std::string>& texts) const {
        return csv_cell(joined(texts, " "));
    }
};

struct JsonCell {
    Json operator()(std::monostate) const { return {}; }
    Json operator()(const std::string& text) const { return text; }
    Json operator()(uint64_t number) const { return number; }
    Json operator()(double number) const {
        return std::isfinite(number) ? Json(std::strtod(six_digits(number).c_str(), nullptr)) : Json();
    }
    Json operator()(bool value) const { return value; }
    Json operator()(const std::vector<std::string>& texts) const { return texts; }
};

bool is_text_cell(const Cell& cell) {
    return std::holds_alternative<std::string>(cell) ||
           std::holds_alternative<std::vector<std::string>>(cell);
}

/// Characters, which may be several bytes each.
size_t width_of(std::string_view text) {
    return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

/// One column of text, with its title.
struct TextColumn {
    std::vector<std::string> cells;
    size_t width = 0;
    bool is_left = false;

    void add(std::string cell) {
        width = std::max(width, width_of(cell));
        cells.push_back(std::move(cell));
    }
};

std::vector<TextColumn> text_columns(const Answer& answer) {
    std::vector<TextColumn> columns;
    for (size_t i = 0; i < answer.columns.size(); ++i) {
        if (answer.columns[i].title.empty()) continue;
        TextColumn& column = columns.emplace_back();
        column.add(answer.columns[i].title);
        for (const auto& row : answer.rows) {
            column.is_left |= is_text_cell(row[i]);
            column.add(std::visit(TextCell{answer.columns[i].decimals}, row[i]));
        }
    }
    return columns;
}

std::string text_of(const Answer& answer) {
    std::string text;
    for (const auto* lines : {&answer.head, &answer.remarks})
        for (const std::string& line : *lines)
            text += printable(line) + "\n";
    const auto columns = text_columns(answer);
    for (size_t row = 0; row <= answer.rows.size(); ++row) {
        std::string line = joined(columns, "  ", [&](const TextColumn& column) {
            const std::string& cell = column.cells[row];
            const std::string blanks(column.width - width_of(cell), ' ');
            return column.is_left ? cell + blanks : blanks + cell;
        });
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string json_of(const Answer& answer) {
    Json json = {{"format", "oprofile-ng fleet"}, {"version", 1}, {"kind", answer.kind}};
    for (const auto& [name, value] : answer.facts)
        json[name] = value;
    json["remarks"] = answer.remarks;
    json["rows"] = Json::array();
    for (const auto& row : answer.rows) {
        Json& object = json["rows"].add(Json::object());
        for (size_t i = 0; i < row.size(); ++i)
            object.add(answer.columns[i].key, std::visit(JsonCell{}, row[i]));
    }
    return json_text(std::move(json), {.indent = 2}) + "\n";
}

std::string csv_of(const Answer& answer) {
    std::string text =
        joined(answer.columns, ",", [](const AnswerColumn& column) { return csv_cell(column.key); }) + "\n";
    for (const auto& row : answer.rows)
        text += joined(row, ",", [](const Cell& cell) { return std::visit(CsvCell{}, cell); }) + "\n";
    return text;
}

}  // namespace

std::string answer_text(const Answer& answer, AnswerFormat format) {
    switch (format) {
        case AnswerFormat::json:
            return json_of(answer);
        case AnswerFormat::csv:
            return csv_of(answer);
        case AnswerFormat::text:
            break;
    }
    return text_of(answer);
}

std::vector<Option> AnswerOptions::table() {
    std::vector<Option> rows = {
        {"format", 0, &format, "the answer as text (default), json or csv", "text|json|csv"}};
    for (Option& option : show.table())
        if (std::string_view(option.long_name) == "no-pager") rows.push_back(option);
    return rows;
}

AnswerFormat AnswerOptions::checked_format() const {
    if (format == "text") return AnswerFormat::text;
    if (format == "json") return AnswerFormat::json;
    if (format == "csv") return AnswerFormat::csv;
    throw_usage("--format=" + printable(format) + ": not one of text, json, csv");
}

void show_answer(Tool& tool, const AnswerOptions& options, const Answer& answer) {
    const AnswerFormat format = options.checked_format();
    if (format == AnswerFormat::csv)
        for (const std::string& remark : answer.remarks)
            tool.notes.warn(remark);
    const std::string text = answer_text(answer, format);
    if (format == AnswerFormat::text)
        show_output(options.show, "", text);
    else
        write_stdout(text);
}

}  // namespace op::tool
