// SPDX-License-Identifier: GPL-2.0-or-later
// One walk over the entries of a unit.
#include "libpp/debuginfo_inlines.h"

#include <dwarf.h>

namespace op::pp {

namespace {

/// Deeper nesting than compilers produce; bounds the memory that a damaged tree takes.
constexpr size_t depth_limit = 1024;

constexpr uint32_t no_scope = FunctionScope::no_scope;

bool is_function(int tag) {
    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

/// True if functions with code may lie among the children of such an entry.
bool may_hold_functions(int tag) {
    switch (tag) {
        case DW_TAG_subprogram:
        case DW_TAG_inlined_subroutine:
        case DW_TAG_lexical_block:
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
        case DW_TAG_union_type:
        case DW_TAG_try_block:
        case DW_TAG_catch_block:
        case DW_TAG_with_stmt:
            return true;
        default:
            return false;
    }
}

/// Goes through a unit's entries in the order they lie in. Every step leads forward, so that links of a
/// damaged file form no loop.
class Walk {
public:
    explicit Walk(Dwarf_Die unit) { path_.push_back({unit, no_scope}); }

    /// Goes to the next entry that may be or hold a function; false at the end.
    bool next() {
        while (step())
            if (const int tag = dwarf_tag(&die()); may_hold_functions(tag)) return true;
        return false;
    }
    Dwarf_Die& die() { return path_.back().die; }
    /// The scope that the entry lies in.
    uint32_t scope() const { return path_[path_.size() - 2].scope; }
    /// The entries below this one lie in that scope.
    void enter(uint32_t scope) { path_.back().scope = scope; }

private:
    struct Level {
        Dwarf_Die die;
        uint32_t scope;  ///< of its children
    };

    bool step() {
        Dwarf_Die found;
        if (!is_leaf_ && path_.size() < depth_limit && dwarf_child(&die(), &found) == 0) {
            path_.push_back({found, path_.back().scope});
            return advanced();
        }
        while (path_.size() > 1) {
            const int status = dwarf_siblingof(&die(), &found);
            if (status == 0) {
                path_.back() = {found, path_[path_.size() - 2].scope};
                return advanced();
            }
            if (status < 0) return false;
            path_.pop_back();
        }
        return false;
    }

    bool advanced() {
        is_leaf_ = !may_hold_functions(dwarf_tag(&die()));
        const bool is_forward = die().addr > last_;
        last_ = die().addr;
        return is_forward;
    }

    std::vector<Level> path_;  ///< from the unit to the entry
    void* last_ = nullptr;
    bool is_leaf_ = false;
};

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
    for (Walk walk(unit); walk.next();) {
        Dwarf_Die& die = walk.die();
        const int tag = dwarf_tag(&die);
        uint32_t scope = walk.scope();
        if (is_function(tag) && add_ranges(die, base, is_code, range_limit, ranges)) {
            const uint32_t parent = tag == DW_TAG_subprogram ? no_scope : scope;
            scope = static_cast<uint32_t>(entries_.size());
            entries_.push_back({{parent, {}, 0, 0}, die.addr});
        }
        walk.enter(scope);
    }
    by_address_ = RangeMap(std::move(ranges));
}

/// Adds the ranges of a scope that is about to become an entry; false if it has none.
bool InlineTable::add_ranges(Dwarf_Die& die, uint64_t base, const IsCode& is_code, size_t range_limit,
                             std::vector<RangeMap::Range>& ranges) const {
    const size_t before = ranges.size();
    const bool is_list = base != 0 && dwarf_hasattr(&die, DW_AT_ranges);
    Dwarf_Addr list_base, start, end;
    for (ptrdiff_t at = 0;
         ranges.size() < range_limit && (at = dwarf_ranges(&die, at, &list_base, &start, &end)) > 0;) {
        const uint64_t shift = is_list && list_base == 0 ? base : 0;
        if (start < end && is_code(start + shift))
            ranges.push_back({start + shift, end + shift, static_cast<uint32_t>(entries_.size())});
    }
    return ranges.size() > before;
}

const FunctionScope& InlineTable::read(Entry& entry) const {
    Dwarf_Die die;
    if (entry.is_read || !dwarf_die_addr_die(dwarf_, entry.die, &die)) return entry.scope;
    entry.is_read = true;
    entry.scope.name = function_name(die);
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
