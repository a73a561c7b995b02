// SPDX-License-Identifier: GPL-2.0-or-later
// Symbols of the kernel and its modules from a kallsyms text. See proc(5).
#pragma once

#include <string_view>
#include <vector>

#include "libop/address.h"
#include "libpp/symbolizer.h"

namespace op::pp {

/// The symbols of one kernel image in a kallsyms text, sorted by start, ranges up to the next symbol.
/// `module` is its bare name, "" for the kernel itself (then from _text or _stext to _etext). Offsets count
/// from `start`; 0 = from the image's first symbol. `length` bounds the last symbol; 0 = unknown, then it is
/// 4 KiB long. Names are views into the text.
std::vector<ImageSymbol> kallsyms_symbols(std::string_view kallsyms, std::string_view module, uint64_t start,
                                          uint64_t length);

}  // namespace op::pp
