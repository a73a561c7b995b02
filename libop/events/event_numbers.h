// SPDX-License-Identifier: GPL-2.0-or-later
// What distinguishes the event numbers of a family of CPU types.
#pragma once

#include <string_view>

namespace op {

/// How the kernel's number of an event is made of its code and unit mask in the event files.
enum class EventNumbers {
    code,      ///< the code, without unit masks
    x86,       ///< an event select register
    amd,       ///< the same with codes of 12 bits
    pentium4,  ///< only libpfm has them; those of the files are the driver's own
    rtc,       ///< none: the driver's clock
    s390,      ///< the code, and cycles by the kernel's own number
    power,     ///< the code and the unit mask above it; the code of POWER before POWER8 is a group's
    mips,      ///< the code, with another bit for odd counters
};

/// By what the type's name begins with, e.g. "x86-64/zen3".
EventNumbers event_numbers(std::string_view cpu_type) noexcept;

/// True if names of events may have their group appended and every event takes unit mask 0.
bool has_event_groups(std::string_view cpu_type) noexcept;

}  // namespace op
