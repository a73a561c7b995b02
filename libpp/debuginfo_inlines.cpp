// SPDX-License-Identifier: GPL-2.0-or-later
// One walk over the entries of a unit.
#include "libpp/debuginfo_inlines.h"

#include <dwarf.h>

namespace op::pp {

namespace {

constexpr uint32_t no_scope = FunctionScope::no_scope;

uint32_t number(Dwarf_Die& die, unsigned attribute) {
    Dwarf_Attribute found;
    Dwarf_Word value = 0;
    if (!dwarf_attr(&die, attribute, &found) || dwarf_formudata(&found, &value) != 0) return 0;
    return value <= UINT32_MAX ? static_cast<uint32_t>(value) : 0;
}

std::string_view text(Dwarf_Die& die, unsigned attribute) {
    Dwarf_Attribute found;
    const char* const value =
        dwarf_attr_integrate(&die, attribute, &found) ? dwarf_formstring(&found) : nullptr;
    return value ? value : "";
}

std::string_view function_name(Dwarf_Die& die) {
    for (const unsigned attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name})
        if (const auto name = text(die, attribute); !name.empty()) return name;
    return "";
}

}  // namespace

InlineTable::InlineTable(Dwarf_Die unit, uint64_t base, const IsCode& is_code, size_t range_limit)
    : dwarf_(dwarf_cu_getdwarf(unit.cu)) {
    std::vector<RangeMap::Range> ranges;
    for (FunctionWalk walk(unit, no_scope); walk.next();) {
        if (!add_ranges(walk, base, is_code, range_limit, ranges)) continue;
        const uint32_t parent = walk.is_inlined() ? walk.scope() : no_scope;
        walk.enter(static_cast<uint32_t>(entries_.size()));
        entries_.push_back({{parent, {}, 0, 0}, walk.die().addr});
    }
    by_address_ = RangeMap(std::move(ranges));
}

/// Adds the ranges of a scope that is about to become an entry; false if it has none.
bool InlineTable::add_ranges(FunctionWalk& walk, uint64_t base, const IsCode& is_code, size_t range_limit,
                             std::vector<RangeMap::Range>& ranges) const {
    const size_t before = ranges.size();
    const auto number = static_cast<uint32_t>(entries_.size());
    if (const auto extent = walk.extent()) {
        if (extent->start < extent->end && is_code(extent->start) && ranges.size() < range_limit)
            ranges.push_back({extent->start, extent->end, number});
        return ranges.size() > before;
    }
    Dwarf_Die& die = walk.die();
    const bool is_list = base != 0 && dwarf_hasattr(&die, DW_AT_ranges);
    Dwarf_Addr list_base, start, end;
    for (ptrdiff_t at = 0;
         ranges.size() < range_limit && (at = dwarf_ranges(&die, at, &list_base, &start, &end)) > 0;) {
        const uint64_t shift = is_list && list_base == 0 ? base : 0;
        if (start < end && is_code(start + shift)) ranges.push_back({start + shift, end + shift, number});
    }
    return ranges.size() > before;
}

/// The name is the function's, whose other inlined calls share it.
std::string_view InlineTable::name_of(Dwarf_Die& die) {
    Dwarf_Attribute found;
    Dwarf_Die origin;
    if (!dwarf_attr(&die, DW_AT_abstract_origin, &found) || !dwarf_formref_die(&found, &origin))
        return function_name(die);
    const auto [name, is_new] = names_.try_emplace(origin.addr);
    if (is_new) name->second = function_name(origin);
    return name->second;
}

const FunctionScope& InlineTable::read(Entry& entry) {
    Dwarf_Die die;
    if (entry.is_read || !dwarf_die_addr_die(dwarf_, entry.die, &die)) return entry.scope;
    entry.is_read = true;
    entry.scope.name = name_of(die);
    entry.scope.call_file = number(die, DW_AT_call_file);
    entry.scope.call_line = number(die, DW_AT_call_line);
    return entry.scope;
}

std::span<const FunctionScope> InlineTable::find(uint64_t address) {
    found_.clear();
    const auto innermost = by_address_.find(address);
    if (!innermost) return {};
    for (uint32_t i = *innermost; i != no_scope; i = entries_[i].scope.parent)
        found_.push_back(read(entries_[i]));
    return found_;
}

}  // namespace op::pp
