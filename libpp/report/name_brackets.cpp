// SPDX-License-Identifier: GPL-2.0-or-later
// Brackets of demangled names.
#include "libpp/report/name_brackets.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace op::pp {

namespace {

bool is_closing(char c) {
    return c == ')' || c == '>' || c == ']' || c == '}';
}

}  // namespace

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}

size_t operator_end(std::string_view name, size_t at) {
    constexpr std::string_view operator_word = "operator";
    if (!name.substr(at).starts_with(operator_word) || (at > 0 && is_word(name[at - 1]))) return at;
    size_t end = at + operator_word.size();
    if (end == name.size() || is_word(name[end]) || name[end] == ' ') return at;
    const std::string_view rest = name.substr(end);
    if (rest.starts_with("()") || rest.starts_with("[]")) return end + 2;
    end = std::min(name.find_first_not_of("<>=!+-*/%&|^~,", end), name.size());
    return name.substr(end).starts_with(" <") ? end + 1 : end;
}

char closing(char opening) {
    switch (opening) {
        case '(':
            return ')';
        case '<':
            return '>';
        case '[':
            return ']';
        case '{':
            return '}';
        default:
            return 0;
    }
}

size_t group_end(std::string_view name, size_t at) {
    std::string open;
    while (at < name.size()) {
        if (const size_t end = operator_end(name, at); end > at) {
            at = end;
            continue;
        }
        const char c = name[at++];
        if (c == '-' && at < name.size() && name[at] == '>') {
            ++at;
        } else if (closing(c)) {
            open += closing(c);
        } else if (is_closing(c)) {
            const size_t level = open.rfind(c);
            if (level == open.npos || (c == '>' && level + 1 != open.size())) continue;
            open.resize(level);
            if (open.empty()) return at;
        }
    }
    return name.npos;
}

bool has_open_bracket(std::string_view name) {
    for (size_t at = 0; at < name.size();) {
        if (const size_t end = operator_end(name, at); end > at) {
            at = end;
        } else if (closing(name[at])) {
            at = group_end(name, at);
            if (at == name.npos) return true;
        } else {
            ++at;
        }
    }
    return false;
}

}  // namespace op::pp
