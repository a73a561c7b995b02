// SPDX-License-Identifier: GPL-2.0-or-later
// Sessions that rotation made of samples/current: their names, their list, and the mark of a pusher that has
// stored one elsewhere. Who cuts and drops them is daemon/collect/rotation. Layout: doc/FORMATS.md, "Rotated
// sessions".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"

namespace op {

class SessionWriter;

/// "fleet-20261125T000000Z": the name of the rotated session that began then (seconds since the epoch).
/// `nth` from 2 on names another one that began in the same second: "fleet-20261125T000000Z-2".
std::string rotated_name(uint64_t start_time, unsigned nth = 1);
/// True for such names only.
bool is_rotated_name(std::string_view name);

/// The empty file in a session's directory by which a pusher reports that the session is complete at the
/// server, by the server's own sums: it may be dropped without loss.
inline constexpr const char* pushed_mark = "fleet.verified";
/// True if the session in `dir` has the mark.
bool is_marked_pushed(const Fd& dir) noexcept;
/// Marks the session in `dir`, which outlives a crash afterwards. Throws a system error naming a path below
/// `label`.
void mark_pushed(const Fd& dir, const std::string& label);

/// A rotated session on disk.
struct RotatedSession {
    std::string name;
    uint64_t start_time = 0;  ///< by its manifest; 0 = unknown
    uint64_t stop_time = 0;   ///< likewise; without one, of the last change of its directory
    uint64_t samples = 0;     ///< stored, by its manifest
    bool is_pushed = false;   ///< it has the mark

    bool operator==(const RotatedSession&) const = default;
};

/// The rotated sessions in `samples` (SESSION_DIR/samples, called `label` in messages), the oldest first.
/// Links are not followed. A damaged manifest is a warning. Of those that are in `known`, by their names,
/// only the mark is looked for, as nothing else of them changes. Throws a system error if `samples` cannot
/// be read.
std::vector<RotatedSession> list_rotated(const Fd& samples, const std::string& label, Diagnostics& notes,
                                         const std::map<std::string, RotatedSession>& known = {});
/// One of them; none if it is not there.
std::optional<RotatedSession> read_rotated(const Fd& samples, const std::string& name,
                                           const std::string& label, Diagnostics& notes);

/// The bytes on disk of everything below `dir`/`name`, 0 if it is not there; links are not followed. What
/// vanishes or cannot be read meanwhile counts nothing.
uint64_t disk_bytes(const Fd& dir, const std::string& name) noexcept;

/// Saves samples/current, which is to be complete on disk, under the first free rotated name of that start,
/// and makes a new current. Returns the name. Throws as SessionWriter::save_as.
std::string save_rotated(SessionWriter& session, uint64_t start_time);

}  // namespace op
