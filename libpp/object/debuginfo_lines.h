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
    /// `bytes` (an ELF file) must outlive the table. A file without debug information
    /// has no lines; a relocatable one is taken to lie as relocatable_layout() computes. What it shares with
    /// others, and split units, are looked for in `places`.
    explicit LineTable(std::span<const std::byte> bytes, DebugPlaces places = {});
    ~LineTable();

    /// True if there is debug information at all.
    bool has_lines() const noexcept;
    /// Where the instruction at a link address comes from. Names are valid as long as the table.
    std::optional<SourceLine> find(LinkAddress address);
    /// The functions at a link address, the innermost inlined one first, the one that has the code last. At
    /// least one if there is debug information for the address, else none.
    std::vector<InlineFrame> frames(LinkAddress address);
    /// The names of the functions inlined at a link address, innermost first, no more than `most`; without
    /// those that have no name, and without the function that has the code. Takes no look at lines.
    std::vector<std::string_view> inlined_functions(LinkAddress address, size_t most);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace op::pp
