// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf/perf_ring.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "tests/unit/fake_perf_ring.h"

namespace op::collect {
namespace {

class Rings : public ::testing::Test {
protected:
    perf_event_mmap_page& head() const { return kernel_.head(); }
    /// Writes a record whose body counts bytes from 1, as the kernel does.
    void put(uint16_t size) {
        std::vector<uint64_t> room((size + 7) / 8);
        auto* bytes = reinterpret_cast<unsigned char*>(room.data());
        std::iota(bytes, bytes + size, static_cast<unsigned char>(1 - sizeof(perf_event_header)));
        const perf_event_header header{PERF_RECORD_SAMPLE, 0, size};
        std::memcpy(bytes, &header, sizeof header);
        ASSERT_TRUE(kernel_.put(*reinterpret_cast<const perf_event_header*>(bytes)));
    }
    bool is_whole(const perf_event_header* record, uint16_t size) {
        if (!record || record->size != size) return false;
        const auto* body = reinterpret_cast<const unsigned char*>(record);
        for (size_t i = sizeof *record; i < size; ++i)
            if (body[i] != static_cast<unsigned char>(1 + i - sizeof *record)) return false;
        return true;
    }

    test::FakePerfRing kernel_;
    static constexpr size_t size_ = test::FakePerfRing::size;
    std::unique_ptr<PerfRing> ring_ = std::make_unique<PerfRing>(kernel_.reader());
};

}  // namespace

TEST_F(Rings, a_record_of_impossible_size_is_reported_as_cut_off) {
    put(64);
    ring_->update();
    EXPECT_TRUE(ring_->peek());
    EXPECT_EQ(ring_->take_cuts(), 0u);
    const perf_event_header impossible{PERF_RECORD_SAMPLE, 0, 4};
    std::memcpy(kernel_.data(), &impossible, sizeof impossible);
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

TEST_F(Rings, fullness_is_of_what_was_seen_and_not_taken) {
    EXPECT_EQ(ring_->fullness(), 0u);
    put(size_ / 2);
    EXPECT_EQ(ring_->fullness(), 0u);
    ring_->update();
    EXPECT_EQ(ring_->fullness(), 50u);
    ASSERT_TRUE(ring_->peek());
    ring_->pop();
    EXPECT_EQ(ring_->fullness(), 0u);
    head().data_head = UINT64_MAX;
    ring_->update();
    EXPECT_GT(ring_->fullness(), 100u);
}

TEST_F(Rings, records_after_update_wait_for_the_next_update) {
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
    for (const uint16_t size : {0, 4, 20, 4000}) {
        const uint64_t at = head().data_head % size_;
        put(48);
        reinterpret_cast<perf_event_header*>(kernel_.data() + at)->size = size;
        ring_->update();
        EXPECT_EQ(ring_->peek(), nullptr) << size;
        EXPECT_EQ(ring_->peek(), nullptr);
        put(24);
        ring_->update();
        EXPECT_TRUE(is_whole(ring_->peek(), 24));
        ring_->pop();
    }
}

TEST_F(Rings, nothing_beyond_the_ring_is_read_whatever_the_head_is) {
    const uint64_t heads[] = {size_ + 64, 3, UINT64_MAX - 64, size_ - 4};
    for (const uint64_t wrong : heads) {
        head().data_head = wrong;
        ring_->update();
        for (size_t n = 0; ring_->peek(); ++n) {
            ASSERT_LT(n, size_);
            ring_->pop();
        }
        ring_->release();
    }
    EXPECT_GT(ring_->take_cuts(), 0u);
}

}  // namespace op::collect
