// SPDX-License-Identifier: GPL-2.0-or-later
// Text files of lines with tags, `name:value name:value : description`, as event descriptions and CPU models
// are.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace op {

/// A line of a file, for messages.
struct FileLine {
    std::string file;
    size_t line = 0;  ///< from 1

    /// Throws an input error "<file>:<line>: <what>".
    [[noreturn]] void fail(const std::string& what) const;
};

/// The text without the blanks at its front.
std::string_view skip_blanks(std::string_view text);
/// The text without the blanks at both ends.
std::string_view trimmed(std::string_view text);

/// Calls `take` with each line that is neither blank nor a comment (a line that begins with '#').
/// During the call place.line is its number. Throws an input error at a line that is not UTF-8.
void each_line(std::string_view text, FileLine& place, const std::function<void(std::string_view)>& take);

/// The tags at the front of a line. Valid as long as the line's text and the place.
class Tags {
public:
    /// Takes the tags off `line`. With `has_description` a colon between blanks must follow, and the text
    /// after it remains in `line`; otherwise only a comment may follow. Throws an input error, also for a tag
    /// given twice or without a value.
    Tags(std::string_view& line, const FileLine& place, bool has_description);

    /// The value of a tag that must be there. Throws an input error.
    std::string_view take(std::string_view name);
    std::optional<std::string_view> take_optional(std::string_view name);
    /// Throws an input error if there is a tag that nobody took.
    void expect_no_more() const;

private:
    void take_one(std::string_view& line);

    const FileLine& place_;
    std::map<std::string_view, std::string_view> values_;
};

/// "0xNN" of at most 32 bits. Throws an input error.
uint32_t parse_hex(std::string_view text, const FileLine& place);
/// A decimal number up to `greatest`. Throws an input error.
uint64_t parse_decimal(std::string_view text, uint64_t greatest, const FileLine& place);

}  // namespace op
