// SPDX-License-Identifier: GPL-2.0-or-later
// Text from foreign files as text of XML and HTML.
#include "libop/base/markup.h"

#include <algorithm>

#include "libop/base/text.h"

namespace op {

namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD

/// One ASCII character.
std::string_view ascii_text(const char& c) {
    switch (c) {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '"':
            return "&quot;";
        case '\t':
            return "\t";
        default:
            return (c >= 0 && c < 0x20) || c == 0x7f ? std::string_view("?") : std::string_view(&c, 1);
    }
}

/// One character beyond ASCII, well-formed.
std::string_view other_text(std::string_view character) {
    if (printable(character) == "?") return "?";
    if (character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf") return replacement;  // U+FFFE, U+FFFF
    return character;
}

}  // namespace

std::string markup_text(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const size_t length = utf8_length(text);
        if (length == 0)
            result += replacement;
        else if (length == 1)
            result += ascii_text(text.front());
        else
            result += other_text(text.substr(0, length));
        text.remove_prefix(std::max<size_t>(length, 1));
    }
    return result;
}

}  // namespace op
