// SPDX-License-Identifier: GPL-2.0-or-later
// When a session that is being recorded is cut, and what the sessions made by that may cost: the words of
// --rotate, --keep and --max-disk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace op {

/// All of them; 0 = none.
struct RotationSettings {
    uint64_t period = 0;    ///< seconds; sessions are cut at its multiples since the epoch
    uint64_t keep = 0;      ///< seconds after its end for which a rotated session is kept
    uint64_t disk_cap = 0;  ///< bytes of rotated sessions and the current one

    bool operator==(const RotationSettings&) const = default;
};

/// The request, in the place of a period, to cut at once; and the word for no rotation.
inline constexpr const char* rotate_now = "now";
inline constexpr const char* rotate_off = "off";

/// The settings that the texts of the three options ask for; an empty text asks for nothing. Throws a usage
/// error that names the option.
RotationSettings parse_rotation(std::string_view rotate, std::string_view keep, std::string_view max_disk);

/// "1d", "1h", "10 s": a number of seconds for people.
std::string period_text(uint64_t seconds);

}  // namespace op
