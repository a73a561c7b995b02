// SPDX-License-Identifier: GPL-2.0-or-later
// Source lines and inlined functions through libdw (DWARF 2 to 5). Behind the door to elfutils.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "libop/base/address.h"
#include "libpp/object/debug_places.h"
#include "libpp/object/source_line.h"

namespace op::pp {

/// Source lines and functions of one file. Reads what is needed of a compilation unit once. Damaged
/// debug information results in fewer lines, never in an error. Not thread-safe.
class LineTable {
public:
    /// `bytes` (an ELF file) must outlive the table. A file without debug information has no lines. A file
    /// that libdw must not open (DebugElf) has none either, with a note. The sections of a relocatable file
    /// get the addresses of relocatable_layout(). Shared parts and split units are searched in `places`.
    explicit LineTable(std::span<const std::byte> bytes, DebugPlaces places = {});
    ~LineTable();

    /// True if there is debug information at all.
    bool has_lines() const noexcept;
    /// The source line of the instruction at a link address. Names are valid as long as the table.
    std::optional<SourceLine> find(LinkAddress address);
    /// Where the source declares a function that the instruction at a link address is of: the one of that
    /// linkage name, else the one that contains the code.
    std::optional<SourceLine> declaration(LinkAddress address, std::string_view function);
    /// The functions at a link address: the innermost inlined one first, the one that contains the code last.
    /// At least one if the address has debug information, otherwise none.
    std::vector<InlineFrame> frames(LinkAddress address);
    /// The names of the functions inlined at a link address, innermost first, at most `most`. Nameless
    /// functions, and the function that contains the code, are left out. Reads no lines.
    std::vector<std::string_view> inlined_functions(LinkAddress address, size_t most);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace op::pp
