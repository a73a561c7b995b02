// SPDX-License-Identifier: GPL-2.0-or-later
// Choosing unit masks.
#include "libop/unit_mask.h"

#include <algorithm>

#include "libop/error.h"
#include "libop/text.h"

namespace op {

namespace {

constexpr size_t most_listed = 12;

size_t count_of(const UnitMaskSet& set, uint32_t value) {
    return static_cast<size_t>(std::ranges::count(set.entries, value, &UnitMaskEntry::value));
}

/// The union of the entries that are wholly contained in `value`.
uint32_t covered(const UnitMaskSet& set, uint32_t value, bool only_unique) {
    uint32_t bits = 0;
    for (const UnitMaskEntry& entry : set.entries)
        if ((entry.value & ~value) == 0 && (!only_unique || count_of(set, entry.value) == 1))
            bits |= entry.value;
    return bits;
}

const UnitMaskEntry* find_named(const UnitMaskSet& set, std::string_view name) {
    const auto entry = std::ranges::find(set.entries, name, &UnitMaskEntry::name);
    return entry == set.entries.end() || name.empty() ? nullptr : &*entry;
}

/// "0x01 (hit), 0x02 (miss)".
std::string list_of(const UnitMaskSet& set) {
    std::string text;
    for (size_t i = 0; i < set.entries.size() && i < most_listed; ++i) {
        const UnitMaskEntry& entry = set.entries[i];
        text += (text.empty() ? "0x" : ", 0x") + hex(entry.value, 2);
        if (!entry.name.empty()) text += " (" + entry.name + ")";
    }
    return set.entries.size() > most_listed ? text + " and more, see ophelp" : text;
}

std::string valid_ones(const UnitMaskSet& set) {
    const char* how = set.kind == UnitMaskKind::bitmask ? "; it takes a union of " : "; it takes ";
    return how + list_of(set);
}

UnitMaskChoice choice_of(const UnitMaskEntry& entry) {
    return {entry.value, entry.extra, entry.name};
}

class Chooser {
public:
    Chooser(const UnitMaskSet& set, const EventSpec& spec, bool zero_always)
        : set_(set), event_("event '" + printable(spec.name) + "': "), zero_always_(zero_always) {}

    UnitMaskChoice named(const std::string& name) const {
        if (const UnitMaskEntry* entry = find_named(set_, name)) return choice_of(*entry);
        throw_usage(event_ + "no unit mask is named '" + printable(name) + "'" + valid_ones(set_));
    }

    UnitMaskChoice numbered(uint64_t asked) const {
        const auto value = static_cast<uint32_t>(asked);
        if (value == 0 && asked == 0 && zero_always_) return {};
        if (asked > UINT32_MAX || !fits(value))
            throw_usage(event_ + "unit mask 0x" + hex(asked, 2) + " is not valid" + valid_ones(set_));
        if (is_ambiguous(value))
            throw_usage(event_ + "unit mask 0x" + hex(asked, 2) +
                        " stands for several; give it by name: " + list_of(set_));
        const auto entry = std::ranges::find(set_.entries, value, &UnitMaskEntry::value);
        return entry == set_.entries.end() ? UnitMaskChoice{value, 0, ""} : choice_of(*entry);
    }

    [[noreturn]] void fail_without() const {
        throw_usage(event_ + "it needs a unit mask" + valid_ones(set_));
    }

private:
    bool fits(uint32_t value) const {
        if (set_.kind != UnitMaskKind::bitmask || value == 0) return count_of(set_, value) > 0;
        return covered(set_, value, false) == value;
    }

    bool is_ambiguous(uint32_t value) const {
        if (set_.kind != UnitMaskKind::bitmask || value == 0) return count_of(set_, value) > 1;
        return covered(set_, value, true) != value;
    }

    const UnitMaskSet& set_;
    std::string event_;
    bool zero_always_;
};

}  // namespace

std::string_view to_text(UnitMaskKind kind) {
    constexpr std::string_view names[] = {"mandatory", "bitmask", "exclusive"};
    return names[static_cast<size_t>(kind)];
}

uint32_t UnitMaskChoice::stored() const noexcept {
    const bool is_wide = (extra & extra_bits::real) != 0;
    return is_wide ? extra & (extra_bits::real | 0xff00) : value;
}

const UnitMaskEntry* default_entry(const UnitMaskSet& set) {
    if (!set.default_name.empty()) return find_named(set, set.default_name);
    const auto entry = std::ranges::find(set.entries, set.default_value, &UnitMaskEntry::value);
    return entry == set.entries.end() ? nullptr : &*entry;
}

UnitMaskChoice choose_unit_mask(const UnitMaskSet& set, const EventSpec& spec, bool zero_always) {
    const Chooser chooser(set, spec, zero_always);
    if (!spec.unit_mask_name.empty()) return chooser.named(spec.unit_mask_name);
    if (spec.unit_mask) return chooser.numbered(*spec.unit_mask);
    if (!set.has_default) chooser.fail_without();
    if (const UnitMaskEntry* entry = default_entry(set)) return choice_of(*entry);
    return {set.default_value, 0, ""};
}

std::string unit_mask_fault(const UnitMaskSet& set, bool merged) {
    if (set.entries.empty()) return "it has no entry";
    if (set.kind == UnitMaskKind::mandatory && set.entries.size() != 1)
        return "a mandatory set has exactly one entry";
    if (!set.default_name.empty() && !find_named(set, set.default_name))
        return "its default '" + set.default_name + "' names no entry";
    const bool is_numeric = set.default_name.empty() && !merged;
    if (is_numeric && set.kind == UnitMaskKind::bitmask &&
        covered(set, set.default_value, false) != set.default_value)
        return "its default holds bits that no entry has";
    if (is_numeric && set.kind != UnitMaskKind::bitmask && !default_entry(set))
        return "its default is none of its entries";
    for (const UnitMaskEntry& entry : set.entries) {
        if (count_of(set, entry.value) > 1 && entry.name.empty())
            return "0x" + hex(entry.value, 2) + " occurs several times, so each needs a name";
        if (!entry.name.empty() && std::ranges::count(set.entries, entry.name, &UnitMaskEntry::name) > 1)
            return "the name '" + entry.name + "' occurs several times";
    }
    return "";
}

}  // namespace op
