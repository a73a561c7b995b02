// SPDX-License-Identifier: GPL-2.0-or-later
// Names of C++, Rust and D symbols as their authors wrote them. The one door to libiberty.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace op::pp {

/// How names are shown: `none` = as in the object file, `normal` = demangled with parameters, `smart` =
/// demangled and shortened (std:: and default template arguments folded).
enum class Demangle : uint8_t { none, normal, smart };

/// The name in the wanted form. A name that is not mangled, or suspiciously long in either form, is returned
/// unchanged.
std::string demangle(std::string_view name, Demangle mode);

/// A demangled name without std::, default allocators and character traits; strings and streams by their
/// short names.
std::string shorten(std::string name);

}  // namespace op::pp
