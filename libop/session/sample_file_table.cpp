// SPDX-License-Identifier: GPL-2.0-or-later
// Counting in a mapped sample file. The order of stores is the subject here: a reader copies the file at any
// moment, and a SIGKILL can come between any two of them.
#include "libop/session/sample_file_table.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <string>

#include "libop/base/error.h"

namespace op {

namespace {

constexpr uint32_t saturated = std::numeric_limits<uint32_t>::max();
constexpr uint32_t losses_between_attempts = 1023;
/// Below this many slots the table stays in the first two cache levels and prefetching costs more than it
/// gains.
constexpr uint32_t prefetch_from_slots = 8192;

/// Node i if it has the key, else the next of the chain, masked; without a branch.
[[gnu::always_inline]] inline uint32_t this_or_next(const RawSampleNode* nodes, uint32_t mask, uint32_t i,
                                                    uint64_t key) {
    const uint64_t difference = nodes[i].key ^ key;
    // All bits of another key, none of this; not written !=: g++ branches on that.
    const auto is_other = static_cast<uint32_t>(static_cast<int64_t>(difference | -difference) >> 63);
    return i ^ ((i ^ __atomic_load_n(&nodes[i].next, __ATOMIC_RELAXED)) & is_other & mask);
}

/// Stores after everything stored before.
void publish(uint32_t& to, uint32_t value) noexcept {
    std::atomic_ref(to).store(value, std::memory_order_release);
}

}  // namespace

SampleTable::SampleTable(Fd fd, const SampleHeader& header, std::string_view label) : fd_(std::move(fd)) {
    const size_t length = sample_file_length(first_sample_slots);
    if (!reserve_space(fd_, 0, length)) throw_system("cannot write " + std::string(label));
    map_ = SharedMapping(fd_, length, label);
    view_ = view_of(first_sample_slots);
    descriptor().size = first_sample_slots;
    descriptor().current_size = used_;
    set_header(header);
}

SampleTable::SampleTable(Fd fd, SharedMapping map, const SampleHeader& header) noexcept
    : fd_(std::move(fd)), map_(std::move(map)) {
    // By the length that was checked and mapped: the descriptor may have changed meanwhile.
    const size_t slots = (map_.bytes().size() - sample_nodes_at) / sample_slot_bytes;
    view_ = view_of(static_cast<uint32_t>(slots));
    const uint32_t used = __atomic_load_n(&descriptor().current_size, __ATOMIC_RELAXED);
    used_ = std::clamp<uint32_t>(used, 1, view_.mask + 1);
    view_.nodes[0] = {};  // ends every chain by linking to itself; nobody else minds what is there
    set_header(header);
}

// The processor cannot predict the place of a key in its chain: a loop over chains spends most of its time on
// wrong guesses. So each step is done for the whole batch without branches, which leaves one key in ten
// unfound. In tables larger than the caches, the misses of a step overlap.
void SampleTable::View::locate(const SampleBatch& keys, Candidates& found) const noexcept {
    const auto [nodes, buckets, mask] = *this;
    for (size_t k = 0; k < keys.size(); ++k)
        found[k] = sample_bucket(keys[k], mask);
    if (mask < prefetch_from_slots) {
        for (size_t k = 0; k < keys.size(); ++k) {
            const uint32_t first = read_index(buckets[found[k]]);
            found[k] = this_or_next(nodes, mask, this_or_next(nodes, mask, first, keys[k]), keys[k]);
        }
        return;
    }
    for (size_t k = 0; k < keys.size(); ++k)
        __builtin_prefetch(&buckets[found[k]]);
    for (size_t k = 0; k < keys.size(); ++k) {
        found[k] = read_index(buckets[found[k]]);
        __builtin_prefetch(&nodes[found[k]], 1);
    }
    for (int step = 0; step < 2; ++step) {
        for (size_t k = 0; k < keys.size(); ++k) {
            found[k] = this_or_next(nodes, mask, found[k], keys[k]);
            __builtin_prefetch(&nodes[found[k]], 1);
        }
    }
}

// Takes a copy, so that the caller's view stays in registers.
RawSampleNode* SampleTable::View::find_after(View view, uint64_t key, uint32_t i) noexcept {
    for (uint32_t left = view.mask; i != 0 && left != 0; --left) {
        i = view.read_index(view.nodes[i].next);
        if (i != 0 && view.nodes[i].key == key) return &view.nodes[i];
    }
    return nullptr;
}

void SampleTable::add_each(const SampleBatch& keys) noexcept {
    Candidates found;
    view_.locate(keys, found);
    View view = view_;
    uint64_t stored = 0;
    for (size_t k = 0; k < keys.size(); ++k) {
        RawSampleNode* node = view.find(keys[k], found[k]);
        if (node && node->value != saturated) {
            ++node->value;
            ++stored;
        } else {
            add(keys[k], 1);  // which finds the key if an earlier one of the batch is the same
            view = view_;
        }
    }
    counts_.stored += stored;
}

void SampleTable::add(uint64_t key, uint32_t samples) noexcept {
    if (samples == 0) return;
    if (RawSampleNode* node = view_.find(key, view_.first_of(key))) {
        const uint32_t stored = std::min(samples, saturated - node->value);
        node->value += stored;
        counts_.stored += stored;
        counts_.lost_saturated += samples - stored;
    } else if (insert(key, samples)) {
        counts_.stored += samples;
    } else {
        (is_out_of_room_ ? counts_.lost_limit : counts_.lost_no_space) += samples;
    }
}

void SampleTable::sync(std::string_view label) const {
    if (::fsync(fd_.get()) != 0) throw_system("cannot write " + std::string(label));
}

void SampleTable::View::link(uint32_t index) const noexcept {
    uint32_t& bucket = buckets[sample_bucket(nodes[index].key, mask)];
    nodes[index].next = bucket;
    publish(bucket, index);
}

SampleTable::View SampleTable::view_of(uint32_t slots) const noexcept {
    std::byte* nodes = map_.bytes().data() + sample_nodes_at;
    return {reinterpret_cast<RawSampleNode*>(nodes),
            reinterpret_cast<uint32_t*>(nodes + slots * sizeof(RawSampleNode)), slots - 1};
}

RawSampleDescriptor& SampleTable::descriptor() const noexcept {
    return *reinterpret_cast<RawSampleDescriptor*>(map_.bytes().data() + sizeof(RawSampleHeader));
}

void SampleTable::set_header(const SampleHeader& header) noexcept {
    const RawSampleHeader raw{.magic = sample_magic,
                              .version = sample_version,
                              .cpu_type = header.cpu_type,
                              .event_code = header.event_code,
                              .unit_mask = header.unit_mask,
                              .count = header.count,
                              .is_kernel = header.is_kernel,
                              .hole1 = 0,
                              .cpu_speed = header.cpu_speed_mhz,
                              .mtime = header.mtime,
                              .cg_to_is_kernel = header.cg_to_is_kernel,
                              .hole2 = 0,
                              .anon_start = header.anon_start,
                              .cg_to_anon_start = header.cg_to_anon_start};
    std::memcpy(map_.bytes().data(), &raw, sizeof raw);
}

// Node, then current_size, then bucket: a node that is counted but not linked (killed in between) costs
// nothing to readers, whereas a linked one that is not counted would be overwritten by the next insertion.
bool SampleTable::insert(uint64_t key, uint32_t samples) noexcept {
    if (used_ > view_.mask) {
        if (retry_after_ != 0) {
            --retry_after_;
            return false;
        }
        if (!grow()) {
            retry_after_ = losses_between_attempts;
            return false;
        }
    }
    view_.nodes[used_] = {key, samples, 0};
    publish(descriptor().current_size, used_ + 1);
    view_.link(used_++);
    return true;
}

// The new hash table lies wholly beyond the old one, which becomes unused nodes. Until the descriptor holds
// the new size, the file is twice as long as the descriptor claims and its chains cannot be trusted; the
// nodes can, at any time.
bool SampleTable::grow() noexcept {
    const uint32_t slots = 2 * (view_.mask + 1);
    if (slots > max_sample_slots) return false;
    const size_t old_length = map_.bytes().size(), length = sample_file_length(slots);
    is_out_of_room_ = room_ && !room_->take(length - old_length);
    if (is_out_of_room_) return false;
    if (!reserve_space(fd_, old_length, length) || !map_.resize(length)) {
        // what was got in part goes back; if even that fails, the next attempt finds it
        [[maybe_unused]] const int ignored = ::ftruncate(fd_.get(), old_length);
        if (room_) room_->bytes += length - old_length;
        return false;
    }
    view_ = view_of(slots);
    for (uint32_t i = 1; i < used_; ++i)
        view_.link(i);
    publish(descriptor().size, slots);
    return true;
}

}  // namespace op
