// SPDX-License-Identifier: GPL-2.0-or-later
// The reader of one process's map: a process of its own, which has the rights of the profiled one's user and
// no others. It may hang on a file, for ever; nobody waits for it without a deadline.
#pragma once

#include "daemon/jit/reader_messages.h"
#include "libop/base/fd.h"
#include "libop/jit/dump_code.h"

namespace op::collect {

/// Answers requests until the other end of the socket is closed. Gives up this process's rights first. Never
/// throws.
void run_map_reader(const Fd& socket, const WatchRequest& watched) noexcept;

/// A map of more bytes is read so far.
inline constexpr uint64_t longest_map = uint64_t{1} << 30;

/// What the map in an open file has at the sorted addresses. Throws a system error.
MapAnswer read_map(const Fd& file, std::span<const uint64_t> wanted, uint64_t limit = longest_map);
/// The same for a jitdump, which has the code, too, and is larger.
inline constexpr uint64_t longest_dump = uint64_t{4} << 30;
/// `is_timed` and `placed` as DumpCode's.
MapAnswer read_dump(const Fd& file, std::span<const uint64_t> wanted, bool is_timed,
                    std::span<const PlacedUntil> placed = {}, uint64_t limit = longest_dump);
/// The generations of moments by a jitdump, and the number of its records.
MapAnswer place_by_dump(const Fd& file, std::span<const CodeMoment> moments, uint64_t& records,
                        uint64_t limit = longest_dump);

}  // namespace op::collect
