// SPDX-License-Identifier: GPL-2.0-or-later
// From the kernel's perf records to ours (perf_event_open(2), "MMAP layout", record types).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "daemon/source/samplers.h"
#include "libop/stream/record.h"

struct perf_event_header;

namespace op::collect {

/// Room for the call chains of one batch of records. It grows by blocks, so that what was kept never moves.
class ChainArena {
public:
    void clear() noexcept {
        for (auto& block : blocks_)
            block.clear();
        current_ = 0;
        stacks_.clear();
        stack_bytes_ = 0;
    }
    /// False when the batch should end; there is still room for the current record.
    bool has_room() const noexcept { return (blocks_.empty() || fits(0)) && stack_bytes_ < stack_capacity; }
    /// Keeps a stack; its bytes stay where they are.
    const UserStack* add_stack(const UserStack& stack) {
        stack_bytes_ += stack.requested;
        return &stacks_.emplace_back(stack);
    }
    /// Begins a chain.
    size_t mark() {
        if (!blocks_.empty() && !fits(current_)) ++current_;
        if (current_ == blocks_.size()) blocks_.emplace_back().reserve(capacity);
        return blocks_[current_].size();
    }
    /// Keeps one more address of the chain begun last; a record holds no more than fit.
    void add(uint64_t address) { blocks_[current_].push_back(address); }
    /// The chain begun at `start`, the last one begun.
    std::span<const uint64_t> since(size_t start) const noexcept {
        return std::span(blocks_[current_]).subspan(start);
    }

private:
    bool fits(size_t block) const noexcept { return capacity - blocks_[block].size() >= longest; }

    static constexpr size_t longest = 8192;  ///< addresses in a record of 64 KiB
    static constexpr size_t capacity = 8 * longest;
    std::vector<std::vector<uint64_t>> blocks_;
    size_t current_ = 0;  ///< block that is being filled
    /// A batch ends there, so that the kernel gets the room in its rings back.
    static constexpr uint64_t stack_capacity = 8 << 20;
    std::deque<UserStack> stacks_;
    uint64_t stack_bytes_ = 0;
};

/// Decodes the records of one perf session.
class PerfDecoder {
public:
    /// `sample_type` as in the attribute of every event. The fields IP, TID, TIME, CPU must be in it;
    /// IDENTIFIER and CALLCHAIN may; RAW is in those of samplers' events, and only there.
    explicit PerfDecoder(uint64_t sample_type, std::vector<Sampling> samplings = {});
    /// Sets which event an id means; ids are needed only with IDENTIFIER.
    void add_event_id(uint64_t id, uint16_t event) { events_[id] = event; }

    /// A decoded record and its time.
    struct Decoded {
        uint64_t time = 0;
        Record record;
        const Sampling* sampling = nullptr;   ///< of a sample or throttling of a sampler
        std::span<const std::byte> raw = {};  ///< the sampler's data on the sample
        bool had_no_room = false;  ///< of losses: in the ring, which the kernel also counts by itself
    };
    /// Decodes one record; none if it is of no interest. A damaged one of a sample is a loss on CPU 0, one of
    /// a process a loss of the side band, both of time 0. Views in the result point into the record or the
    /// arena.
    std::optional<Decoded> decode(const perf_event_header& header, ChainArena& chains) const;
    /// Appends the record, or, if it is a sampler's, one for each derived event that it is: maybe none.
    void deliver(const Decoded& decoded, std::vector<Record>& out) const;

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
    const Sampling* sampling_of(uint16_t event) const noexcept;

    bool has_id_, has_chain_, has_user_stack_;
    size_t trailer_size_;
    std::unordered_map<uint64_t, uint16_t> events_;
    std::vector<Sampling> samplings_;
};

}  // namespace op::collect
