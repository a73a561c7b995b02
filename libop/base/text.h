// SPDX-License-Identifier: GPL-2.0-or-later
// Small work on text: splitting, strict numbers, joining.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace op {

/// Splits at every `separator`; the empty text gives one empty part. Views into `text`.
std::vector<std::string_view> split(std::string_view text, char separator);
/// Splits at commas that no backslash escapes; "\," gives a comma in the part. Empty parts are dropped.
std::vector<std::string> split_list(std::string_view text);
/// The text as one part of such a list: its commas escaped.
std::string list_part(std::string_view text);
/// The whole text as an unsigned number in the given base (2..36), without sign, blank or prefix. Empty if it
/// is not such a number or does not fit.
std::optional<uint64_t> parse_number(std::string_view text, int base = 10);
/// The whole text as a C integer: 0x hex, leading 0 octal, else decimal.
std::optional<uint64_t> parse_c_integer(std::string_view text);
/// The reason why parse_c_integer refuses the text: "too large" or "not a number".
std::string_view c_integer_fault(std::string_view text);
/// Lower-case hexadecimal without prefix, padded with zeros to at least `width` digits.
std::string hex(uint64_t value, int width = 0);
/// The bytes in lower-case hexadecimal, two digits each.
std::string hex(std::span<const std::byte> bytes);
/// Removes one line from the front of `text` and returns it without its newline.
std::string_view take_line(std::string_view& text);
/// Removes one word (non-blank run) from the front of `text`, with the blanks before it, and returns it.
std::string_view take_word(std::string_view& text);
/// The texts with `separator` between them.
std::string joined(std::span<const std::string> texts, std::string_view separator = ", ");
/// The text of each element, which `text_of` returns, with `separator` between them.
template <class Range, class TextOf>
std::string joined(const Range& range, std::string_view separator, TextOf text_of) {
    std::vector<std::string> texts;
    for (const auto& one : range)
        texts.emplace_back(std::invoke(text_of, one));
    return joined(texts, separator);
}
/// The texts with commas between them; of more than five, the first five and the number of the others.
std::string short_list(std::span<const std::string> texts);
/// The part after the last '/', or all of it.
std::string_view base_name(std::string_view path);
/// Length of the UTF-8 character (RFC 3629) at the front of `text`, or 0 if the bytes are not UTF-8. `text`
/// must not be empty.
size_t utf8_length(std::string_view text);
/// The text with ASCII letters in lower case.
std::string lower(std::string_view text);
/// The text with a '?' for each character that a terminal may obey: control characters (below 0x20, 0x7f to
/// 0x9f), marks that change the direction of text, separators of lines and paragraphs (U+2028, U+2029), and
/// bytes 0x80 to 0x9f that are not part of UTF-8. Everything else is kept byte for byte: safe to print in one
/// line.
std::string printable(std::string_view text);
/// The same for text of many lines, as a source file: tabs and line ends (LF, CR LF) are kept.
std::string printable_lines(std::string_view text);

}  // namespace op
