// SPDX-License-Identifier: GPL-2.0-or-later
// Mangled names whose demangling would take time out of proportion, recognised before it begins: libiberty
// cannot be interrupted, and some names of a hundred characters would keep it busy for years. Knows no more
// of the grammars than that takes, and may take an unusual honest name for a hostile one.
#pragma once

#include <string_view>

namespace op::pp {

/// False if parsing may take exponential time. Printing is not considered.
bool is_cheap_cpp_name(std::string_view mangled);
/// False if skipping parts of a Rust name may take long. Old Rust names, which are C++ names, are cheap.
bool is_cheap_rust_name(std::string_view mangled);
/// False if parsing or printing a D name may take exponential time.
bool is_cheap_d_name(std::string_view mangled);

}  // namespace op::pp
