// SPDX-License-Identifier: GPL-2.0-or-later
// Records are laid out here by hand after perf_event_open(2).
#include "daemon/perf/perf_decode.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/sysmacros.h>

#include "tests/unit/perf_bytes.h"

namespace op::collect {
namespace {

using test::PerfBytes;

constexpr uint64_t plain = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;

}  // namespace

TEST(PerfDecoder, a_sample_gives_its_fields) {
    PerfBytes bytes(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    bytes.u64(0x401136).u32(7).u32(8).u64(1234).u32(3).u32(0);
    ChainArena chains;
    const auto decoded = PerfDecoder(plain).decode(bytes.header(), chains);
    ASSERT_TRUE(decoded);
    const auto& s = std::get<Sample>(decoded->record);
    EXPECT_EQ(s.pc.value(), 0x401136u);
    EXPECT_EQ(s.tgid, 7u);
    EXPECT_EQ(s.tid, 8u);
    EXPECT_EQ(decoded->time, 1234u);
    EXPECT_EQ(s.cpu, 3u);
    EXPECT_EQ(s.mode, CpuMode::user);
}

TEST(PerfDecoder, a_chain_loses_its_markers_and_the_pc_itself) {
    PerfBytes bytes(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
    bytes.u64(0xffffffff81000010).u32(7).u32(8).u64(1).u32(0).u32(0);
    bytes.u64(6).u64(PERF_CONTEXT_KERNEL).u64(0xffffffff81000010).u64(0xffffffff81000020);
    bytes.u64(PERF_CONTEXT_USER).u64(0x401000).u64(0x402000);
    ChainArena chains;
    const auto decoded = PerfDecoder(plain | PERF_SAMPLE_CALLCHAIN).decode(bytes.header(), chains);
    const auto& s = std::get<Sample>(decoded->record);
    EXPECT_EQ(s.kernel_frames, 1);
    EXPECT_EQ(std::vector(s.chain.begin(), s.chain.end()),
              (std::vector<uint64_t>{0xffffffff81000020, 0x401000, 0x402000}));
}

TEST(PerfDecoder, a_chain_longer_than_its_record_is_counted_lost) {
    PerfBytes bytes(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    bytes.u64(0x401136).u32(7).u32(8).u64(1).u32(0).u32(0).u64(UINT64_MAX);
    ChainArena chains;
    const auto decoded = PerfDecoder(plain | PERF_SAMPLE_CALLCHAIN).decode(bytes.header(), chains);
    EXPECT_EQ(std::get<Lost>(decoded->record).cause, LossCause::damaged_stream);
}

TEST(PerfDecoder, a_damaged_record_of_a_process_is_a_loss_of_the_side_band) {
    ChainArena chains;
    for (const uint32_t type : {PERF_RECORD_MMAP2, PERF_RECORD_COMM, PERF_RECORD_FORK, PERF_RECORD_EXIT}) {
        PerfBytes cut(type, PERF_RECORD_MISC_USER);
        cut.u32(7).trailer(50, 0);
        PerfBytes shorter(type, PERF_RECORD_MISC_USER);
        shorter.u64(7);
        for (PerfBytes* bytes : {&cut, &shorter}) {
            const auto decoded = PerfDecoder(plain).decode(bytes->header(), chains);
            ASSERT_TRUE(decoded) << type;
            EXPECT_EQ(std::get<LostSideBand>(decoded->record).count, 1u) << type;
        }
    }
    PerfBytes loss(PERF_RECORD_LOST, 0);
    loss.u64(0);
    EXPECT_EQ(std::get<Lost>(PerfDecoder(plain).decode(loss.header(), chains)->record).count, 1u);
    PerfBytes throttle(PERF_RECORD_THROTTLE, 0);
    throttle.u64(0);
    EXPECT_FALSE(PerfDecoder(plain).decode(throttle.header(), chains));
}

TEST(PerfDecoder, events_are_distinguished_by_their_id) {
    PerfDecoder decoder(plain | PERF_SAMPLE_IDENTIFIER);
    decoder.add_event_id(500, 1);
    PerfBytes known(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    known.u64(500).u64(0x401136).u32(7).u32(8).u64(1234).u32(3).u32(0);
    PerfBytes unknown(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    unknown.u64(501).u64(0x401136).u32(7).u32(8).u64(1234).u32(3).u32(0);
    ChainArena chains;
    EXPECT_EQ(std::get<Sample>(decoder.decode(known.header(), chains)->record).event, 1);
    EXPECT_EQ(std::get<Sample>(decoder.decode(unknown.header(), chains)->record).event, UINT16_MAX);
}

TEST(PerfDecoder, a_mapping_brings_its_build_id) {
    PerfBytes bytes(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
    bytes.u32(7).u32(8).u64(0x400000).u64(0x1000).u64(0x2000);
    bytes.u32(20).u32(0x04030201).u64(0).u64(0);  // size byte, 3 reserved, 20 bytes of id
    bytes.u32(5).u32(2).text("/usr/bin/app").trailer(77, 1);
    ChainArena chains;
    const auto decoded = PerfDecoder(plain).decode(bytes.header(), chains);
    const auto& m = std::get<Mapping>(decoded->record);
    EXPECT_EQ(m.path, "/usr/bin/app");
    EXPECT_EQ(m.length, 0x1000u);
    EXPECT_EQ(m.file_offset, 0x2000u);
    ASSERT_EQ(m.build_id.size(), 20u);
    EXPECT_EQ(m.build_id[0], std::byte{1});
    EXPECT_EQ(decoded->time, 77u);
}

TEST(PerfDecoder, a_mapping_without_a_build_id_brings_device_inode_and_generation) {
    PerfBytes bytes(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
    bytes.u32(7).u32(8).u64(0x400000).u64(0x1000).u64(0x2000);
    bytes.u32(8).u32(1).u64(4711).u64(3);  // major, minor, inode, generation
    bytes.u32(5).u32(2).text("/usr/bin/app").trailer(77, 1);
    ChainArena chains;
    const auto decoded = PerfDecoder(plain).decode(bytes.header(), chains);
    const auto& m = std::get<Mapping>(decoded->record);
    EXPECT_TRUE(m.build_id.empty());
    EXPECT_EQ(m.file, (FileIdentity{makedev(8, 1), 4711, 3}));
}

TEST(PerfDecoder, names_forks_and_exits_carry_their_ids) {
    const PerfDecoder decoder(plain);
    ChainArena chains;
    PerfBytes comm(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
    comm.u32(7).u32(8).text("app").trailer(1, 0);
    EXPECT_TRUE(std::get<Name>(decoder.decode(comm.header(), chains)->record).exec);
    PerfBytes fork(PERF_RECORD_FORK, 0);
    fork.u32(9).u32(7).u32(10).u32(8).u64(1).trailer(1, 0);
    const auto f = std::get<Fork>(decoder.decode(fork.header(), chains)->record);
    EXPECT_EQ(f.tgid, 9u);
    EXPECT_EQ(f.parent_tgid, 7u);
    EXPECT_EQ(f.tid, 10u);
    EXPECT_EQ(f.parent_tid, 8u);
}

TEST(PerfDecoder, losses_and_throttling_are_reported) {
    const PerfDecoder decoder(plain);
    ChainArena chains;
    PerfBytes lost(PERF_RECORD_LOST, 0);
    lost.u64(1).u64(42).trailer(1, 3);
    const auto l = std::get<Lost>(decoder.decode(lost.header(), chains)->record);
    EXPECT_EQ(l.count, 42u);
    EXPECT_EQ(l.cpu, 3u);
    EXPECT_TRUE(decoder.decode(lost.header(), chains)->had_no_room);
    PerfBytes dropped(PERF_RECORD_LOST_SAMPLES, 0);
    dropped.u64(42).trailer(1, 3);
    EXPECT_EQ(std::get<Lost>(decoder.decode(dropped.header(), chains)->record).count, 42u);
    EXPECT_FALSE(decoder.decode(dropped.header(), chains)->had_no_room);
    PerfBytes throttle(PERF_RECORD_THROTTLE, 0);
    throttle.u64(1).u64(1).u64(1).trailer(1, 3);
    EXPECT_TRUE(std::get<Throttle>(decoder.decode(throttle.header(), chains)->record).on);
}

namespace {

/// Sampler 1, events 1 to 3: loads; cycles to retirement, kernel only; branches.
PerfDecoder sampling_decoder() {
    const auto how = [](uint32_t code) { return find_ibs_event(Sampler::ibs_op, code); };
    return PerfDecoder(
        plain | PERF_SAMPLE_CALLCHAIN,
        {{0,
          Sampler::ibs_op,
          {{1, how(0xf201), true, true}, {2, how(0xf101), true, false}, {3, how(0xf103), true, true}}}});
}

/// A sample with one caller and its raw bytes: capabilities, control, RIP, data, data 2, data 3.
PerfBytes op_sample(uint16_t mode, uint64_t data, uint64_t data3) {
    PerfBytes bytes(PERF_RECORD_SAMPLE, mode);
    bytes.u64(0x401136)
        .u32(7)
        .u32(8)
        .u64(1234)
        .u32(3)
        .u32(0)
        .u64(3)
        .u64(PERF_CONTEXT_USER)
        .u64(0x401136)
        .u64(0x402000);
    bytes.u32(44).u32(0x3ff).u64(0).u64(0x401136).u64(data).u64(0).u64(data3);
    return bytes;
}

std::vector<Record> delivered(const PerfDecoder& decoder, PerfBytes bytes) {
    ChainArena chains;
    std::vector<Record> records;
    const auto decoded = decoder.decode(bytes.header(), chains);
    if (decoded) decoder.deliver(*decoded, records);
    return records;
}

}  // namespace

TEST(PerfDecoder, a_samplers_sample_is_one_of_each_event_that_it_is) {
    const auto records =
        delivered(sampling_decoder(), op_sample(PERF_RECORD_MISC_KERNEL, 40 << 16 | uint64_t{1} << 37, 1));
    ASSERT_EQ(records.size(), 3u);
    const uint32_t weights[] = {1, 40, 1};
    for (size_t i = 0; i < 3; ++i) {
        const auto& sample = std::get<Sample>(records[i]);
        EXPECT_EQ(sample.event, i + 1);
        EXPECT_EQ(sample.weight, weights[i]);
        EXPECT_EQ(sample.pc.value(), 0x401136u);
        EXPECT_EQ(sample.cpu, 3u);
        EXPECT_EQ(sample.mode, CpuMode::kernel);
    }
}

TEST(PerfDecoder, modes_that_a_derived_event_does_not_count_in_are_left_out) {
    const auto records = delivered(sampling_decoder(), op_sample(PERF_RECORD_MISC_USER, 40 << 16, 1));
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(std::get<Sample>(records[0]).event, 1u);
}

TEST(PerfDecoder, a_samplers_sample_that_is_of_no_event_is_neither_stored_nor_lost) {
    EXPECT_TRUE(delivered(sampling_decoder(), op_sample(PERF_RECORD_MISC_USER, 0, 0)).empty());
}

TEST(PerfDecoder, a_samplers_sample_that_is_cut_off_is_lost) {
    for (const uint32_t size : {0u, 4u, 12u, 36u}) {
        PerfBytes bytes(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
        bytes.u64(0x401136).u32(7).u32(8).u64(1234).u32(3).u32(0).u64(0).u32(size);
        for (uint32_t i = 0; i < size; i += 4)
            bytes.u32(~0u);
        const auto records = delivered(sampling_decoder(), bytes);
        ASSERT_EQ(records.size(), 1u) << size;
        EXPECT_EQ(std::get<Lost>(records[0]).cause, LossCause::damaged_stream);
        EXPECT_EQ(std::get<Lost>(records[0]).count, 1u);
    }
}

TEST(PerfDecoder, raw_bytes_beyond_the_record_are_a_loss) {
    PerfBytes bytes(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    bytes.u64(0x401136).u32(7).u32(8).u64(1234).u32(3).u32(0).u64(0).u32(UINT32_MAX).u32(0);
    const auto records = delivered(sampling_decoder(), bytes);
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(std::get<Lost>(records[0]).cause, LossCause::damaged_stream);
}

TEST(PerfDecoder, a_sampler_held_back_holds_back_all_its_events) {
    PerfBytes throttle(PERF_RECORD_THROTTLE, 0);
    throttle.u64(1).u64(1).u64(1).trailer(1, 3);
    const auto records = delivered(sampling_decoder(), throttle);
    ASSERT_EQ(records.size(), 3u);
    EXPECT_EQ(std::get<Throttle>(records[2]).event, 3u);
}

TEST(PerfDecoder, other_records_are_delivered_as_they_are) {
    PerfBytes bytes(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    bytes.u64(0x401136).u32(7).u32(8).u64(1234).u32(3).u32(0);
    const auto records = delivered(PerfDecoder(plain), bytes);
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(std::get<Sample>(records[0]).weight, 1u);
}

TEST(ChainArena, chains_of_a_thousand_processors_are_all_kept) {
    ChainArena chains;
    for (int round = 0; round < 2; ++round) {
        std::vector<std::span<const uint64_t>> kept;
        for (uint64_t cpu = 0; cpu < 1000; ++cpu) {
            const size_t start = chains.mark();
            for (uint64_t i = 0; i < 127; ++i)
                chains.add(cpu << 32 | i);
            kept.push_back(chains.since(start));
        }
        EXPECT_FALSE(chains.has_room()) << "the batch ends here";
        for (uint64_t cpu = 0; cpu < 1000; ++cpu) {
            ASSERT_EQ(kept[cpu].size(), 127u);
            ASSERT_EQ(kept[cpu].front(), cpu << 32);
            ASSERT_EQ(kept[cpu].back(), cpu << 32 | 126);
        }
        chains.clear();
        EXPECT_TRUE(chains.has_room());
    }
}

}  // namespace op::collect
