// SPDX-License-Identifier: GPL-2.0-or-later
// The files about a session for OProfile's own tools and for people: abi, stats/, operf.log.
// Formats: doc/FORMATS.md, "Statistics" and "abi". Writes no file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libop/session/session_info.h"

namespace op {

/// The text of the `abi` file for this machine: its layout of sample files.
std::string abi_text();

/// All counter files that stats/ can have, with their numbers, including zeros, which are not written.
std::map<std::string_view, uint64_t> statistics(const SessionInfo& info);

/// The account of a session for operf.log, some lines ending in an empty one.
std::string account_text(const SessionInfo& info);

/// Lines on records of processes and mappings that were lost, or for which there was no room, for a person.
std::vector<std::string> side_band_notes(const SessionInfo& info);

/// A line on periods of timers without a sample, for a person; nothing if they are less than one in a
/// hundred.
std::optional<std::string> missed_periods_note(const SessionInfo& info);

}  // namespace op
