// SPDX-License-Identifier: GPL-2.0-or-later
// The functions of one compilation unit, inlined ones among them, by address. Behind the door to elfutils.
// See DWARF 5, 3.3 "Subroutine and Entry Point Entries".
#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libpp/object/debuginfo_ranges.h"
#include "libpp/object/debuginfo_walk.h"
#include "libpp/object/range_map.h"

namespace op::pp {

/// A function's code, or that of one inlined call of it.
struct FunctionScope {
    std::string_view name;   ///< linkage name, else plain name; valid as long as the Dwarf
    uint32_t call_file = 0;  ///< index into the unit's files; of an inlined call
    uint32_t call_line = 0;  ///< 0 = not known
};

/// Where the source declares a function.
struct Declaration {
    Dwarf_CU* unit;  ///< the unit whose files `file` counts
    uint32_t file, line;
};

/// Finds functions by address. Reads a unit's entries once; names and calls when first found.
class InlineTable {
public:
    /// True if a range that begins at this address may be code.
    using IsCode = std::function<bool(uint64_t)>;

    InlineTable() = default;
    /// `unit` is the unit's entry; its Dwarf must outlive the table. A split unit does not know where its
    /// code begins: for it, `base` is the skeleton's low pc (0 = none, or not split). Each range that is read
    /// reduces `budget`; at 0 no more are read. Entries nested deeper than any compiler does are skipped, and
    /// damaged ones end the table.
    InlineTable(Dwarf_Die unit, uint64_t base, const IsCode& is_code, size_t& budget);

    /// The scopes at an address, innermost first; the last one is not inlined. Empty if none is known. Valid
    /// until the next call.
    std::span<const FunctionScope> find(uint64_t address);
    /// The names of the functions inlined at an address, innermost first, at most `most` of them. Nameless
    /// functions, and the function that is not inlined, are left out.
    std::vector<std::string_view> inlined(uint64_t address, size_t most);
    /// The declaration of a function at an address: the one of that name, else the one that is not inlined.
    /// None if that is not known.
    std::optional<Declaration> declaration(uint64_t address, std::string_view name);

private:
    static constexpr uint32_t no_scope = UINT32_MAX;

    /// A function or inlined call; there are hundreds of thousands.
    struct Entry {
        uint32_t parent;  ///< index of the scope it is inlined into; no_scope = it is not inlined
        uint32_t offset;  ///< in bytes from the start of the unit
        uint32_t origin;  ///< likewise, of the entry that it is an instance of; 0 = libdw has to find it
    };
    bool add_ranges(FunctionWalk& walk, uint64_t base, const IsCode& is_code, size_t& budget,
                    std::vector<RangeMap::Range>& ranges) const;
    bool add_range_list(FunctionWalk& walk, const IsCode& is_code, size_t& budget,
                        std::vector<RangeMap::Range>& ranges) const;
    Dwarf_Die die_at(uint32_t offset) const;
    const FunctionScope& read(uint32_t index);
    std::string_view name_of(const Entry& entry);

    Dwarf_Die unit_{};
    RangeLists lists_;
    std::vector<Entry> entries_;
    RangeMap by_address_;
    std::unordered_map<void*, std::string_view> names_;     ///< by the entry that inlined calls refer to
    std::unordered_map<uint32_t, FunctionScope> found_by_;  ///< by index into entries_
    std::vector<FunctionScope> found_;
};

}  // namespace op::pp
