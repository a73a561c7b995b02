// SPDX-License-Identifier: GPL-2.0-or-later
// What the recorder and the readers of maps say to each other. A reader has handled a stranger's bytes: its
// answer is checked like those.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libop/jit/code_placer.h"
#include "libop/jit/code_symbol.h"
#include "libop/jit/perf_map.h"

namespace op::collect {

/// To the process that makes readers, with one end of the reader's socket.
struct WatchRequest {
    uint32_t tgid = 0;
    uint32_t reserved = 0;
    int64_t since = 0;  ///< when the recording began, ns since the epoch: for a process that is gone already
};

/// To a reader.
enum class ReaderCommand : uint32_t {
    seal,       ///< the process has ended: the map is what it is now
    ask,        ///< which functions are at these addresses? u64 each follow, with generations
    ask_timed,  ///< the same, and each sample in generation 0 was of that
    place,      ///< of which generation was the code of these moments? A CodeMoment each follows
    dump,       ///< the process has mapped its jitdump; its path follows, so many bytes
};
struct ReaderRequest {
    ReaderCommand command;
    uint32_t length = 0;  ///< addresses, moments or bytes that follow
};
inline constexpr uint32_t longest_dump_path = 4096;
/// A reader is asked for so many addresses at most.
inline constexpr uint32_t most_wanted_addresses = 1 << 18, most_moments = 1 << 20;

/// What became of a process's map or jitdump.
enum class MapState : uint32_t {
    read,
    absent,      ///< its place is empty, or cannot be looked into
    stale,       ///< it was written before the process began, or changed after its end
    others,      ///< it belongs to another user than the process runs as
    no_file,     ///< it is a FIFO, a device, a link or the like
    unreadable,  ///< it cannot be opened or read
    count
};

struct MapAnswer {
    MapState state = MapState::absent;
    bool is_dump = false;  ///< it is of a jitdump
    bool is_cut = false;   ///< the map is longer than what is read, or the answer than what may be sent
    PerfMapCounts counts;  ///< of a jitdump: records that are none of one's are `bad`
    /// Addresses at which different functions lay: of a jitdump they have no name, of a map the last one.
    uint64_t ambiguous = 0;
    std::vector<CodeSymbol> symbols;  ///< sorted, without overlaps
    /// Of moments: a generation each; none if it is not a jitdump that was read.
    std::vector<uint8_t> generations;

    bool operator==(const MapAnswer&) const = default;
};

/// The bytes of an answer; functions that do not fit into longest_answer are left out and `is_cut` is set.
std::string to_bytes(MapAnswer answer);
inline constexpr size_t longest_answer = size_t{64} << 20;

/// The length of the answer that begins with these bytes; none as long as that is not known. Throws an input
/// error if it is too long.
std::optional<size_t> answer_length(std::string_view bytes);
/// The inverse of to_bytes(). Throws an input error if the bytes are none, or the symbols overlap.
MapAnswer parse_answer(std::span<const std::byte> bytes);

}  // namespace op::collect
