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

/// "2026-11-24 02:10:05 UTC" of seconds since the epoch; "unknown" for 0 and beyond the year 9999.
std::string date_text(uint64_t seconds);

/// "0.123 s" of a time in ns, three digits, but no fraction from 100 s on.
std::string seconds_text(uint64_t ns);

/// "20145 samples, 12 lost (the kernel's buffer was full)"; of several causes each has its number.
std::string samples_text(const Ledger& ledger);

/// Lines on records of processes and mappings that were lost, or for which there was no room, for a person.
std::vector<std::string> side_band_notes(const SessionInfo& info);

/// Lines on call stacks that were stored without their inner frames or not at all, for a person.
std::vector<std::string> stack_loss_notes(const StackAccount& stacks);

/// A line on sessions that were dropped before they were pushed, for a person; nothing if there are none.
std::optional<std::string> dropped_sessions_note(const DroppedSessions& dropped);

/// A line on periods of timers without a sample, for a person; nothing if they are less than one in a
/// hundred.
std::optional<std::string> missed_periods_note(const SessionInfo& info);

}  // namespace op
