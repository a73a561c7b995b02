// SPDX-License-Identifier: GPL-2.0-or-later
// ClickHouse's TabSeparated (its documentation, "TabSeparated"): rows end in a newline, fields are separated
// by tabs, and both are escaped by a backslash where they are data.
#include "fleet/rows.h"

#include <charconv>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::fleet {
namespace {

char unescaped(char c) {
    switch (c) {
        case 'b':
            return '\b';
        case 'f':
            return '\f';
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        case '0':
            return '\0';
        default:
            return c;
    }
}

template <class Number>
Number parsed(const std::string& text, const std::string& label) {
    Number value{};
    const char* end = text.data() + text.size();
    const auto [at, fault] = std::from_chars(text.data(), end, value);
    if (fault != std::errc{} || at != end || text.empty())
        throw_input(label + ": the server's answer has \"" + printable(text).substr(0, 80) +
                    "\" for a number");
    return value;
}

}  // namespace

std::string unescaped_field(std::string_view field) {
    std::string value;
    value.reserve(field.size());
    for (size_t i = 0; i < field.size(); ++i)
        value += field[i] == '\\' && i + 1 < field.size() ? unescaped(field[++i]) : field[i];
    return value;
}

std::string escaped_field(std::string_view value) {
    constexpr std::string_view special("\t\n\0\\", 4), letters = "tn0\\";
    std::string field;
    field.reserve(value.size());
    for (const char c : value) {
        const size_t at = special.find(c);
        if (at != special.npos) field += '\\';
        field += at != special.npos ? letters[at] : c;
    }
    return field;
}

Rows Rows::parse(std::string_view text, std::string_view label) {
    Rows rows;
    rows.label_ = label;
    if (text.empty()) return rows;
    if (!text.ends_with('\n')) throw_input(rows.label_ + ": the server's answer is cut off");
    for (const std::string_view name : split(take_line(text), '\t'))
        rows.names_.push_back(unescaped_field(name));
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        const auto fields = split(line, '\t');
        if (fields.size() != rows.names_.size())
            throw_input(rows.label_ +
                        ": the server's answer has a row of another kind: " + printable(line.substr(0, 200)));
        for (const std::string_view field : fields)
            rows.cells_.push_back(unescaped_field(field));
    }
    return rows;
}

uint64_t Rows::number(size_t row, size_t column) const {
    return parsed<uint64_t>(text(row, column), label_);
}

int64_t Rows::signed_number(size_t row, size_t column) const {
    return parsed<int64_t>(text(row, column), label_);
}

double Rows::real(size_t row, size_t column) const {
    return parsed<double>(text(row, column), label_);
}

std::vector<std::string> Rows::strings(size_t row, size_t column) const {
    return parse_string_array(text(row, column), label_);
}

std::vector<std::string> parse_string_array(std::string_view text, std::string_view label) {
    const auto refuse = [&] {
        throw_input(std::string(label) + ": the server's answer has no list of texts where one should be");
    };
    std::vector<std::string> elements;
    if (text == "[]") return elements;
    if (!text.starts_with('[')) refuse();
    text.remove_prefix(1);
    for (;;) {
        if (!text.starts_with('\'')) refuse();
        size_t end = 1;
        while (end < text.size() && text[end] != '\'')
            end += text[end] == '\\' ? 2 : 1;
        if (end >= text.size()) refuse();
        elements.push_back(unescaped_field(text.substr(1, end - 1)));
        text.remove_prefix(end + 1);
        if (text == "]") return elements;
        if (!text.starts_with(',')) refuse();
        text.remove_prefix(1);
    }
}

}  // namespace op::fleet
