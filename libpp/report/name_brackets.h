// SPDX-License-Identifier: GPL-2.0-or-later
// The brackets of demangled names and the operators that are not brackets.
#pragma once

#include <cstddef>
#include <string_view>

namespace op::pp {

/// True for the characters of an identifier.
bool is_word(char c);

/// The bracket that closes this one; 0 if it opens none.
char closing(char opening);

/// The end of "operator<<" and the like at `at`, or `at` without one. Brackets in it are skipped.
size_t operator_end(std::string_view name, size_t at);

/// The end of the group that the bracket at `at` opens; npos if it is never closed. A '>' within round
/// brackets compares.
size_t group_end(std::string_view name, size_t at);

/// True if some group of the name is never closed.
bool has_open_bracket(std::string_view name);

}  // namespace op::pp
