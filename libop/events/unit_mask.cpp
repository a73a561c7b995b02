// SPDX-License-Identifier: GPL-2.0-or-later
// Choosing unit masks.
#include "libop/events/unit_mask.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "libop/base/text.h"

namespace op {

namespace {

constexpr size_t most_listed = 12;

/// How many entries have each value.
std::map<uint64_t, size_t> value_counts(const UnitMaskSet& set) {
    std::map<uint64_t, size_t> counts;
    for (const UnitMaskEntry& entry : set.entries)
        ++counts[entry.value];
    return counts;
}

/// The union of the entries that are wholly contained in `value`.
uint64_t covered(const UnitMaskSet& set, uint64_t value) {
    uint64_t bits = 0;
    for (const UnitMaskEntry& entry : set.entries)
        if ((entry.value & ~value) == 0) bits |= entry.value;
    return bits;
}

/// True if more than the mask's bits reach the hardware.
bool is_wide(uint32_t extra) {
    return (extra & extra_bits::real) != 0;
}

/// The same of entries that can be joined: no other has their value, and nothing else belongs to it.
uint64_t covered_by_bits(const UnitMaskSet& set, uint64_t value) {
    const auto counts = value_counts(set);
    uint64_t bits = 0;
    for (const UnitMaskEntry& entry : set.entries)
        if ((entry.value & ~value) == 0 && !is_wide(entry.extra) && counts.at(entry.value) == 1)
            bits |= entry.value;
    return bits;
}

const UnitMaskEntry* find_named(const UnitMaskSet& set, std::string_view name) {
    const auto entry = std::ranges::find(set.entries, name, &UnitMaskEntry::name);
    return entry == set.entries.end() || name.empty() ? nullptr : &*entry;
}

std::string valid_ones(const UnitMaskSet& set) {
    const char* how = set.kind == UnitMaskKind::bitmask ? "; it takes a union of " : "; it takes ";
    return how + unit_mask_list(set);
}

UnitMaskChoice choice_of(const UnitMaskEntry& entry) {
    return {entry.value, entry.extra, entry.name};
}

using Answer = std::variant<UnitMaskChoice, Refusal>;

class Chooser {
public:
    Chooser(const UnitMaskSet& set, const EventSpec& spec, bool zero_always)
        : set_(set), event_("event '" + printable(spec.name) + "': "), zero_always_(zero_always) {}

    Answer named(const std::string& name) const {
        if (const UnitMaskEntry* entry = find_named(set_, name)) return choice_of(*entry);
        return refusal("no unit mask is named '" + printable(name) + "'" + valid_ones(set_));
    }

    Answer numbered(uint64_t asked) const {
        const UnitMaskEntry* first = nullptr;
        size_t alike = 0;
        for (const UnitMaskEntry& entry : set_.entries) {
            if (is_wide(entry.extra) && choice_of(entry).stored() == asked) return choice_of(entry);
            if (entry.value == asked && alike++ == 0) first = &entry;
        }
        if (asked == 0 && zero_always_) return UnitMaskChoice{};
        if (alike == 1) return choice_of(*first);
        if (set_.kind == UnitMaskKind::bitmask && asked != 0) return joined(asked);
        return alike == 0 ? not_valid(asked) : ambiguous(asked);
    }

    Refusal none() const { return refusal("it needs a unit mask" + valid_ones(set_)); }

private:
    /// A union of entries.
    Answer joined(uint64_t asked) const {
        if (covered_by_bits(set_, asked) == asked) return UnitMaskChoice{asked, 0, ""};
        return covered(set_, asked) == asked ? ambiguous(asked) : not_valid(asked);
    }

    Refusal not_valid(uint64_t asked) const {
        return refusal("unit mask 0x" + hex(asked, 2) + " is not valid" + valid_ones(set_));
    }

    Refusal ambiguous(uint64_t asked) const {
        return refusal("unit mask 0x" + hex(asked, 2) +
                       " is ambiguous; give it by name: " + unit_mask_list(set_));
    }

    Refusal refusal(const std::string& why) const { return {event_ + why}; }

    const UnitMaskSet& set_;
    std::string event_;
    bool zero_always_;
};

/// The first name that several entries share; empty if no entries share a name.
std::string repeated_name(const UnitMaskSet& set) {
    std::set<std::string_view> names;
    for (const UnitMaskEntry& entry : set.entries)
        if (!entry.name.empty() && !names.insert(entry.name).second) return entry.name;
    return "";
}

/// What is wrong with the default, as unit_mask_fault() has it.
std::string default_fault(const UnitMaskSet& set, bool merged) {
    if (!set.default_name.empty())
        return find_named(set, set.default_name) ? ""
                                                 : "its default '" + set.default_name + "' names no entry";
    const UnitMaskEntry* const entry = default_entry(set);
    if (set.kind != UnitMaskKind::bitmask && !entry) return "its default is not one of its entries";
    if (merged && entry && is_wide(entry->extra)) return "its default is an entry that is more than a number";
    if (entry) return "";
    const uint64_t bits = merged ? covered_by_bits(set, set.default_value) : covered(set, set.default_value);
    return bits == set.default_value ? "" : "its default holds bits that no entry has";
}

}  // namespace

std::string_view to_text(UnitMaskKind kind) {
    constexpr std::string_view names[] = {"mandatory", "bitmask", "exclusive"};
    return names[static_cast<size_t>(kind)];
}

uint64_t UnitMaskChoice::stored() const noexcept {
    return is_wide(extra) ? extra & (extra_bits::real | 0xff00) : value;
}

const UnitMaskEntry* default_entry(const UnitMaskSet& set) {
    if (!set.default_name.empty()) return find_named(set, set.default_name);
    const auto entry = std::ranges::find(set.entries, set.default_value, &UnitMaskEntry::value);
    return entry == set.entries.end() ? nullptr : &*entry;
}

std::string unit_mask_list(const UnitMaskSet& set) {
    const std::span<const UnitMaskEntry> listed(set.entries.data(),
                                                std::min(set.entries.size(), most_listed));
    const std::string text = joined(listed, ", ", [](const UnitMaskEntry& entry) {
        return "0x" + hex(entry.value, 2) + (entry.name.empty() ? "" : " (" + entry.name + ")");
    });
    return set.entries.size() > most_listed ? text + " and more, see ophelp" : text;
}

std::variant<UnitMaskChoice, Refusal> choose_unit_mask(const UnitMaskSet& set, const EventSpec& spec,
                                                       bool zero_always) {
    const Chooser chooser(set, spec, zero_always);
    if (!spec.unit_mask_name.empty()) return chooser.named(spec.unit_mask_name);
    if (spec.unit_mask) return chooser.numbered(*spec.unit_mask);
    if (!set.has_default) return chooser.none();
    if (const UnitMaskEntry* entry = default_entry(set)) return choice_of(*entry);
    return UnitMaskChoice{set.default_value, 0, ""};
}

std::string unit_mask_fault(const UnitMaskSet& set, bool merged) {
    if (set.entries.empty()) return "it has no entry";
    if (set.kind == UnitMaskKind::mandatory && set.entries.size() != 1)
        return "a mandatory set has exactly one entry";
    if (std::string fault = default_fault(set, merged); !fault.empty()) return fault;
    const auto counts = value_counts(set);
    for (const UnitMaskEntry& entry : set.entries)
        if (entry.name.empty() && counts.at(entry.value) > 1)
            return "0x" + hex(entry.value, 2) + " occurs several times, so each needs a name";
    const std::string name = repeated_name(set);
    return name.empty() ? "" : "the name '" + name + "' occurs several times";
}

}  // namespace op
