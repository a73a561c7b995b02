// SPDX-License-Identifier: GPL-2.0-or-later
// Adding and counting. The order of stores is the subject here: a reader copies the file at any moment, and a
// SIGKILL can come between any two of them.
#include "libop/stacks/stack_table.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "libop/base/error.h"

namespace op {

namespace {

constexpr uint32_t refusals_between_attempts = 1023;

/// The steps by which a file grows, so that a file left by a crash wastes little space.
constexpr size_t least_growth = 16384, growth_divisor = 8;

uint64_t load(const uint64_t& entry) noexcept {
    return __atomic_load_n(&entry, __ATOMIC_RELAXED);
}

void store(uint64_t& entry, uint64_t value) noexcept {
    __atomic_store_n(&entry, value, __ATOMIC_RELAXED);
}

unsigned low_bits_of(StackFileKind kind) noexcept {
    return kind == StackFileKind::nodes ? stack_count_bits : 0;
}

}  // namespace

StackTable::StackTable(const StackFilePlace& at, const StackEntryCheck& check, uint32_t most, ByteRoom& room,
                       Diagnostics& notes)
    : low_bits_(low_bits_of(at.kind)),
      most_(std::min(most, most_stack_entries)),
      room_(room),
      used_(0),
      index_(low_bits_) {
    OpenStackFile opened = open_stack_file(at, check, notes);
    file_ = std::move(opened.file);
    map_ = std::move(opened.map);
    used_ = opened.used;
    was_intact_ = opened.is_intact;
    use_mapping();
    if (!index_.reserve(entries_, used_ + 1)) throw_system("cannot open " + at.label, ENOMEM);
    for (uint32_t number = 1; number <= used_; ++number)
        index_.put(entries_, load(entries_[number]) >> low_bits_, number);
    if (used_ == 0 && !grow() && !is_out_of_room_) throw_system("cannot write " + at.label);
}

StackTable::~StackTable() {
    if (trim_stack_file(file_, used_)) room_.bytes += map_.bytes().size() - stack_file_length(used_);
}

void StackTable::use_mapping() noexcept {
    static_assert(sizeof(RawStackFileHeader) == 2 * sizeof(uint64_t));
    entries_ = reinterpret_cast<uint64_t*>(map_.bytes().data()) + 1;
    capacity_ = static_cast<uint32_t>((map_.bytes().size() - sizeof(RawStackFileHeader)) / sizeof(uint64_t));
}

uint64_t StackTable::entry(uint32_t number) const noexcept {
    return load(entries_[number]);
}

// Entry, then `used`: of an entry that was not counted (killed in between) nobody knows.
uint32_t StackTable::append(uint64_t key) noexcept {
    if (used_ >= most_ || !has_room() || !index_.reserve(entries_, 1)) return 0;
    const uint32_t number = used_ + 1;
    store(entries_[number], key << low_bits_);
    auto& header = *reinterpret_cast<RawStackFileHeader*>(map_.bytes().data());
    std::atomic_ref(header.used).store(number, std::memory_order_release);
    used_ = number;
    index_.put(entries_, key, number);
    return number;
}

uint32_t StackTable::count_here(uint32_t number, uint32_t samples) noexcept {
    const uint64_t entry = load(entries_[number]);
    const uint32_t room = most_node_samples - parse_stack_node(entry).count;
    const uint32_t stored = std::min(samples, room);
    store(entries_[number], entry + stored);
    return stored;
}

uint32_t StackTable::count(uint32_t number, uint32_t samples) noexcept {
    uint32_t left = samples - count_here(number, samples);
    if (left == 0) return samples;
    // The node is full: the newest node of its further samples counts.
    const uint64_t key = stack_node_key(number, 0);
    uint32_t further = number_of(key);
    while (further != 0) {
        left -= count_here(further, left);
        if (left == 0) break;
        further = append(key);
    }
    return samples - left;
}

bool StackTable::has_room() noexcept {
    if (used_ < capacity_) return true;
    if (retry_after_ != 0) {
        --retry_after_;
        return false;
    }
    if (grow()) return true;
    retry_after_ = refusals_between_attempts;
    return false;
}

bool StackTable::grow() noexcept {
    const size_t length = map_.bytes().size();
    const size_t wanted = length + std::max(least_growth, length / growth_divisor);
    return extend(wanted) || extend(length + 1);
}

/// Makes the file that long, or a little longer.
bool StackTable::extend(size_t length) noexcept {
    const size_t old_length = map_.bytes().size();
    length = std::min((length + stack_file_step - 1) / stack_file_step * stack_file_step, stack_file_limit);
    is_out_of_room_ = length <= old_length || !room_.take(length - old_length);
    if (is_out_of_room_) return false;
    if (!reserve_space(file_, old_length, length) || !map_.resize(length)) {
        const int error = errno;
        // what was got in part goes back; if even that fails, the next attempt finds it
        [[maybe_unused]] const int ignored = ::ftruncate(file_.get(), static_cast<off_t>(old_length));
        room_.bytes += length - old_length;
        errno = error;
        return false;
    }
    use_mapping();
    return true;
}

}  // namespace op
