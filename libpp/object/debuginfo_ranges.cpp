// SPDX-License-Identifier: GPL-2.0-or-later
// Reading range lists.
#include "libpp/object/debuginfo_ranges.h"

#include <dwarf.h>
#include <gelf.h>

#include "libpp/object/debuginfo_section.h"

namespace op::pp {

namespace {

constexpr size_t word = sizeof(uint64_t);

bool is_plain(Elf* elf, uint8_t address_size) {
    const char* const ident = elf_getident(elf, nullptr);
    return ident && address_size == word &&
           (ident[EI_DATA] == ELFDATA2LSB) == (__BYTE_ORDER == __LITTLE_ENDIAN);
}

}  // namespace

RangeLists::RangeLists(Dwarf_Die unit) {
    Dwarf_Half version = 0;
    uint8_t address_size = 0;
    Elf* const elf = dwarf_getelf(dwarf_cu_getdwarf(unit.cu));
    if (dwarf_cu_info(unit.cu, &version, nullptr, nullptr, nullptr, nullptr, &address_size, nullptr) != 0 ||
        !is_plain(elf, address_size))
        return;
    has_kinds_ = version >= 5;
    section_.rest = section_content(elf, has_kinds_ ? ".debug_rnglists" : ".debug_ranges");
    Dwarf_Attribute found;
    Dwarf_Addr low = 0;
    if (dwarf_attr(&unit, DW_AT_low_pc, &found) && dwarf_formaddr(&found, &low) == 0) base_ = low;
}

RangeLists::Entry RangeLists::read_pair(DwarfCursor& at, uint64_t& base, RangeMap::Range& range) const {
    uint64_t start = 0, end = 0;
    if (!at.number(word, start) || !at.number(word, end)) return Entry::unknown;
    if (start == 0 && end == 0) return Entry::end;
    if (start == UINT64_MAX) {
        base = end;
        return Entry::base;
    }
    range.start = base + start;
    range.end = base + end;
    return Entry::range;
}

RangeLists::Entry RangeLists::read(DwarfCursor& at, uint64_t& base, RangeMap::Range& range) const {
    if (!has_kinds_) return read_pair(at, base, range);
    uint64_t kind = 0, start = 0, end = 0;
    if (!at.number(1, kind)) return Entry::unknown;
    switch (kind) {
        case DW_RLE_end_of_list:
            return Entry::end;
        case DW_RLE_base_address:
            return at.number(word, base) ? Entry::base : Entry::unknown;
        case DW_RLE_offset_pair:
            if (!at.leb(start) || !at.leb(end)) return Entry::unknown;
            range.start = base + start;
            range.end = base + end;
            return Entry::range;
        case DW_RLE_start_end:
            return at.number(word, range.start) && at.number(word, range.end) ? Entry::range : Entry::unknown;
        case DW_RLE_start_length:
            if (!at.number(word, range.start) || !at.leb(end)) return Entry::unknown;
            range.end = range.start + end;
            return Entry::range;
        default:
            return Entry::unknown;
    }
}

bool RangeLists::add(uint64_t offset, uint32_t number, size_t& budget,
                     std::vector<RangeMap::Range>& ranges) const {
    DwarfCursor at = section_;
    if (!at.skip(offset)) return false;
    const size_t before = ranges.size();
    uint64_t base = base_;
    RangeMap::Range range{0, 0, number};
    for (; budget > 0; --budget) {
        const Entry entry = read(at, base, range);
        if (entry == Entry::range) ranges.push_back(range);
        if (entry == Entry::end) return true;
        if (entry == Entry::unknown) {
            ranges.resize(before);
            return false;
        }
    }
    return true;
}

}  // namespace op::pp
