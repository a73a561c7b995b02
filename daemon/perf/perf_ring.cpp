// SPDX-License-Identifier: GPL-2.0-or-later
// Mapping and walking a perf ring.
#include "daemon/perf/perf_ring.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "libop/base/error.h"

namespace op::collect {
namespace {

/// What positions and sizes in a ring are multiples of (bytes).
constexpr size_t word = sizeof(uint64_t);

}  // namespace

PerfRing::PerfRing(int fd, size_t data_size) : data_size_(data_size) {
    const size_t page = ::sysconf(_SC_PAGESIZE);
    void* base = ::mmap(nullptr, page + data_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (base == MAP_FAILED) throw_system("cannot map the kernel's sample buffer");
    page_ = static_cast<perf_event_mmap_page*>(base);
    data_ = static_cast<const std::byte*>(base) + page;
}

PerfRing::~PerfRing() {
    if (page_) ::munmap(page_, ::sysconf(_SC_PAGESIZE) + data_size_);
}

void PerfRing::update() noexcept {
    // Records are whole words; rounded down, so that none begins within a word whatever the head is.
    head_ = __atomic_load_n(&page_->data_head, __ATOMIC_ACQUIRE) / word * word;
}

bool PerfRing::is_possible(size_t size) const noexcept {
    return size >= sizeof(perf_event_header) && size % word == 0 && size <= head_ - next_ &&
           head_ - next_ <= data_size_;
}

const perf_event_header* PerfRing::peek() {
    if (head_ == next_) return nullptr;
    const size_t at = next_ & (data_size_ - 1);
    const auto* header = reinterpret_cast<const perf_event_header*>(data_ + at);  // 8-aligned, never split
    if (!is_possible(header->size)) {
        next_ = head_;
        ++cuts_;
        return nullptr;
    }
    if (at + header->size <= data_size_) return header;
    split_.resize(header->size / word);
    const size_t first = data_size_ - at;
    std::memcpy(split_.data(), data_ + at, first);
    std::memcpy(reinterpret_cast<std::byte*>(split_.data()) + first, data_, header->size - first);
    return reinterpret_cast<const perf_event_header*>(split_.data());
}

void PerfRing::pop() noexcept {
    const auto* header = reinterpret_cast<const perf_event_header*>(data_ + (next_ & (data_size_ - 1)));
    next_ += header->size;
}

void PerfRing::release() noexcept {
    __atomic_store_n(&page_->data_tail, next_, __ATOMIC_RELEASE);
}

}  // namespace op::collect
