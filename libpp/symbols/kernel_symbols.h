// SPDX-License-Identifier: GPL-2.0-or-later
// Symbols of the kernel and its modules from a kallsyms text. See proc(5).
#pragma once

#include <string_view>
#include <vector>

#include "libop/base/address.h"
#include "libop/base/kallsyms.h"
#include "libpp/symbols/symbolizer.h"

namespace op::pp {

/// A kallsyms text, read once for all the images in it.
class KernelSymbols {
public:
    /// `kallsyms` must outlive the object and the names it returns.
    explicit KernelSymbols(std::string_view kallsyms);

    /// The symbols of one kernel image, sorted by start, ranges up to the next symbol. `module` is its bare
    /// name,
    /// "" for the kernel itself. Offsets count from `start`; 0 = from the image's first symbol. `length`
    /// bounds the last symbol; 0 = unknown, then it is 4 KiB long.
    std::vector<ImageSymbol> of(std::string_view module, uint64_t start, uint64_t length) const;

private:
    std::vector<KallsymsLine> lines_;  ///< sorted by module and address, one at each
};

}  // namespace op::pp
