// SPDX-License-Identifier: GPL-2.0-or-later
// Demangling through libiberty, and the shortening of what it gives.
#include "libpp/demangle.h"

#include <cstdlib>
#include <memory>

#define HAVE_DECL_BASENAME 1  // libiberty would declare it otherwise than glibc
#include <libiberty/demangle.h>

namespace op::pp {
namespace {

/// Longer names are hostile or useless; demangling may take time out of proportion.
constexpr size_t longest_name = 16384;
constexpr int options = DMGL_PARAMS | DMGL_ANSI;

std::string to_string(char* text, std::string_view otherwise) {
    const std::unique_ptr<char, decltype(&std::free)> owner(text, std::free);
    return text ? text : std::string(otherwise);
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
    for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size())
        text.replace(at, what.size(), by);
}

/// One past the '>' that closes the '<' at `open`; npos if it is not closed.
size_t after_brackets(std::string_view text, size_t open) {
    int depth = 0;
    for (size_t i = open; i < text.size(); ++i) {
        depth += text[i] == '<';
        depth -= text[i] == '>';
        if (depth == 0) return i + 1;
    }
    return text.npos;
}

/// Removes template arguments that begin with `name`, with the comma before them.
void drop_argument(std::string& text, const std::string& name) {
    const std::string start = ", " + name + "<";
    for (size_t at = 0; (at = text.find(start, at)) != text.npos;) {
        const size_t end = after_brackets(text, at + start.size() - 1);
        if (end == text.npos) return;
        text.erase(at, end - at);
    }
}

}  // namespace

std::string demangle(std::string_view name, Demangle mode) {
    if (mode == Demangle::none || name.size() > longest_name) return std::string(name);
    std::string_view bare = name;
    if (bare.starts_with('.')) bare.remove_prefix(1);
    if (bare.size() < 3 || bare[0] != '_') return std::string(name);
    const std::string mangled(bare);
    std::string plain = bare.starts_with("_D")
                            ? to_string(::dlang_demangle(mangled.c_str(), options), name)
                            : to_string(::cplus_demangle(mangled.c_str(), options | DMGL_AUTO), name);
    return mode == Demangle::smart && plain != name ? shorten(std::move(plain)) : plain;
}

std::string shorten(std::string name) {
    replace_all(name, "std::__cxx11::", "");
    replace_all(name, "std::__1::", "");
    replace_all(name, "std::", "");
    drop_argument(name, "char_traits");
    drop_argument(name, "allocator");
    drop_argument(name, "default_delete");
    drop_argument(name, "less");
    drop_argument(name, "equal_to");
    drop_argument(name, "hash");
    replace_all(name, " >", ">");
    replace_all(name, "basic_string<char>", "string");
    replace_all(name, "basic_string<wchar_t>", "wstring");
    for (const char* stream :
         {"ostream", "istream", "iostream", "stringstream", "ostringstream", "istringstream"})
        replace_all(name, std::string("basic_") + stream + "<char>", stream);
    return name;
}

}  // namespace op::pp
