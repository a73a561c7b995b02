// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's side of the ring is played by writing to the same memory.
#include "daemon/perf/perf_ring.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <numeric>

#include "libop/base/fd.h"

namespace op::collect {
namespace {

class Rings : public ::testing::Test {
protected:
    Rings() {
        if (::ftruncate(memory_.get(), page_ + size_) != 0) std::abort();
        base_ = static_cast<std::byte*>(
            ::mmap(nullptr, page_ + size_, PROT_READ | PROT_WRITE, MAP_SHARED, memory_.get(), 0));
        ring_ = std::make_unique<PerfRing>(memory_.get(), size_);
    }
    ~Rings() override { ::munmap(base_, page_ + size_); }

    perf_event_mmap_page& head() { return *reinterpret_cast<perf_event_mmap_page*>(base_); }
    /// Writes a record whose body counts bytes from 1, as the kernel does.
    void put(uint16_t size) {
        std::vector<unsigned char> bytes(size);
        std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(1 - sizeof(perf_event_header)));
        const perf_event_header header{PERF_RECORD_SAMPLE, 0, size};
        std::memcpy(bytes.data(), &header, sizeof header);
        for (size_t i = 0; i < size; ++i)
            base_[page_ + (head().data_head + i) % size_] = std::byte{bytes[i]};
        head().data_head += size;
    }
    bool is_whole(const perf_event_header* record, uint16_t size) {
        if (!record || record->size != size) return false;
        const auto* body = reinterpret_cast<const unsigned char*>(record);
        for (size_t i = sizeof *record; i < size; ++i)
            if (body[i] != static_cast<unsigned char>(1 + i - sizeof *record)) return false;
        return true;
    }

    const size_t page_ = ::sysconf(_SC_PAGESIZE), size_ = 4096;
    Fd memory_{::memfd_create("ring", MFD_CLOEXEC)};
    std::byte* base_ = nullptr;
    std::unique_ptr<PerfRing> ring_;
};

}  // namespace

TEST_F(Rings, what_is_cut_off_by_an_impossible_size_is_told) {
    put(64);
    ring_->update();
    EXPECT_TRUE(ring_->peek());
    EXPECT_EQ(ring_->take_cuts(), 0u);
    const perf_event_header impossible{PERF_RECORD_SAMPLE, 0, 4};
    std::memcpy(base_ + page_, &impossible, sizeof impossible);
    EXPECT_FALSE(ring_->peek());
    EXPECT_EQ(ring_->take_cuts(), 1u);
    EXPECT_EQ(ring_->take_cuts(), 0u) << "once";
    put(64);
    ring_->update();
    EXPECT_TRUE(ring_->peek()) << "what comes later is read again";
}

TEST_F(Rings, a_record_across_the_end_comes_in_one_piece) {
    for (const uint16_t rest : {8, 16, 64, 400}) {
        put(static_cast<uint16_t>(size_ - head().data_head % size_ - rest));
        ring_->update();
        ASSERT_TRUE(ring_->peek());
        ring_->pop();
        ring_->release();
        put(512);
        put(40);
        ring_->update();
        EXPECT_TRUE(is_whole(ring_->peek(), 512)) << rest;
        ring_->pop();
        EXPECT_TRUE(is_whole(ring_->peek(), 40)) << rest;
        ring_->pop();
        EXPECT_EQ(ring_->peek(), nullptr);
        ring_->release();
        EXPECT_EQ(head().data_tail, head().data_head);
    }
}

TEST_F(Rings, what_came_after_update_waits_for_the_next) {
    put(24);
    EXPECT_EQ(ring_->peek(), nullptr);
    ring_->update();
    put(32);
    EXPECT_TRUE(is_whole(ring_->peek(), 24));
    ring_->pop();
    EXPECT_EQ(ring_->peek(), nullptr);
    EXPECT_EQ(head().data_tail, 0u) << "room is given back by release() only";
}

TEST_F(Rings, an_impossible_size_ends_what_can_be_read) {
    for (const uint16_t size : {0, 4, 4000}) {
        const uint64_t at = head().data_head % size_;
        put(48);
        reinterpret_cast<perf_event_header*>(base_ + page_ + at)->size = size;
        ring_->update();
        EXPECT_EQ(ring_->peek(), nullptr) << size;
        EXPECT_EQ(ring_->peek(), nullptr);
        put(24);
        ring_->update();
        EXPECT_TRUE(is_whole(ring_->peek(), 24));
        ring_->pop();
    }
}

}  // namespace op::collect
