// SPDX-License-Identifier: GPL-2.0-or-later
// Lines with tags.
#include "libop/base/tagged_lines.h"

#include <algorithm>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op {

namespace {

constexpr std::string_view blanks = " \t\r\v\f";
constexpr std::string_view ends_of_word = ": \t\r\v\f";

bool is_valid_utf8(std::string_view text) {
    while (!text.empty()) {
        const size_t length = utf8_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

}  // namespace

void FileLine::fail(const std::string& what) const {
    throw_input(file + ":" + std::to_string(line) + ": " + printable(what));
}

std::string_view skip_blanks(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(blanks), text.size()));
}

std::string_view trimmed(std::string_view text) {
    text = skip_blanks(text);
    return text.substr(0, text.find_last_not_of(blanks) + 1);
}

void each_line(std::string_view text, FileLine& place, const std::function<void(std::string_view)>& take) {
    for (place.line = 1; !text.empty(); ++place.line) {
        const std::string_view line = take_line(text);
        const std::string_view content = skip_blanks(line);
        if (content.empty() || content.front() == '#') continue;
        if (!is_valid_utf8(line)) place.fail("this line is not UTF-8");
        take(line);
    }
}

Tags::Tags(std::string_view& line, const FileLine& place, bool has_description) : place_(place) {
    line = skip_blanks(line);
    while (!line.empty() && line.front() != ':' && line.front() != '#') {
        take_one(line);
        line = skip_blanks(line);
    }
    const bool has_colon = !line.empty() && line.front() == ':';
    if (has_colon != has_description)
        place.fail(has_colon ? "a colon without a tag before it"
                             : "no description; write ' : TEXT' after the tags");
    line = has_colon ? trimmed(line.substr(1)) : std::string_view();
}

void Tags::take_one(std::string_view& line) {
    const std::string_view name = line.substr(0, line.find_first_of(ends_of_word));
    line.remove_prefix(name.size());
    if (line.empty() || line.front() != ':') place_.fail("'" + std::string(name) + "' is no tag");
    line.remove_prefix(1);
    std::string_view value = line.substr(0, line.find_first_of(blanks));
    if (value.ends_with(':')) value.remove_suffix(1);  // the description's
    line.remove_prefix(value.size());
    if (value.empty()) place_.fail("tag '" + std::string(name) + ":' has no value");
    if (!values_.emplace(name, value).second) place_.fail("tag '" + std::string(name) + ":' is given twice");
}

std::string_view Tags::take(std::string_view name) {
    const auto value = take_optional(name);
    if (!value) place_.fail("no tag '" + std::string(name) + ":'");
    return *value;
}

std::optional<std::string_view> Tags::take_optional(std::string_view name) {
    const auto tag = values_.find(name);
    if (tag == values_.end()) return std::nullopt;
    const std::string_view value = tag->second;
    values_.erase(tag);
    return value;
}

void Tags::expect_no_more() const {
    if (!values_.empty()) place_.fail("unknown tag '" + std::string(values_.begin()->first) + ":'");
}

uint32_t parse_hex(std::string_view text, const FileLine& place) {
    if (text.starts_with("0x") || text.starts_with("0X"))
        if (const auto value = parse_number(text.substr(2), 16); value && *value <= UINT32_MAX)
            return static_cast<uint32_t>(*value);
    place.fail("'" + std::string(text) + "' is no hexadecimal number of 32 bits, 0xNN");
}

uint64_t parse_decimal(std::string_view text, uint64_t greatest, const FileLine& place) {
    const auto value = parse_number(text);
    if (value && *value <= greatest) return *value;
    place.fail("'" + std::string(text) + "' is no decimal number up to " + std::to_string(greatest));
}

}  // namespace op
