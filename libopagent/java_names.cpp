// SPDX-License-Identifier: LGPL-2.1-or-later
// Descriptors of types, one after the other.
#include "libopagent/java_names.h"

namespace op::java {
namespace {

const char* primitive(char code) {
    switch (code) {
        case 'B':
            return "byte";
        case 'C':
            return "char";
        case 'D':
            return "double";
        case 'F':
            return "float";
        case 'I':
            return "int";
        case 'J':
            return "long";
        case 'S':
            return "short";
        case 'V':
            return "void";
        case 'Z':
            return "boolean";
        default:
            return nullptr;
    }
}

void append_dotted(Text& to, const char* from, const char* end) {
    for (; from != end; ++from)
        to.append(*from == '/' ? '.' : *from);
}

/// Returns what follows the type, or nullptr if there is no type at that place.
const char* append_type(Text& to, const char* from) {
    size_t dimensions = 0;
    for (; *from == '['; ++from)
        ++dimensions;
    const char* next = nullptr;
    if (const char* const word = primitive(*from)) {
        to.append(word);
        next = from + 1;
    } else if (const char* const end = *from == 'L' ? strchr(from, ';') : nullptr) {
        append_dotted(to, from + 1, end);
        next = end + 1;
    }
    for (; next && dimensions > 0; --dimensions)
        to.append("[]");
    return next;
}

/// The arguments with their parentheses. Returns the result's type; nullptr if it is no signature.
const char* append_arguments(Text& to, const char* from) {
    if (*from++ != '(') return nullptr;
    to.append('(');
    for (bool is_first = true; *from != ')'; is_first = false) {
        if (!is_first) to.append(", ");
        from = append_type(to, from);
        if (!from) return nullptr;
    }
    to.append(')');
    return from + 1;
}

void append_name(Text& to, const char* class_signature, const char* name) {
    append_class(to, class_signature);
    to.append('.');
    to.append(name);
}

}  // namespace

void append_class(Text& to, const char* signature) {
    Text name;
    const char* const next = append_type(name, signature);
    to.append(next && *next == '\0' ? name.c_str() : signature);
}

void append_method(Text& to, const char* class_signature, const char* name, const char* signature) {
    Text arguments, type;
    const char* const result = append_arguments(arguments, signature);
    const char* const next = result ? append_type(type, result) : nullptr;
    const bool is_understood = next && *next == '\0';
    if (is_understood) {
        to.append(type.c_str());
        to.append(' ');
    }
    append_name(to, class_signature, name);
    to.append(is_understood ? arguments.c_str() : signature);
}

void append_source(Text& to, const char* class_signature, const char* file) {
    const char* const package_end = strrchr(class_signature, '/');
    if (*class_signature == 'L' && package_end)
        to.append(class_signature + 1, static_cast<size_t>(package_end - class_signature));
    to.append(file);
}

}  // namespace op::java
