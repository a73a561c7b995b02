// SPDX-License-Identifier: GPL-2.0-or-later
// A session of one host as rows of the fleet's tables. Reads the session; sends nothing.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fleet/day.h"
#include "fleet/numbers.h"
#include "fleet/row_binary.h"
#include "libop/base/diagnostics.h"
#include "libop/session/session.h"

namespace op::fleet {

/// What identifies a slice, and what is left out of it.
struct SliceOptions {
    std::string session_dir;        ///< absolute; identifies sessions without an id, with their start
    std::string host = {};          ///< replaces the name in the manifest, if not empty
    bool hashes_host = false;       ///< the name goes as a digest
    bool drops_command = false;     ///< the command line is not sent
    bool leaves_out_files = false;  ///< what only `opfleet show` needs is not sent
    bool is_recorded = false;       ///< somebody records into the directory's current session
};

/// A counter of `samples`: of an event at a place, on behalf of an application. In their order a sample file
/// follows another.
struct PlaceKey {
    uint64_t event = 0, image = 0, app = 0, place = 0;

    auto operator<=>(const PlaceKey&) const = default;
};

/// A counter of `stack_samples`.
struct StackKey {
    uint64_t event = 0, stack = 0, app = 0;

    auto operator<=>(const StackKey&) const = default;
};

/// Counters, sorted by key, each key once.
template <class Key>
using Counters = std::vector<std::pair<Key, uint64_t>>;

/// A row of `stacks`.
struct StackNodeRow {
    enum Kind : uint8_t { address, application, cut, return_address };  ///< cut: the place is a StackEnd

    uint64_t parent = 0, image = 0, place = 0;
    uint8_t kind = address;  ///< a Kind, or whatever else a server sends
};

/// A row of `slice_files`: what rows of the other tables cannot give back.
struct SliceFile {
    std::string name;   ///< slice_index_name, or packed_name() of a path below the session
    std::string bytes;  ///< gzip
};
/// The name of the index (fleet/file_index.h).
inline constexpr const char* slice_index_name = "index.gz";
/// The name of a packed file of the session: with ".gz" behind it, unless it is packed in the session.
std::string packed_name(const std::string& name);

struct SliceEvent {
    RecordedEvent event;
};

/// The content of one session. Counts are absolute. While it may grow, counters of images and applications
/// that the manifest does not have yet, or of whose files it has the path only, are left out: their numbers
/// may change.
struct Slice {
    uint64_t id = 0, host = 0;
    std::string hostname;
    Day day;
    std::string session;     ///< its name, for people
    SessionInfo info;        ///< as far as it is sent
    bool is_sealed = false;  ///< it will not grow
    std::map<uint64_t, SliceImage> images;
    std::map<uint64_t, SliceEvent> events;
    Counters<PlaceKey> samples;
    std::map<uint64_t, StackNodeRow> stacks;
    Counters<StackKey> stack_samples;
    std::vector<SliceFile> files;  ///< the index only, while it may grow
};

/// Grows with the content of the slice: of two accounts of one slice, that of the newer state has the greater
/// one, whenever and from wherever it is sent.
uint64_t account_version(const Slice& slice);
/// The sum of counters.
template <class Key>
uint64_t sum_of(const Counters<Key>& counters) {
    uint64_t sum = 0;
    for (const auto& [key, hits] : counters)
        sum += hits;
    return sum;
}

/// Reads a session. Its manifest has to have a start time between 1970 and a day from `now` (seconds since
/// the epoch), else an input error is thrown; or a system error if the session cannot be read. Damaged sample
/// files are warnings.
Slice read_slice(const SessionReader& session, std::string name, const SliceOptions& options, int64_t now,
                 Diagnostics& notes);

}  // namespace op::fleet
