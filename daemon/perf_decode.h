// SPDX-License-Identifier: GPL-2.0-or-later
// From the kernel's perf records to ours (perf_event_open(2), "MMAP layout", record types).
#pragma once

#include <linux/perf_event.h>

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "libop/record.h"

namespace op::collect {

/// Room for the call chains of one batch of records.
class ChainArena {
public:
    ChainArena() { words_.reserve(capacity); }
    void clear() noexcept { words_.clear(); }
    /// True if a chain of the longest kind still fits without moving the others.
    bool has_room() const noexcept { return capacity - words_.size() >= longest; }
    /// Keeps one more address of the chain begun at `start`.
    void add(uint64_t address) {
        if (words_.size() < capacity) words_.push_back(address);
    }
    size_t mark() const noexcept { return words_.size(); }
    std::span<const uint64_t> since(size_t start) const noexcept { return std::span(words_).subspan(start); }

private:
    static constexpr size_t longest = 8192;  ///< a record of 64 KiB
    static constexpr size_t capacity = 8 * longest;
    std::vector<uint64_t> words_;
};

/// Decodes the records of one perf session.
class PerfDecoder {
public:
    /// `sample_type` as in the attribute of every event. The fields IP, TID, TIME, CPU must be in it;
    /// IDENTIFIER and CALLCHAIN may.
    explicit PerfDecoder(uint64_t sample_type);
    /// Tells which event an id means; ids are needed only with IDENTIFIER.
    void add_event_id(uint64_t id, uint16_t event) { events_[id] = event; }

    /// A decoded record and its time.
    struct Decoded {
        uint64_t time = 0;
        Record record;
    };
    /// Decodes one record; none if it is of no interest or damaged. Views in the result point into the record
    /// or the arena.
    std::optional<Decoded> decode(const perf_event_header& header, ChainArena& chains) const;

private:
    struct Trailer {
        uint64_t time = 0;
        uint32_t cpu = 0;
        uint16_t event = 0;
    };
    std::optional<Decoded> decode_sample(std::span<const std::byte> body, uint16_t misc,
                                         ChainArena& chains) const;
    std::optional<Decoded> decode_mapping(std::span<const std::byte> body, uint16_t misc,
                                          const Trailer& trailer) const;
    Trailer trailer(std::span<const std::byte> body) const;
    uint16_t event_of(uint64_t id) const;

    bool has_id_, has_chain_;
    size_t trailer_size_;
    std::unordered_map<uint64_t, uint16_t> events_;
};

}  // namespace op::collect
