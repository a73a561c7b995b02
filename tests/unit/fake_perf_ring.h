// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's side of a perf ring, played by writing to the same memory.
#pragma once

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "daemon/perf/perf_ring.h"
#include "libop/base/fd.h"

namespace op::test {

class FakePerfRing {
public:
    FakePerfRing() {
        if (::ftruncate(memory_.get(), static_cast<off_t>(page + size)) != 0)
            throw std::runtime_error("ftruncate");
        void* base = ::mmap(nullptr, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, memory_.get(), 0);
        if (base == MAP_FAILED) throw std::runtime_error("mmap");
        base_ = static_cast<std::byte*>(base);
    }
    FakePerfRing(const FakePerfRing&) = delete;
    FakePerfRing& operator=(const FakePerfRing&) = delete;
    ~FakePerfRing() { ::munmap(base_, page + size); }

    /// What the reader maps.
    collect::PerfRing reader() const { return {memory_.get(), size}; }
    perf_event_mmap_page& head() const { return *reinterpret_cast<perf_event_mmap_page*>(base_); }
    std::byte* data() const { return base_ + page; }
    /// Writes a record as the kernel does; false if it finds no room.
    bool put(const perf_event_header& record) const {
        if (head().data_head + record.size - head().data_tail > size) return false;
        const auto* bytes = reinterpret_cast<const std::byte*>(&record);
        for (size_t i = 0; i < record.size; ++i)
            data()[(head().data_head + i) % size] = bytes[i];
        head().data_head += record.size;
        return true;
    }

    static constexpr size_t size = 4096;
    const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));

private:
    Fd memory_{::memfd_create("ring", MFD_CLOEXEC)};
    std::byte* base_ = nullptr;
};

}  // namespace op::test
