// SPDX-License-Identifier: GPL-2.0-or-later
// Demangling through libiberty, and the shortening of its results.
#include "libpp/object/demangle.h"

#include <algorithm>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <memory>

#define HAVE_DECL_BASENAME 1  // libiberty would declare it otherwise than glibc
#include <libiberty/demangle.h>

namespace op::pp {
namespace {

/// Longer names are hostile or useless; demangling may take time out of proportion.
constexpr size_t longest_name = 16384;
/// Back references double a name's length with every few characters: 250 can expand to half a gigabyte.
constexpr size_t longest_result = 64 << 10;
/// libiberty gives up C++ names over 1024 characters, for the sake of the stack, unless an option forbids it;
/// this many take no more than a megabyte of it.
constexpr size_t longest_cpp_name = 4096;
/// D names have no such brake: this many back references expand to a few megabytes at most.
constexpr ptrdiff_t most_d_references = 30;
constexpr int options = DMGL_PARAMS | DMGL_ANSI;

/// The text that a demangler has printed so far, and the exit if it gets too long.
struct Output {
    char text[longest_result];
    size_t used;
    std::jmp_buf too_long;
};

void take(const char* part, size_t size, void* opaque) {
    auto& out = *static_cast<Output*>(opaque);
    if (size > sizeof out.text - out.used) std::longjmp(out.too_long, 1);
    std::copy_n(part, size, out.text + out.used);  // `part` may be null if it is empty
    out.used += size;
}

/// The printing cannot be ended but by jumping over libiberty, whose printers own nothing; nothing between
/// here and take() has a destructor.
bool print(decltype(::rust_demangle_callback)* demangler, const char* mangled, int how, Output& out) {
    out.used = 0;
    if (setjmp(out.too_long) != 0) return false;
    return demangler(mangled, how, take, &out) != 0;
}

std::string demangle_cpp_or_rust(const std::string& mangled, std::string_view otherwise) {
    Output out;
    const int how = options | (mangled.size() <= longest_cpp_name ? DMGL_NO_RECURSE_LIMIT : 0);
    // Old Rust names are C++ names too, so Rust goes first.
    const bool done = print(::rust_demangle_callback, mangled.c_str(), options, out) ||
                      print(::cplus_demangle_v3_callback, mangled.c_str(), how, out);
    return done ? std::string(out.text, out.used) : std::string(otherwise);
}

std::string demangle_d(const std::string& mangled, std::string_view otherwise) {
    if (std::ranges::count(mangled, 'Q') > most_d_references) return std::string(otherwise);
    const std::unique_ptr<char, decltype(&std::free)> text(::dlang_demangle(mangled.c_str(), options),
                                                           std::free);
    return text && std::strlen(text.get()) <= longest_result ? text.get() : std::string(otherwise);
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
    size_t at = text.find(what);
    if (at == text.npos) return;
    std::string result;
    size_t done = 0;
    for (; at != text.npos; at = text.find(what, done)) {
        result.append(text, done, at - done).append(by);
        done = at + what.size();
    }
    text = std::move(result.append(text, done));
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
    std::string plain =
        bare.starts_with("_D") ? demangle_d(mangled, name) : demangle_cpp_or_rust(mangled, name);
    return mode == Demangle::smart && plain != name ? shorten(std::move(plain)) : plain;
}

std::string shorten(std::string name) {
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
