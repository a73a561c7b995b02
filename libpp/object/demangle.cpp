// SPDX-License-Identifier: GPL-2.0-or-later
// Demangling through libiberty, and the shortening of its results.
#include "libpp/object/demangle.h"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "libpp/object/demangle_effort.h"
#include "libpp/object/plt_stubs.h"

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
/// Components of a C++ name, each as often as it is printed.
constexpr int most_components = 32 << 10;
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
template <class Print>
bool print(Print demangle_to, Output& out) {
    out.used = 0;
    if (setjmp(out.too_long) != 0) return false;
    return demangle_to(take, &out) != 0;
}

/// The components that a component holds (libiberty/demangle.h). Those that hold only a name or a number give
/// none.
std::array<const demangle_component*, 2> inner_of(const demangle_component& part) {
    switch (part.type) {
        case DEMANGLE_COMPONENT_NAME:
        case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
        case DEMANGLE_COMPONENT_FUNCTION_PARAM:
        case DEMANGLE_COMPONENT_SUB_STD:
        case DEMANGLE_COMPONENT_OPERATOR:
        case DEMANGLE_COMPONENT_BUILTIN_TYPE:
#if HAVE_DECL_DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE  // since binutils 2.39
        case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
#endif
        case DEMANGLE_COMPONENT_CHARACTER:
        case DEMANGLE_COMPONENT_NUMBER:
        case DEMANGLE_COMPONENT_UNNAMED_TYPE:
        case DEMANGLE_COMPONENT_CTOR:
        case DEMANGLE_COMPONENT_DTOR:
        case DEMANGLE_COMPONENT_FIXED_TYPE:
        case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
            return {};
        case DEMANGLE_COMPONENT_DEFAULT_ARG:
        case DEMANGLE_COMPONENT_LAMBDA:
            return {part.u.s_unary_num.sub, nullptr};
        default:
            return {part.u.s_binary.left, part.u.s_binary.right};
    }
}

/// True if not too much is printed: a substitution is the whole component that it refers to, and
/// libiberty searches such trees for packs without printing anything, so that the length of the output is no
/// limit.
bool is_small(const demangle_component& root) {
    std::vector<const demangle_component*> open;
    open.reserve(64);  // enough for most names: one allocation
    open.push_back(&root);
    for (int components = 0; !open.empty(); ++components) {
        if (components == most_components) return false;
        const demangle_component& part = *open.back();
        open.pop_back();
        for (const demangle_component* inner : inner_of(part))
            if (inner) open.push_back(inner);
    }
    return true;
}

bool demangle_cpp(const std::string& mangled, Output& out) {
    if (mangled.size() > longest_cpp_name || !is_cheap_cpp_name(mangled)) return false;
    constexpr int how = options | DMGL_NO_RECURSE_LIMIT;
    void* memory = nullptr;
    demangle_component* const root = ::cplus_demangle_v3_components(mangled.c_str(), how, &memory);
    const std::unique_ptr<void, decltype(&std::free)> owner(memory, std::free);
    return root && is_small(*root) &&
           print(
               [root](auto take, Output* to) { return ::cplus_demangle_print_callback(how, root, take, to); },
               out);
}

bool demangle_rust(const std::string& mangled, Output& out) {
    return is_cheap_rust_name(mangled) &&
           print(
               [&mangled](auto take, Output* to) {
                   return ::rust_demangle_callback(mangled.c_str(), options, take, to);
               },
               out);
}

/// What a function is for that the compiler made to construct or destroy the objects of a file with one key
/// function: "_GLOBAL__I_" or "_GLOBAL__D_" and that function's name, with '.' or '$' for the third '_' on
/// some systems. libiberty reads these prefixes, but not where it returns components.
std::string_view purpose_of(std::string_view mangled) {
    constexpr std::string_view start = "_GLOBAL_";
    if (mangled.size() < start.size() + 4 || !mangled.starts_with(start)) return "";
    const char separator = mangled[start.size()], kind = mangled[start.size() + 1];
    if ((separator != '_' && separator != '.' && separator != '$') || mangled[start.size() + 2] != '_')
        return "";
    if (kind == 'I') return "global constructors keyed to ";
    return kind == 'D' ? "global destructors keyed to " : "";
}

std::string demangle_cpp_or_rust(const std::string& mangled, std::string_view otherwise) {
    constexpr size_t purpose_length = std::string_view("_GLOBAL__I_").size();
    if (const std::string_view purpose = purpose_of(mangled); !purpose.empty()) {
        const std::string key = mangled.substr(purpose_length);
        return std::string(purpose) + (key.starts_with("_Z") ? demangle_cpp_or_rust(key, key) : key);
    }
    Output out;
    // Old Rust names are C++ names too, so Rust goes first.
    const bool done = demangle_rust(mangled, out) || demangle_cpp(mangled, out);
    return done ? std::string(out.text, out.used) : std::string(otherwise);
}

std::string demangle_d(const std::string& mangled, std::string_view otherwise) {
    if (!is_cheap_d_name(mangled)) return std::string(otherwise);
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

std::string demangle_symbol(std::string_view name, Demangle mode) {
    std::string_view bare = name;
    if (bare.starts_with('.')) bare.remove_prefix(1);
    if (bare.size() < 3 || bare[0] != '_') return std::string(name);
    const std::string mangled(bare);
    std::string plain =
        bare.starts_with("_D") ? demangle_d(mangled, name) : demangle_cpp_or_rust(mangled, name);
    return mode == Demangle::smart && plain != name ? shorten(std::move(plain)) : plain;
}

}  // namespace

std::string demangle(std::string_view name, Demangle mode) {
    if (mode == Demangle::none || name.size() > longest_name) return std::string(name);
    if (name.ends_with(stub_suffix)) {
        const std::string_view function = name.substr(0, name.size() - stub_suffix.size());
        return demangle_symbol(function, mode) + std::string(stub_suffix);
    }
    return demangle_symbol(name, mode);
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
