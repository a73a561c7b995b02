// SPDX-License-Identifier: GPL-2.0-or-later
// Names for the stubs through which a binary calls functions of others (psABI of x86-64 and of AArch64,
// "Procedure Linkage Table"). No symbol table has them.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libop/base/object_file.h"
#include "libpp/object/machine.h"

namespace op::pp {

/// The end of a stub's name: "read@plt" calls read().
inline constexpr std::string_view stub_suffix = "@plt";

/// The stubs of one file of x86-64 or AArch64; of others none.
class PltStubs {
public:
    /// Reads the stubs' instructions in the sections named .plt*, and the relocations and dynamic symbols
    /// that name the slots they jump through. A function that is chosen at run time (IRELATIVE) has the name
    /// of the symbol of `symbols` at its resolver, else "*ABS*+0xRESOLVER" as objdump has it. Bytes that make
    /// no sense give no name.
    PltStubs(const Machine& machine, std::span<const Section> sections, std::vector<RawSymbol> symbols);

    /// One symbol for each stub, sorted by address within a section. One without a name where code without a
    /// known name follows a stub. Valid as long as this object.
    std::span<const RawSymbol> symbols() const noexcept { return symbols_; }

private:
    std::deque<std::string> names_;
    std::vector<RawSymbol> symbols_;
};

}  // namespace op::pp
