// SPDX-License-Identifier: GPL-2.0-or-later
// Unit-mask sets: the values that narrow an event, and the choice of one by a specification.
// Does not parse sets; libop/event_file does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "libop/events/event_spec.h"

namespace op {

/// Bits of UnitMaskEntry::extra, at the places they have in the event select register of x86 (Intel SDM 3B,
/// "IA32_PERFEVTSELx"; `pebs` and `named` stand where that register has bits that are never set by them).
namespace extra_bits {
inline constexpr uint32_t edge = 1u << 18;
inline constexpr uint32_t pebs = 1u << 19;  ///< can be sampled precisely
inline constexpr uint32_t any = 1u << 21;
inline constexpr uint32_t named = 1u << 22;  ///< has a name, and nothing else
inline constexpr uint32_t inverted = 1u << 23;
inline constexpr uint32_t counter_mask_shift = 24;
/// The bits that reach the hardware.
inline constexpr uint32_t real = edge | any | inverted | 0xffu << counter_mask_shift;
}  // namespace extra_bits

/// One value of a set.
struct UnitMaskEntry {
    uint64_t value = 0;  ///< of 32 bits in event files; libpfm4 has wider ones
    uint32_t extra =
        0;  ///< of extra_bits, and if there is a real one the value in bits 8-15; 0 = a plain value
    std::string name;  ///< accepted instead of the number; empty = only the number is
    std::string description;

    bool operator==(const UnitMaskEntry&) const = default;
};

enum class UnitMaskKind { mandatory, bitmask, exclusive };

/// The name as event files have it: "mandatory", "bitmask", "exclusive".
std::string_view to_text(UnitMaskKind kind);

struct UnitMaskSet {
    std::string name;  ///< sets called "zero" hold one entry without meaning
    UnitMaskKind kind = UnitMaskKind::mandatory;
    uint64_t default_value = 0;
    std::string default_name;  ///< set instead of default_value when the entry is a named one
    bool has_default = true;   ///< otherwise the user has to choose one
    std::vector<UnitMaskEntry> entries;

    bool operator==(const UnitMaskSet&) const = default;
};

/// The chosen unit mask of an event.
struct UnitMaskChoice {
    uint64_t value = 0;
    uint32_t extra = 0;
    std::string name;  ///< of the entry; empty if it has none

    /// The number in headers and names of sample files: the value, or bits 8-31 of the event select register
    /// if bits besides the mask are set in it.
    uint64_t stored() const noexcept;

    bool operator==(const UnitMaskChoice&) const = default;
};

/// The reason why a requested unit mask is refused.
struct Refusal {
    std::string reason;  ///< one line, the text of a usage error
};

/// Returns the unit mask that `spec` asks for, or the set's default: one entry of a mandatory or exclusive
/// set, a union of entries of a bitmask. A number may also be one that sample files hold. A number that
/// belongs to no single entry is read as a union of entries; only entries that are nothing but bits of the
/// mask can be joined. With `zero_always`, 0 is accepted too (IBM POWER). A refusal lists the valid choices;
/// for a number that fits several entries, or an entry with more than bits, it asks for a name. The time
/// grows with n log n of the set's entries, whose number has no bound.
std::variant<UnitMaskChoice, Refusal> choose_unit_mask(const UnitMaskSet& set, const EventSpec& spec,
                                                       bool zero_always = false);

/// The set's entries for messages: "0x01 (hit), 0x02 (miss)"; of a long set, the first ones.
std::string unit_mask_list(const UnitMaskSet& set);

/// The entry that is the set's default, or null if the default is a union of entries.
const UnitMaskEntry* default_entry(const UnitMaskSet& set);

/// The reason why the set is inconsistent; empty if it is fine. The default of a `merged` set, which was
/// joined from several, consists of bits of the mask only.
std::string unit_mask_fault(const UnitMaskSet& set, bool merged = false);

}  // namespace op
