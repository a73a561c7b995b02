// SPDX-License-Identifier: GPL-2.0-or-later
// Notes that a user reads once a day: a stamp with the date, below the user's state directory.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace op::tool {

/// The stamp of a command's line on a machine without hardware counters.
std::string fallback_stamp(std::string_view command);

/// Where stamps are kept: a directory that exists, and those below it that are made if missing (0700).
struct StampPlace {
    std::string base;                ///< absolute
    std::vector<std::string> below;  ///< names, outermost first
};

/// $XDG_STATE_HOME/oprofile, else $HOME/.local/state/oprofile; nothing if neither is an absolute path.
std::optional<StampPlace> stamp_place();

/// The date here, as "2026-11-22".
std::string today();

/// True unless stamp `name` at `place` has the date `day`, which it has from then on. Only directories of the
/// running user are used, and below `base` no symbolic link is followed; for root neither is one on the way
/// to `base`, where each directory must be root's and, unless it is sticky, writable by no other. What cannot
/// be read or written is no error: the function then returns true.
bool is_due(const std::optional<StampPlace>& place, const std::string& name, std::string_view day) noexcept;

}  // namespace op::tool
