// SPDX-License-Identifier: GPL-2.0-or-later
// What is written about a session for OProfile's own tools and for people: abi, stats/, operf.log.
// Formats: doc/FORMATS.md, "Statistics" and "abi". Writes no file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "libop/session/session_info.h"

namespace op {

/// The text of the `abi` file for this machine: how it lays sample files out.
std::string abi_text();

/// Every counter file that stats/ can have with its number, including those that are 0 and hence not written.
std::map<std::string_view, uint64_t> statistics(const SessionInfo& info);

/// The account of a session for operf.log, some lines ending in an empty one.
std::string account_text(const SessionInfo& info);

}  // namespace op
