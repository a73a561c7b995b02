// SPDX-License-Identifier: GPL-2.0-or-later
// Shortens demangled names to the width of a terminal: template arguments, parameters and namespaces go
// before the last component does. Names that differ stay different.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace op::pp {

/// Columns of a terminal that the text takes, each character of UTF-8 one.
size_t columns_of(std::string_view text);

/// The text, cut so that it takes no more than `width` columns; "..." is where it was cut.
std::string cut_text(std::string_view text, size_t width);

/// The forms of a name, each shorter than the one before: all of it; without the arguments of its templates,
/// "std::_Rb_tree<…>::_M_insert(int)"; without parameters; without result type and namespaces, the last being
/// its last component. A name that is no C++ or Rust name, or longer than 4 KiB, has one form.
std::vector<std::string> short_forms(std::string_view name);

/// The names to show for names that have that many columns each. A name that fits stays as it is. Names that
/// would look the same have what they differ by after them, in brackets, or a number.
std::map<std::string, std::string> fit_names(const std::map<std::string, size_t>& room_by_name);

}  // namespace op::pp
