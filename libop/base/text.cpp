// SPDX-License-Identifier: GPL-2.0-or-later
// Small work on text.
#include "libop/base/text.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace op {

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (size_t at = 0;;) {
        const size_t end = text.find(separator, at);
        parts.push_back(text.substr(at, end - at));
        if (end == text.npos) return parts;
        at = end + 1;
    }
}

std::vector<std::string> split_list(std::string_view text) {
    std::vector<std::string> parts;
    std::string part;
    const auto finish = [&] {
        if (!part.empty()) parts.push_back(std::move(part));
        part.clear();
    };
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',') {
            part += ',';
            ++i;
        } else if (text[i] == ',') {
            finish();
        } else {
            part += text[i];
        }
    }
    finish();
    return parts;
}

std::string list_part(std::string_view text) {
    std::string part;
    for (const char c : text) {
        if (c == ',') part += '\\';
        part += c;
    }
    return part;
}

std::optional<uint64_t> parse_number(std::string_view text, int base) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

namespace {

struct BasedDigits {
    std::string_view digits;
    int base;
};

BasedDigits c_digits(std::string_view text) {
    if (text.starts_with("0x") || text.starts_with("0X")) return {text.substr(2), 16};
    if (text.size() > 1 && text.front() == '0') return {text.substr(1), 8};
    return {text, 10};
}

}  // namespace

std::optional<uint64_t> parse_c_integer(std::string_view text) {
    const auto [digits, base] = c_digits(text);
    return parse_number(digits, base);
}

std::string_view c_integer_fault(std::string_view text) {
    const auto [digits, base] = c_digits(text);
    uint64_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data(), end, value, base);
    return result.ptr == end && result.ec == std::errc::result_out_of_range ? "too large" : "not a number";
}

std::string joined(std::span<const std::string> texts, std::string_view separator) {
    std::string list;
    for (const std::string& text : texts) {
        if (&text != texts.data()) list += separator;
        list += text;
    }
    return list;
}

std::string short_list(std::span<const std::string> texts) {
    constexpr size_t most = 5;
    std::string list = joined(texts.first(std::min(texts.size(), most)), ",");
    if (texts.size() > most) list += " and " + std::to_string(texts.size() - most) + " more";
    return list;
}

std::string hex(uint64_t value, int width) {
    char digits[16];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value, 16);
    std::string text(digits, end);
    if (static_cast<int>(text.size()) < width) text.insert(0, width - text.size(), '0');
    return text;
}

std::string hex(std::span<const std::byte> bytes) {
    std::string text;
    for (const std::byte b : bytes)
        text += hex(std::to_integer<uint8_t>(b), 2);
    return text;
}

std::string_view take_line(std::string_view& text) {
    const size_t end = text.find('\n');
    const auto line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    return line;
}

std::string_view take_word(std::string_view& text) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\n'; };
    const auto start = std::ranges::find_if_not(text, is_blank);
    const auto end = std::find_if(start, text.end(), is_blank);
    const std::string_view word(start, end);
    text = {end, text.end()};
    return word;
}

std::string_view base_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

size_t utf8_length(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return 1;
    const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
    for (size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    const bool is_overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
    const bool is_surrogate = first == 0xed && byte(1) >= 0xa0;
    const bool is_too_large = first == 0xf4 && byte(1) >= 0x90;
    return is_overlong || is_surrogate || is_too_large ? 0 : length;
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

namespace {

/// A character at the front of a text.
struct Character {
    size_t length;    ///< in bytes; 1 for a byte that is not UTF-8
    bool is_control;  ///< something a terminal may obey
};

/// True for the two- and three-byte characters that control a terminal, the direction of text or its lines.
bool is_control(uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
           code == 0x200f || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

Character first_character(std::string_view text) {
    const auto byte = [&](size_t i) { return uint32_t{static_cast<unsigned char>(text[i])}; };
    switch (const size_t length = utf8_length(text)) {
        case 2:
            return {2, is_control((byte(0) & 0x1f) << 6 | (byte(1) & 0x3f))};
        case 3:
            return {3, is_control((byte(0) & 0xf) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f))};
        case 4:
            return {length, false};
        default:
            return {1, is_control(byte(0))};
    }
}

/// True if the eight bytes at `text` are printable ASCII; all are looked at together, as every row of a
/// report passes here.
bool are_printable_ascii(const char* text) {
    constexpr uint64_t each = 0x0101010101010101;
    uint64_t bytes;
    std::memcpy(&bytes, text, sizeof bytes);
    // Of a byte below 0x80, the sum with 0x60 has bit 7 if it is at least 0x20, the sum with 1 if it is 0x7f.
    return ((bytes | ~(bytes + each * 0x60) | (bytes + each)) & each * 0x80) == 0;
}

}  // namespace

std::string printable(std::string_view text) {
    std::string out(text);
    size_t to = 0;
    for (size_t at = 0; at < text.size();) {
        if (at + 8 <= text.size() && are_printable_ascii(text.data() + at)) {
            if (to != at) out.replace(to, 8, text, at, 8);
            at += 8;
            to += 8;
            continue;
        }
        const auto [length, is_control] = first_character(text.substr(at));
        if (is_control)
            out[to++] = '?';
        else
            for (size_t i = 0; i < length; ++i)
                out[to++] = text[at + i];
        at += length;
    }
    out.resize(to);
    return out;
}

std::string printable_lines(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const size_t length = std::min(text.find_first_of("\t\n"), text.size());
        const bool has_return = text.substr(0, length).ends_with('\r') && text.substr(length, 1) == "\n";
        out += printable(text.substr(0, length - has_return));
        if (has_return) out += '\r';
        if (length < text.size()) out += text[length];
        text.remove_prefix(std::min(length + 1, text.size()));
    }
    return out;
}

}  // namespace op
