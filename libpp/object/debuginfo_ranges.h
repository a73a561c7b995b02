// SPDX-License-Identifier: GPL-2.0-or-later
// The range lists of one compilation unit. Most inlined calls have one, so they are read here and not by
// libdw, which looks up the unit's base for each. Behind the door to elfutils. See DWARF
// 5, 2.17.3 "Non-Contiguous Address Ranges", and 7.25, DWARF 4, 2.17.3.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <vector>

#include "libpp/object/debuginfo_cursor.h"
#include "libpp/object/range_map.h"

namespace op::pp {

/// Finds lists by their place in the section. Valid as long as the unit's Dwarf.
class RangeLists {
public:
    RangeLists() = default;
    /// `unit` is the unit's entry.
    explicit RangeLists(Dwarf_Die unit);

    /// Adds the ranges of the list at `offset` with that number, including empty ones. Each entry that is
    /// read reduces `budget`; reading ends at 0. Returns false and adds nothing if this class cannot read the
    /// list: it is damaged, gives addresses by index, or belongs to a file of another byte order or word
    /// size.
    bool add(uint64_t offset, uint32_t number, size_t& budget, std::vector<RangeMap::Range>& ranges) const;

private:
    /// One step through a list.
    enum class Entry : uint8_t { range, base, end, unknown };
    Entry read(DwarfCursor& at, uint64_t& base, RangeMap::Range& range) const;
    Entry read_pair(DwarfCursor& at, uint64_t& base, RangeMap::Range& range) const;

    DwarfCursor section_;     ///< empty = no list is read here
    uint64_t base_ = 0;       ///< of the unit
    bool has_kinds_ = false;  ///< DWARF 5: entries begin with their kind
};

}  // namespace op::pp
