// SPDX-License-Identifier: GPL-2.0-or-later
// One perf ring buffer: the shared memory between kernel and reader (perf_event_open(2), "MMAP layout").
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

struct perf_event_header;
struct perf_event_mmap_page;

namespace op::collect {

/// Reads records in place. Records stay valid until release(). Not thread-safe.
class PerfRing {
public:
    /// Maps the ring of an event with `data_size` bytes (a power of two times the page size) of room for
    /// records. Throws a system error whose code() is EPERM if the locked-memory limit forbids it.
    PerfRing(int fd, size_t data_size);
    PerfRing(PerfRing&& other) noexcept
        : page_(std::exchange(other.page_, nullptr)),
          data_(other.data_),
          data_size_(other.data_size_),
          head_(other.head_),
          next_(other.next_),
          cuts_(other.cuts_),
          split_(std::move(other.split_)) {}
    PerfRing& operator=(PerfRing&&) = delete;
    ~PerfRing();

    /// Looks how far the kernel has come.
    void update() noexcept;
    /// The share of the ring that is filled by what update() saw and pop() did not take, in percent; more
    /// than 100 if the kernel's position is wrong.
    unsigned fullness() const noexcept {
        return static_cast<unsigned>(std::min<uint64_t>(head_ - next_, 2 * data_size_) * 100 / data_size_);
    }
    /// The next record up to where update() saw, or null. A record with an impossible size, or more content
    /// than the ring has room for, ends the content as seen by update(): all of it from there on is lost.
    const perf_event_header* peek();
    /// How often that happened since the last call.
    uint64_t take_cuts() noexcept { return std::exchange(cuts_, 0); }
    /// Goes past the record peek() gave.
    void pop() noexcept;
    /// Gives the room of all popped records back to the kernel.
    void release() noexcept;

private:
    bool is_possible(size_t size) const noexcept;

    perf_event_mmap_page* page_ = nullptr;
    const std::byte* data_ = nullptr;
    size_t data_size_ = 0;
    uint64_t head_ = 0;            ///< end of what may be read
    uint64_t next_ = 0;            ///< start of the next record
    uint64_t cuts_ = 0;            ///< see take_cuts()
    std::vector<uint64_t> split_;  ///< copy of the one record that straddles the ring's end
};

}  // namespace op::collect
