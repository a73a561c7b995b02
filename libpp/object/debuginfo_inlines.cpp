// SPDX-License-Identifier: GPL-2.0-or-later
// One walk over the entries of a unit.
#include "libpp/object/debuginfo_inlines.h"

#include <dwarf.h>

#include <algorithm>
#include <utility>

namespace op::pp {

namespace {

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

/// A number and the unit that it is of, by the entry or the one that it completes: the declaration of a
/// member or of an inlined function.
std::optional<std::pair<Dwarf_CU*, uint32_t>> number_of_function(Dwarf_Die& die, unsigned attribute) {
    Dwarf_Attribute found;
    Dwarf_Word value = 0;
    if (!dwarf_attr_integrate(&die, attribute, &found) || dwarf_formudata(&found, &value) != 0 ||
        value > UINT32_MAX)
        return std::nullopt;
    return std::pair(found.cu, static_cast<uint32_t>(value));
}

std::string_view function_name(Dwarf_Die& die) {
    for (const unsigned attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name})
        if (const auto name = text(die, attribute); !name.empty()) return name;
    return "";
}

}  // namespace

InlineTable::InlineTable(Dwarf_Die unit, uint64_t base, const IsCode& is_code, size_t& budget)
    : unit_(unit), lists_(unit) {
    std::vector<RangeMap::Range> ranges;
    for (FunctionWalk walk(unit, no_scope); walk.next() && walk.offset() <= UINT32_MAX;) {
        if (!add_ranges(walk, base, is_code, budget, ranges)) continue;
        const uint32_t parent = walk.is_inlined() ? walk.scope() : no_scope;
        walk.enter(static_cast<uint32_t>(entries_.size()));
        const bool is_inside = walk.origin() < walk.unit_size();
        entries_.push_back({parent, static_cast<uint32_t>(walk.offset()),
                            static_cast<uint32_t>(is_inside ? walk.origin() : 0)});
    }
    by_address_ = RangeMap(std::move(ranges));
}

/// Adds the ranges of a scope that is about to become an entry; false if it has none.
bool InlineTable::add_ranges(FunctionWalk& walk, uint64_t base, const IsCode& is_code, size_t& budget,
                             std::vector<RangeMap::Range>& ranges) const {
    const size_t before = ranges.size();
    const auto number = static_cast<uint32_t>(entries_.size());
    if (const auto extent = walk.extent()) {
        if (extent->start < extent->end && is_code(extent->start) && budget > 0) {
            ranges.push_back({extent->start, extent->end, number});
            --budget;
        }
        return ranges.size() > before;
    }
    if (base == 0 && add_range_list(walk, is_code, budget, ranges)) return ranges.size() > before;
    Dwarf_Die& die = walk.die();
    const bool is_list = base != 0 && dwarf_hasattr(&die, DW_AT_ranges);
    Dwarf_Addr list_base, start, end;
    for (ptrdiff_t at = 0; budget > 0 && (at = dwarf_ranges(&die, at, &list_base, &start, &end)) > 0;
         --budget) {
        const uint64_t shift = is_list && list_base == 0 ? base : 0;
        if (start < end && is_code(start + shift)) ranges.push_back({start + shift, end + shift, number});
    }
    return ranges.size() > before;
}

/// False if libdw has to read the list.
bool InlineTable::add_range_list(FunctionWalk& walk, const IsCode& is_code, size_t& budget,
                                 std::vector<RangeMap::Range>& ranges) const {
    const auto number = static_cast<uint32_t>(entries_.size());
    const size_t before = ranges.size();
    const auto list = walk.range_list();
    if (!list || !lists_.add(*list, number, budget, ranges)) return false;
    const auto is_void = [&](const auto& range) { return range.start >= range.end || !is_code(range.start); };
    ranges.erase(std::remove_if(ranges.begin() + before, ranges.end(), is_void), ranges.end());
    return true;
}

Dwarf_Die InlineTable::die_at(uint32_t offset) const {
    Dwarf_Die die{};
    const Dwarf_Off entry = dwarf_dieoffset(const_cast<Dwarf_Die*>(&unit_));
    const Dwarf_Off start = entry - dwarf_cuoffset(const_cast<Dwarf_Die*>(&unit_));
    die.addr = static_cast<unsigned char*>(unit_.addr) - (entry - start) + offset;
    die.cu = unit_.cu;
    return die;
}

/// The name is the function's, whose other inlined calls share it.
std::string_view InlineTable::name_of(const Entry& entry) {
    Dwarf_Die die = die_at(entry.origin ? entry.origin : entry.offset), origin;
    Dwarf_Attribute found;
    if (entry.origin == 0 && dwarf_attr(&die, DW_AT_abstract_origin, &found) &&
        dwarf_formref_die(&found, &origin))
        die = origin;
    const auto [name, is_new] = names_.try_emplace(die.addr);
    if (is_new) name->second = function_name(die);
    return name->second;
}

const FunctionScope& InlineTable::read(uint32_t index) {
    const auto [at, is_new] = found_by_.try_emplace(index);
    if (!is_new) return at->second;
    Dwarf_Die die = die_at(entries_[index].offset);
    at->second = {name_of(entries_[index]), number(die, DW_AT_call_file), number(die, DW_AT_call_line)};
    return at->second;
}

std::span<const FunctionScope> InlineTable::find(uint64_t address) {
    found_.clear();
    const auto innermost = by_address_.find(address);
    if (!innermost) return {};
    for (uint32_t i = *innermost; i != no_scope; i = entries_[i].parent)
        found_.push_back(read(i));
    return found_;
}

std::optional<Declaration> InlineTable::declaration(uint64_t address, std::string_view name) {
    const auto innermost = by_address_.find(address);
    if (!innermost) return std::nullopt;
    uint32_t index = *innermost;
    while (entries_[index].parent != no_scope && name_of(entries_[index]) != name)
        index = entries_[index].parent;
    Dwarf_Die die = die_at(entries_[index].offset);
    const auto file = number_of_function(die, DW_AT_decl_file);
    const auto line = number_of_function(die, DW_AT_decl_line);
    if (!file || !line || line->second == 0) return std::nullopt;
    return Declaration{file->first, file->second, line->second};
}

std::vector<std::string_view> InlineTable::inlined(uint64_t address, size_t most) {
    std::vector<std::string_view> names;
    const auto innermost = by_address_.find(address);
    if (!innermost) return names;
    for (uint32_t i = *innermost; entries_[i].parent != no_scope && names.size() < most;
         i = entries_[i].parent)
        if (const auto name = name_of(entries_[i]); !name.empty()) names.push_back(name);
    return names;
}

}  // namespace op::pp
