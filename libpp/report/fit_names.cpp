// SPDX-License-Identifier: GPL-2.0-or-later
// Names for a terminal.
#include "libpp/report/fit_names.h"

#include <algorithm>
#include <set>

#include "libpp/report/name_brackets.h"

namespace op::pp {

namespace {

constexpr size_t longest_parsed = 4096;  // bytes; longer names are only cut
constexpr std::string_view cut_mark = "...", left_out = "…", scope = "::";

/// A piece of a name at its outermost level.
struct Piece {
    enum class Kind : uint8_t { text, arguments, parameters } kind;
    std::string_view text;
};

/// Where a word with brackets ends that are no arguments, an operator or the name of a Java class's
/// constructor or initializer; else `at`.
size_t word_end(std::string_view name, size_t at) {
    if (at > 0 && name[at - 1] == '.')
        for (const std::string_view constructor : {"<init>", "<clinit>"})
            if (name.substr(at).starts_with(constructor)) return at + constructor.size();
    return operator_end(name, at);
}

/// True for "int java.lang.String.compareTo(java.lang.Object)": a result type and words with dots between
/// them before the parameters, which end the name.
bool is_java_method(std::string_view name) {
    const size_t parameters = name.find('(');
    if (parameters == name.npos || !name.ends_with(')')) return false;
    const std::string_view head = name.substr(0, parameters);
    const auto is_part = [](char c) {
        return is_word(c) || std::string_view(".$[]<> ").find(c) != std::string_view::npos;
    };
    return head.find(' ') != head.npos && head.find('.') != head.npos && std::ranges::all_of(head, is_part);
}

/// The pieces of a name; none if its brackets do not match.
std::vector<Piece> pieces_of(std::string_view name) {
    std::vector<Piece> pieces;
    size_t begin = 0;
    const auto end_text = [&](size_t at) {
        if (at > begin) pieces.push_back({Piece::Kind::text, name.substr(begin, at - begin)});
    };
    for (size_t at = 0; at < name.size();) {
        if (const size_t end = word_end(name, at); end > at) {
            at = end;
            continue;
        }
        if (!closing(name[at])) {
            ++at;
            continue;
        }
        const size_t end = group_end(name, at);
        if (end == name.npos) return {};
        // "(anonymous namespace)", "{lambda(int)#1}" and Go's ".(*T)" are components, not parameters.
        const bool is_component =
            name[at] == '{' || name[at] == '[' ||
            (name[at] == '(' &&
             (at == 0 || std::string_view(":. ").find(name[at - 1]) != std::string_view::npos));
        if (!is_component) {
            end_text(at);
            const auto kind = name[at] == '<' ? Piece::Kind::arguments : Piece::Kind::parameters;
            pieces.push_back({kind, name.substr(at, end - at)});
            begin = end;
        }
        at = end;
    }
    end_text(name.size());
    return pieces;
}

std::string without_arguments(const std::vector<Piece>& pieces) {
    std::string text;
    for (const Piece& piece : pieces)
        text += piece.kind == Piece::Kind::arguments ? "<" + std::string(left_out) + ">"
                                                     : std::string(piece.text);
    return text;
}

/// Also without the last parameters and what qualifies the function, "(int) const"; others are "(…)".
std::string without_parameters(std::vector<Piece> pieces) {
    const auto last =
        std::ranges::find(pieces.rbegin(), pieces.rend(), Piece::Kind::parameters, &Piece::kind);
    const bool is_function =
        last != pieces.rend() &&
        std::none_of(pieces.rbegin(), last, [](const Piece& piece) { return piece.text.starts_with(scope); });
    if (is_function) pieces.erase(last.base() - 1, pieces.end());
    const std::string some = "(" + std::string(left_out) + ")";
    for (Piece& piece : pieces)
        if (piece.kind == Piece::Kind::parameters) piece.text = some;
    return without_arguments(pieces);
}

/// True for "net/http.(*conn).serve": an import path, or a method of a pointer, which no C++ name has.
bool is_go_function(std::string_view name) {
    if (name.find(scope) != name.npos || name.find(' ') != name.npos) return false;
    const size_t slash = name.find('/');
    return name.find(".(*") != name.npos ||
           (slash != name.npos && slash > 0 && name.find('.', slash) != name.npos);
}

/// Where a shortened name may begin: after its result type, then after each "::" behind that, or, where words
/// have dots between them, each "/" and each "." behind all of these.
std::vector<size_t> beginnings(std::string_view name, bool has_dots) {
    size_t result_end = 0;
    std::vector<size_t> scopes;
    for (size_t at = 0; at < name.size();) {
        if (const size_t end = word_end(name, at); end > at) {
            at = end;
        } else if (name.substr(at).starts_with("operator ")) {
            break;  // a conversion: what follows is its type
        } else if (closing(name[at])) {
            const size_t end = group_end(name, at);
            at = end == name.npos ? name.size() : end;
        } else if (name.substr(at).starts_with(scope)) {
            at += scope.size();
            scopes.push_back(at);
        } else if (has_dots && (name[at] == '/' || (name[at] == '.' && name.find('/', at) == name.npos))) {
            scopes.push_back(++at);
        } else if (name[at++] == ' ') {
            result_end = at;
            scopes.clear();
        }
    }
    if (result_end > 0) scopes.insert(scopes.begin(), result_end);
    return scopes;
}

/// The first of the forms that fits, else the last one, cut.
std::string fit_name(const std::string& name, size_t room) {
    const std::vector<std::string> forms = short_forms(name);
    const auto fits = [&](const std::string& form) { return columns_of(form) <= room; };
    const auto form = std::ranges::find_if(forms, fits);
    return form == forms.end() ? cut_text(forms.back(), room) : *form;
}

size_t common_prefix(std::string_view a, std::string_view b) {
    return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

/// The part of each name that is not the same in all of them, made longer to whole words.
std::vector<std::string_view> differing_parts(const std::vector<std::string_view>& names) {
    const std::string_view first = names.front();
    size_t prefix = first.size(), suffix = first.size();
    for (const std::string_view name : names) {
        prefix = std::min(prefix, common_prefix(first, name));
        const std::string reversed_first(first.rbegin(), first.rend()), reversed(name.rbegin(), name.rend());
        suffix = std::min(suffix, common_prefix(reversed_first, reversed));
    }
    for (const std::string_view name : names)
        suffix = std::min(suffix, name.size() - prefix);
    while (prefix > 0 && is_word(first[prefix - 1]))
        --prefix;
    while (suffix > 0 && is_word(first[first.size() - suffix]))
        --suffix;
    std::vector<std::string_view> parts;
    for (const std::string_view name : names)
        parts.push_back(name.substr(prefix, name.size() - suffix - prefix));
    return parts;
}

/// What to show for a name whose short form is another's, too: with the part that differs, or only what is
/// from there on where there is no room for both.
std::string with_difference(const std::string& shown, std::string_view name, std::string_view part,
                            size_t room) {
    constexpr size_t least = 8;  // columns of a part that a reader can make sense of
    const std::string brief = short_forms(name).back();
    const std::string& head = columns_of(shown) + least + 3 <= room ? shown : brief;
    if (part.empty()) return shown;
    const size_t used = columns_of(head) + 3;  // " [" and "]"
    if (used + std::min(least, columns_of(part)) <= room && part.size() < name.size())
        return head + " [" + cut_text(part, room - used) + "]";
    return cut_text(std::string(left_out) + std::string(name.substr(part.data() - name.data())), room);
}

/// Gives every text once, with a number where it was given already.
class DistinctTexts {
public:
    std::string take(const std::string& text, size_t room) {
        if (taken_.insert(text).second) return text;
        for (size_t n = 2;;) {
            const std::string number = " #" + std::to_string(n);
            const std::string head = cut_text(text, room > number.size() ? room - number.size() : 0);
            size_t& next = next_[head];
            if (n < next) {  // again: a longer number may have a shorter head
                n = next;
                continue;
            }
            next = ++n;
            if (taken_.insert(head + number).second) return head + number;
        }
    }

private:
    std::set<std::string> taken_;
    std::map<std::string, size_t> next_;  ///< by what the number follows: all smaller ones are taken
};

}  // namespace

size_t columns_of(std::string_view text) {
    return static_cast<size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string cut_text(std::string_view text, size_t width) {
    if (columns_of(text) <= width) return std::string(text);
    const size_t kept = width > cut_mark.size() ? width - cut_mark.size() : 0;
    size_t end = 0;
    for (size_t columns = 0; columns < kept || columns_of(text.substr(end, 1)) == 0; ++end)
        columns += columns_of(text.substr(end, 1));
    return std::string(text.substr(0, end)).append(cut_mark.substr(0, width));
}

std::vector<std::string> short_forms(std::string_view name) {
    constexpr std::string_view clone_mark = " [clone ";
    std::vector<std::string> forms{std::string(name)};
    if (name.size() > longest_parsed) return forms;
    const std::string_view tail = name.substr(std::min(name.find(clone_mark), name.size()));
    const auto pieces = pieces_of(name.substr(0, name.size() - tail.size()));
    const auto add = [&](const std::string& form) {
        if (columns_of(form) + columns_of(tail) < columns_of(forms.back()))
            forms.push_back(form + std::string(tail));
    };
    const bool has_dots = is_java_method(name) || is_go_function(name);
    const bool is_plain =
        !has_dots && name.find(scope) == name.npos &&
        std::ranges::all_of(pieces, [](const Piece& piece) { return piece.kind == Piece::Kind::text; });
    if (pieces.empty() || is_plain) return forms;
    add(without_arguments(pieces));
    const std::string bare = without_parameters(pieces);
    add(bare);
    for (const size_t begin : beginnings(bare, has_dots))
        add(bare.substr(begin));
    return forms;
}

std::map<std::string, std::string> fit_names(const std::map<std::string, size_t>& room_by_name) {
    std::map<std::string, std::vector<std::string_view>> names_by_form;
    for (const auto& [name, room] : room_by_name)
        names_by_form[fit_name(name, room)].push_back(name);
    std::map<std::string, std::string> shown;
    DistinctTexts distinct;
    for (const auto& [name, room] : room_by_name)  // those that are whole keep their name
        if (columns_of(name) <= room) shown[name] = distinct.take(name, room);
    for (const auto& [form, names] : names_by_form) {
        const auto parts = differing_parts(names);
        for (size_t i = 0; i < names.size(); ++i) {
            const std::string name(names[i]);
            const size_t room = room_by_name.at(name);
            if (columns_of(name) <= room) continue;
            shown[name] = distinct.take(
                names.size() == 1 ? form : with_difference(form, names[i], parts[i], room), room);
        }
    }
    return shown;
}

}  // namespace op::pp
