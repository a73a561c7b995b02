// SPDX-License-Identifier: GPL-2.0-or-later
// The functions of Go programs, which their run-time system needs and stripping therefore leaves (section
// .gopclntab; "Go 1.2 Runtime Symbol Information", and debug/gosym and internal/abi of later releases).
#pragma once

#include <span>
#include <vector>

#include "libop/base/object_file.h"

namespace op::pp {

/// The functions in the table of a Go program of this byte order, layouts of Go 1.2, 1.16, 1.18 and 1.20; a
/// symbol without a name marks the end of the last one. Empty if there is no table, or one that makes no
/// sense. Not of programs before Go 1.18 whose addresses the dynamic linker fills in. Names are valid as long
/// as the sections' bytes.
std::vector<RawSymbol> go_functions(std::span<const Section> sections);

}  // namespace op::pp
