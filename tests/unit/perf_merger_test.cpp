// SPDX-License-Identifier: GPL-2.0-or-later
// Rings of several CPUs whose kernel is played by the test.
#include "daemon/perf/perf_merger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "tests/unit/fake_perf_ring.h"
#include "tests/unit/perf_bytes.h"

namespace op::collect {
namespace {

using test::PerfBytes;

constexpr uint64_t plain = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
constexpr uint64_t all = UINT64_MAX;

/// "TIME@CPU" of a sample, "CAUSE COUNT@CPU" of a loss, "exit TIME" of an exit.
std::string text(const Record& record) {
    if (const auto* s = std::get_if<Sample>(&record))
        return std::to_string(s->time) + "@" + std::to_string(s->cpu);
    if (const auto* l = std::get_if<Lost>(&record))
        return std::string(loss_name(l->cause)) + " " + std::to_string(l->count) + "@" +
               std::to_string(l->cpu);
    if (const auto* e = std::get_if<Exit>(&record)) return "exit " + std::to_string(e->time);
    if (const auto* b = std::get_if<LostSideBand>(&record)) return "side band " + std::to_string(b->count);
    return "another";
}

using Texts = std::vector<std::string>;

class PerfMergers : public ::testing::Test {
protected:
    void add_cpus(size_t count) {
        for (size_t cpu = 0; cpu < count; ++cpu)
            merger_.add_ring(static_cast<uint32_t>(cpu), kernels_.emplace_back().reader());
    }
    /// The side bands of as many CPUs, in bands_.
    void add_side_bands(size_t count) {
        for (size_t cpu = 0; cpu < count; ++cpu)
            merger_.add_side_band(static_cast<uint32_t>(cpu), bands_.emplace_back().reader());
    }
    static bool put_exit(test::FakePerfRing& ring, uint64_t time) {
        PerfBytes exit(PERF_RECORD_EXIT, 0);
        exit.u32(7).u32(7).u32(8).u32(8).u64(time).trailer(time, 0);
        return ring.put(exit.header());
    }
    bool put_sample(uint32_t cpu, uint64_t time) {
        PerfBytes bytes(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
        bytes.u64(0x401136).u32(7).u32(8).u64(time).u32(cpu).u32(0);
        return kernels_[cpu].put(bytes.header());
    }
    void put_samples(uint32_t cpu, const std::vector<uint64_t>& times) {
        for (const uint64_t time : times)
            ASSERT_TRUE(put_sample(cpu, time));
    }
    void put_loss(uint32_t cpu, uint64_t time, uint64_t count) { put_loss(kernels_[cpu], time, count); }
    static void put_loss(test::FakePerfRing& ring, uint64_t time, uint64_t count) {
        PerfBytes bytes(PERF_RECORD_LOST, 0);
        bytes.u64(0).u64(count).trailer(time, 0);
        ASSERT_TRUE(ring.put(bytes.header()));
    }
    /// Samples of CPU 0 at 5, 30 and 60; the side band loses that many between exits at 10 and 51.
    void lose_between_exits(uint64_t count) {
        add_side_bands(1);
        add_cpus(1);
        ASSERT_TRUE(put_exit(bands_[0], 10));
        put_loss(bands_[0], 50, count);
        ASSERT_TRUE(put_exit(bands_[0], 51));
        put_samples(0, {5, 30, 60});
    }
    Texts merge(uint64_t until = all) {
        std::vector<Record> records;
        merger_.merge(until, records);
        return texts(records);
    }
    template <typename R>
    static Texts texts(const std::vector<R>& records) {
        Texts result;
        for (const auto& record : records)
            result.push_back(text(record));
        return result;
    }

    std::deque<test::FakePerfRing> kernels_;  ///< by CPU
    std::deque<test::FakePerfRing> bands_;    ///< by CPU: the side band
    PerfMerger merger_{PerfDecoder(plain)};
};

}  // namespace

TEST_F(PerfMergers, records_of_several_cpus_come_in_the_order_of_their_times) {
    add_cpus(3);
    put_samples(0, {10, 40, 50});
    put_samples(1, {20, 30, 90});
    put_samples(2, {5, 60});
    EXPECT_EQ(merge(), (Texts{"5@2", "10@0", "20@1", "30@1", "40@0", "50@0", "60@2", "90@1"}));
    EXPECT_EQ(merge(), Texts{});
}

TEST_F(PerfMergers, records_of_equal_time_come_in_the_order_of_the_rings_and_within_one_as_written) {
    add_cpus(2);
    put_samples(1, {10, 10});
    put_samples(0, {10});
    PerfBytes exit(PERF_RECORD_EXIT, 0);
    exit.u32(7).u32(7).u32(8).u32(8).u64(10).trailer(10, 0);
    ASSERT_TRUE(kernels_[0].put(exit.header()));
    EXPECT_EQ(merge(), (Texts{"10@0", "exit 10", "10@1", "10@1"}));
}

TEST_F(PerfMergers, an_empty_ring_holds_nothing_back) {
    add_cpus(3);
    put_samples(0, {10});
    put_samples(2, {20});
    EXPECT_EQ(merge(), (Texts{"10@0", "20@2"}));
}

TEST_F(PerfMergers, records_younger_than_the_limit_wait_and_older_ones_that_arrive_late_go_before_them) {
    add_cpus(2);
    put_samples(0, {10, 20, 21, 30});
    EXPECT_EQ(merge(20), (Texts{"10@0", "20@0"}));
    EXPECT_EQ(merge(20), Texts{});
    put_samples(1, {15, 25});
    EXPECT_EQ(merge(20), Texts{"15@1"}) << "written after its time had been passed: delivered, not lost";
    EXPECT_EQ(merge(25), (Texts{"21@0", "25@1"}));
    EXPECT_EQ(merge(), Texts{"30@0"});
}

TEST_F(PerfMergers, records_without_interest_are_passed_over) {
    add_cpus(1);
    PerfBytes other(PERF_RECORD_AUX, 0);
    other.u64(1).u64(2).u64(3).trailer(5, 0);
    ASSERT_TRUE(kernels_[0].put(other.header()));
    put_samples(0, {10});
    EXPECT_EQ(merge(), Texts{"10@0"});
}

TEST_F(PerfMergers, a_loss_that_a_record_reported_is_not_reported_again_at_the_end) {
    add_cpus(3);
    put_samples(0, {10});
    put_loss(0, 20, 3);
    put_samples(1, {15});
    EXPECT_EQ(merge(), (Texts{"10@0", "15@1", "kernel_buffer 3@0"}));
    const uint64_t lost[] = {5, 0, 4};
    EXPECT_EQ(texts(merger_.unreported_losses(lost)), (Texts{"kernel_buffer 2@0", "kernel_buffer 4@2"}));
    EXPECT_EQ(texts(merger_.unreported_losses(lost)), Texts{}) << "once";
    const uint64_t unknown[] = {0, 0, 0};
    EXPECT_EQ(texts(merger_.unreported_losses(unknown)), Texts{});
}

TEST_F(PerfMergers, samples_and_side_bands_of_all_cpus_come_in_one_order_of_time) {
    add_side_bands(2);
    add_cpus(2);
    put_samples(0, {10, 30, 40});
    put_samples(1, {20, 50});
    for (const uint64_t time : {15, 30, 60})
        ASSERT_TRUE(put_exit(bands_[1], time));
    EXPECT_EQ(merge(), (Texts{"10@0", "exit 15", "20@1", "exit 30", "30@0", "40@0", "50@1", "exit 60"}))
        << "the side band first at the same time";
}

TEST_F(PerfMergers, what_the_side_band_lost_is_no_sample_and_comes_when_it_may_have_happened) {
    lose_between_exits(923275);
    EXPECT_EQ(merge(), (Texts{"5@0", "exit 10", "side band 923275", "30@0", "exit 51", "60@0"}));
    EXPECT_EQ(texts(merger_.unreported_losses({})), Texts{});
}

TEST_F(PerfMergers, a_loss_of_the_side_band_is_reported_once_whoever_counts_it_first) {
    add_side_bands(2);
    add_cpus(1);
    const uint64_t lost[] = {7, 2};
    EXPECT_EQ(merger_.unreported_side_band(lost), 9u);
    EXPECT_EQ(merger_.unreported_side_band(lost), 0u);
    put_loss(bands_[0], 10, 7);
    EXPECT_EQ(merge(), Texts{"side band 0"}) << "the number is known, the place is not";
    put_loss(bands_[0], 20, 3);
    put_samples(0, {15});
    EXPECT_EQ(merge(12), Texts{"side band 3"});
    EXPECT_EQ(merge(), Texts{"15@0"});
    const uint64_t later[] = {11, 2};
    EXPECT_EQ(merger_.unreported_side_band(later), 1u);
}

TEST_F(PerfMergers, a_loss_of_the_side_band_has_its_place_also_if_the_kernels_count_came_first) {
    lose_between_exits(4);
    const uint64_t lost[] = {6};
    EXPECT_EQ(merger_.unreported_side_band(lost), 6u);
    EXPECT_EQ(merge(), (Texts{"5@0", "exit 10", "side band 0", "30@0", "exit 51", "60@0"}));
    put_loss(bands_[0], 70, 3);
    EXPECT_EQ(merge(), Texts{"side band 1"}) << "of seven, six are known";
    put_loss(0, 80, 2);
    EXPECT_EQ(merge(), Texts{"kernel_buffer 2@0"});
}

TEST_F(PerfMergers, a_damaged_record_of_a_process_is_lost_since_the_record_before) {
    add_side_bands(1);
    add_cpus(1);
    ASSERT_TRUE(put_exit(bands_[0], 10));
    PerfBytes cut(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
    cut.u32(7).u32(7).trailer(50, 0);
    ASSERT_TRUE(bands_[0].put(cut.header()));
    put_samples(0, {5, 30});
    EXPECT_EQ(merge(), (Texts{"5@0", "exit 10", "side band 1", "30@0"}));
}

TEST_F(PerfMergers, a_loss_that_waits_for_its_time_counts_once) {
    add_side_bands(1);
    add_cpus(1);
    ASSERT_TRUE(put_exit(bands_[0], 40));
    put_loss(0, 50, 5);
    for (const uint64_t until : {10, 20, 30})
        EXPECT_EQ(merge(until), Texts{});
    EXPECT_EQ(merge(), (Texts{"exit 40", "kernel_buffer 5@0"}));
    const uint64_t lost[] = {5};
    EXPECT_EQ(texts(merger_.unreported_losses(lost)), Texts{});
}

TEST_F(PerfMergers, an_overflow_of_the_side_band_costs_no_sample) {
    add_side_bands(1);
    add_cpus(1);
    uint64_t time = 0, refused = 0;
    while (put_exit(bands_[0], time + 1))
        ++time;
    for (uint64_t i = 0; i < 1000; ++i)
        refused += !put_exit(bands_[0], ++time);
    EXPECT_EQ(refused, 1000u);
    put_samples(0, {time + 1});
    const Texts merged = merge();
    EXPECT_EQ(merged.back(), std::to_string(time + 1) + "@0");
    EXPECT_EQ(std::ranges::count_if(merged, [](const std::string& s) { return s.ends_with("@0"); }), 1);
}

TEST_F(PerfMergers, a_full_ring_has_room_again_after_the_next_call_and_nothing_of_it_is_lost) {
    add_cpus(2);
    uint64_t time = 0;
    while (put_sample(0, time + 1))
        ++time;
    put_samples(1, {1});
    EXPECT_EQ(merge().size(), time + 1);
    EXPECT_FALSE(put_sample(0, time + 1)) << "the views of the last batch are still used";
    EXPECT_EQ(merge(), Texts{});
    const uint64_t first = time + 1;
    while (put_sample(0, time + 1))
        ++time;
    const Texts again = merge();
    EXPECT_EQ(again.size(), time + 1 - first);
    EXPECT_EQ(again.front(), std::to_string(first) + "@0");
    EXPECT_EQ(again.back(), std::to_string(time) + "@0");
}

TEST_F(PerfMergers, many_records_come_in_several_batches_still_in_order) {
    add_cpus(16);
    uint64_t count = 0;
    for (uint64_t time = 1; time <= 80; ++time)
        for (uint32_t cpu = 0; cpu < kernels_.size(); ++cpu, ++count)
            ASSERT_TRUE(put_sample(cpu, time * 16 + (cpu * 5) % 16));
    std::vector<Record> records;
    uint64_t last = 0, seen = 0, batches = 0;
    for (; merger_.merge(all, records), !records.empty(); records.clear(), ++batches)
        for (const Record& record : records) {
            const uint64_t time = std::get<Sample>(record).time;
            EXPECT_LT(last, time);
            last = time;
            ++seen;
        }
    EXPECT_EQ(seen, count);
    EXPECT_GT(batches, 1u);
}

TEST_F(PerfMergers, shows_how_full_the_fullest_ring_of_samples_was) {
    add_cpus(2);
    merge();
    EXPECT_EQ(merger_.take_fullness(), 0u);
    for (uint64_t time = 1; put_sample(1, time);)
        ++time;
    merge();
    EXPECT_GT(merger_.take_fullness(), 90u);
    EXPECT_EQ(merger_.take_fullness(), 0u) << "once";
}

TEST_F(PerfMergers, a_damaged_sample_is_lost_on_the_cpu_of_its_ring) {
    add_cpus(2);
    PerfBytes cut(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    cut.u64(0x401136);
    ASSERT_TRUE(kernels_[1].put(cut.header()));
    put_samples(1, {10});
    EXPECT_EQ(merge(), (Texts{"damaged_stream 1@1", "10@1"}));
}

TEST_F(PerfMergers, what_a_record_of_impossible_size_cuts_off_is_a_loss_in_the_next_batch_or_at_the_end) {
    add_cpus(2);
    const auto damage = [&](uint32_t cpu) {
        const size_t at = kernels_[cpu].head().data_head % test::FakePerfRing::size;
        ASSERT_TRUE(put_sample(cpu, 10));
        reinterpret_cast<perf_event_header*>(kernels_[cpu].data() + at)->size = 4;
    };
    damage(1);
    put_samples(0, {10});
    EXPECT_EQ(merge(), Texts{"10@0"});
    put_samples(1, {20});
    EXPECT_EQ(merge(), (Texts{"damaged_stream 1@1", "20@1"}));
    damage(0);
    EXPECT_EQ(merge(), Texts{});
    EXPECT_EQ(texts(merger_.unreported_losses({})), Texts{"damaged_stream 1@0"});
}

}  // namespace op::collect
