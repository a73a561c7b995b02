// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/stream/stream.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "kernel/uapi/op_stream.h"

#include "tests/unit/temp_dir.h"

namespace op {
namespace {

constexpr uint64_t chain[] = {0x10, 0x20, 0x30};
constexpr Place places[] = {{0x50, 0}, {0x60, 2}};
constexpr std::byte id[] = {std::byte{0xab}, std::byte{0xcd}};

std::string write_stream(const std::string& path, const std::vector<Record>& records) {
    SessionInfo info;
    info.events.push_back({"TIMER", 0, 1000000});
    StreamWriter writer(open_file(path, O_RDWR | O_CREAT | O_TRUNC), path, info);
    for (const Record& record : records)
        writer.write(record);
    writer.finish();
    return read_file(path);
}

std::vector<Record> one_of_each() {
    return {Mapping{1, 7, {0x1000}, 0x2000, 0x30, false, "/usr/bin/app", id, {0x801, 4711, 3}},
            Name{2, 7, 8, true, "app"},
            Fork{3, 9, 9, 7, 8},
            Sample{4,
                   7,
                   8,
                   1,
                   0,
                   CpuMode::kernel,
                   2,
                   {0xffffffff81000000},
                   chain,
                   250,
                   nullptr,
                   StackEnd::dump_short},
            Unmapping{5, 7, {0x1000}, 0x1000},
            Exit{6, 9, 9},
            Lost{42, 3, LossCause::guest},
            Throttle{7, 1, 0, true},
            ImageCookie{2, false, 0, {0}, 0, 0x801, 77, "/usr/bin/app (deleted)"},
            ImageCookie{3, true, 7, {0x9000}, 0x2000, 0, 0, "[heap]"},
            EventTime{2, {5000000000, 3000000000}},
            LostSideBand{923275},
            MissedPeriods{17, 3},
            PlacedSample{7, 8, 1, 2, 5, CpuMode::user, 1, {0x70, 3}, places}};
}

PlacedSample placed(uint32_t tid, uint32_t cpu = 0, uint32_t app = 2) {
    return {7, tid, cpu, app, 0, CpuMode::user, 0, {0x10, 2}, {}};
}

PlacedSample timed(uint32_t tid, uint64_t time) {
    PlacedSample sample = placed(tid);
    sample.time = time;
    return sample;
}

std::string encoded(const std::vector<Record>& records) {
    RecordEncoder encoder;
    std::string bytes;
    for (const Record& record : records)
        encoder.encode(record, bytes);
    return bytes;
}

/// The number of records of a type.
size_t count_type(std::string_view bytes, op_record_type type) {
    size_t n = 0;
    for (op_record_header head; !bytes.empty(); bytes.remove_prefix(head.size)) {
        std::memcpy(&head, bytes.data(), sizeof head);
        n += head.type == type;
    }
    return n;
}

/// Eight-byte aligned copy: the reader's requirement.
std::vector<uint64_t> aligned(std::string_view bytes) {
    std::vector<uint64_t> copy((bytes.size() + 7) / 8);
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    return copy;
}

std::span<const std::byte> span_of(const std::vector<uint64_t>& copy, size_t size) {
    return std::as_bytes(std::span(copy)).first(size);
}

/// The end of each record of one_of_each(), from the length of streams that end there.
std::vector<size_t> record_ends(const std::string& path, size_t head) {
    std::vector<size_t> ends;
    std::vector<Record> records;
    for (const Record& record : one_of_each()) {
        records.push_back(record);
        ends.push_back(write_stream(path, records).size());
    }
    EXPECT_GT(ends.front(), head);
    return ends;
}

/// While it lives, no file of this process grows beyond `bytes`.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &old_);
        const rlimit limit{bytes, old_.rlim_max};
        handler_ = ::signal(SIGXFSZ, SIG_IGN);
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &old_);
        ::signal(SIGXFSZ, handler_);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit old_{};
    sighandler_t handler_ = SIG_DFL;
};

}  // namespace

TEST(Stream, a_mapping_keeps_the_identity_of_its_file) {
    Mapping mapping{1, 7, {0x1000}, 0x2000, 0x30, false, "/bin/x (deleted)", {}};
    mapping.file = {0x801, 4711};
    mapping.is_exact = true;
    const std::string bytes = encoded({mapping});
    const auto copy = aligned(bytes);
    RecordDecoder decoder;
    std::vector<Record> records;
    decoder.decode(span_of(copy, bytes.size()), records, 10);
    ASSERT_EQ(records.size(), 1u);
    const auto& m = std::get<Mapping>(records[0]);
    EXPECT_EQ(m.path, mapping.path);
    EXPECT_EQ(m.file, mapping.file);
    EXPECT_TRUE(m.is_exact);
}

TEST(Stream, every_kind_of_record_survives_the_round_trip) {
    const test::TempDir dir;
    const std::string bytes = write_stream(dir / "s", one_of_each());
    const auto copy = aligned(bytes);
    StreamReader reader(span_of(copy, bytes.size()), "s");
    EXPECT_EQ(reader.session().events.at(0).name, "TIMER");
    std::vector<Record> records;
    reader.read(records, 100);
    ASSERT_EQ(records.size(), 14u);
    const auto& m = std::get<Mapping>(records[0]);
    EXPECT_EQ(m.path, "/usr/bin/app");
    EXPECT_EQ(m.file_offset, 0x30u);
    EXPECT_EQ(m.file, (FileIdentity{0x801, 4711, 3}));
    ASSERT_EQ(m.build_id.size(), 2u);
    EXPECT_EQ(m.build_id[1], std::byte{0xcd});
    EXPECT_EQ(std::get<Name>(records[1]).comm, "app");
    EXPECT_TRUE(std::get<Name>(records[1]).exec);
    EXPECT_EQ(std::get<Fork>(records[2]).parent_tid, 8u);
    const auto& s = std::get<Sample>(records[3]);
    EXPECT_EQ(s.pc.value(), 0xffffffff81000000u);
    EXPECT_EQ(s.kernel_frames, 2);
    EXPECT_EQ(s.weight, 250u);
    EXPECT_TRUE(std::ranges::equal(s.chain, chain));
    EXPECT_EQ(std::get<Unmapping>(records[4]).length, 0x1000u);
    EXPECT_EQ(std::get<Exit>(records[5]).tgid, 9u);
    EXPECT_EQ(std::get<Lost>(records[6]).cause, LossCause::guest);
    EXPECT_TRUE(std::get<Throttle>(records[7]).on);
    const auto& file = std::get<ImageCookie>(records[8]);
    EXPECT_EQ(file.path, "/usr/bin/app (deleted)");
    EXPECT_EQ(file.inode, 77u);
    EXPECT_FALSE(file.region);
    const auto& heap = std::get<ImageCookie>(records[9]);
    EXPECT_TRUE(heap.region);
    EXPECT_EQ(heap.start.value() + heap.length + heap.tgid, 0xb007u);
    const auto& p = std::get<PlacedSample>(records[13]);
    EXPECT_EQ((std::array{p.tgid, p.tid, p.cpu, p.app}), (std::array<uint32_t, 4>{7, 8, 1, 2}));
    EXPECT_EQ(p.event, 5);
    EXPECT_EQ(p.place, (Place{0x70, 3}));
    EXPECT_EQ(p.kernel_frames, 1);
    EXPECT_TRUE(std::ranges::equal(p.chain, places));
    EXPECT_EQ(std::get<LostSideBand>(records[11]).count, 923275u);
    EXPECT_EQ(std::get<MissedPeriods>(records[12]).count, 17u);
    EXPECT_EQ(std::get<MissedPeriods>(records[12]).cpu, 3u);
    EXPECT_EQ(std::get<EventTime>(records[10]).event, 2);
    EXPECT_EQ(std::get<EventTime>(records[10]).time, (CountedTime{5000000000, 3000000000}));
    reader.read(records, 100);
    EXPECT_TRUE(records.empty());
    EXPECT_FALSE(reader.damage());
}

TEST(RecordEncoder, writes_a_context_only_when_it_changes) {
    const std::string bytes = encoded({placed(1), placed(1), Exit{1, 2, 2}, placed(1), placed(2),
                                       placed(1, 3), placed(1, 3, 4), placed(1, 3, 4)});
    EXPECT_EQ(count_type(bytes, OP_RECORD_CONTEXT), 4u);
    EXPECT_EQ(count_type(bytes, OP_RECORD_PLACED), 7u);
}

TEST(RecordDecoder, takes_no_event_for_another) {
    std::string bytes = encoded({EventTime{0, {1, 1}}, Throttle{1, 0, 0, true}});
    const op_u32 far = 0x10000;
    std::memcpy(bytes.data() + offsetof(op_record_time, event), &far, sizeof far);
    std::memcpy(bytes.data() + sizeof(op_record_time) + offsetof(op_record_throttle, event), &far,
                sizeof far);
    const auto copy = aligned(bytes);
    std::vector<Record> records;
    RecordDecoder().decode(span_of(copy, bytes.size()), records, 10);
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(std::get<EventTime>(records[0]).event, 0xffff);
    EXPECT_EQ(std::get<Throttle>(records[1]).event, 0xffff);
}

TEST(RecordDecoder, keeps_the_context_from_one_piece_to_the_next) {
    const std::string bytes = encoded({placed(1), placed(2), placed(2)});
    const auto copy = aligned(bytes);
    RecordDecoder decoder;
    std::vector<uint32_t> threads;
    for (size_t at = 0; at < bytes.size();) {
        std::vector<Record> records;
        at += decoder.decode(span_of(copy, bytes.size()).subspan(at), records, 1);
        ASSERT_EQ(records.size(), 1u);
        threads.push_back(std::get<PlacedSample>(records[0]).tid);
    }
    EXPECT_EQ(threads, (std::vector<uint32_t>{1, 2, 2}));
}

/// What a decoder makes of some bytes.
struct Decoded {
    explicit Decoded(const std::string& bytes) : copy(aligned(bytes)) {
        decoder.decode(span_of(copy, bytes.size()), records, 9);
    }

    decltype(aligned("")) copy;
    RecordDecoder decoder;
    std::vector<Record> records;
};

TEST(RecordEncoder, writes_a_time_only_when_it_changes) {
    const std::string bytes =
        encoded({timed(1, 5), timed(1, 5), timed(2, 5), timed(2, 6), placed(2), placed(1)});
    EXPECT_EQ(count_type(bytes, OP_RECORD_SAMPLE_TIME), 3u);
}

TEST(RecordDecoder, a_time_holds_for_all_placed_samples_up_to_the_next) {
    const std::string bytes = encoded({timed(1, 5), Exit{1, 2, 2}, timed(2, 5), timed(2, 4), placed(2)});
    const auto copy = aligned(bytes);
    RecordDecoder decoder;
    std::vector<uint64_t> times;
    for (size_t at = 0; at < bytes.size();) {
        std::vector<Record> records;
        at += decoder.decode(span_of(copy, bytes.size()).subspan(at), records, 1);
        for (const Record& record : records)
            if (const auto* sample = std::get_if<PlacedSample>(&record)) times.push_back(sample->time);
    }
    EXPECT_EQ(times, (std::vector<uint64_t>{5, 5, 4, 0}));
}

TEST(RecordDecoder, a_time_record_may_grow_but_not_shrink) {
    const std::string sample = encoded({placed(1)});
    const auto with_time = [&](std::vector<op_u64> words) {
        const op_record_header head{OP_RECORD_SAMPLE_TIME, 0, static_cast<op_u32>(8 + 8 * words.size())};
        std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
        bytes.append(reinterpret_cast<const char*>(words.data()), 8 * words.size());
        return Decoded(bytes + sample);
    };
    const Decoded longer = with_time({7, 8, 9}), cut = with_time({});
    EXPECT_EQ(std::get<PlacedSample>(longer.records.at(0)).time, 7u);
    ASSERT_EQ(cut.records.size(), 1u);
    EXPECT_EQ(std::get<Lost>(cut.records[0]).cause, LossCause::damaged_stream);
}

TEST(RecordEncoder, a_name_that_comes_back_before_the_next_sample_changes_no_context) {
    const PlacedName one{7, 1, 2, "one"}, other{7, 2, 2, "other"};
    EXPECT_EQ(encoded({one, placed(1), other, one, placed(1)}), encoded({one, placed(1), placed(1)}));
}

TEST(RecordDecoder, a_context_names_the_command_once_for_all_its_samples) {
    const std::vector<Record> records = {PlacedName{7, 1, 2, "fifteen_letters"}, placed(1), placed(1, 3),
                                         PlacedName{7, 1, 2, ""}, placed(1, 3)};
    const std::string bytes = encoded(records);
    EXPECT_EQ(count_type(bytes, OP_RECORD_CONTEXT), 3u);
    const auto copy = aligned(bytes);
    std::vector<Record> decoded;
    RecordDecoder().decode(span_of(copy, bytes.size()), decoded, 10);
    ASSERT_EQ(decoded.size(), records.size());
    EXPECT_EQ(std::get<PlacedName>(decoded[0]), std::get<PlacedName>(records[0]));
    EXPECT_EQ(std::get<PlacedSample>(decoded[2]).cpu, 3u) << "another CPU is no other name";
    EXPECT_EQ(std::get<PlacedName>(decoded[3]).comm, "");
}

TEST(RecordEncoder, a_name_is_that_of_its_own_thread) {
    const PlacedName one{7, 1, 2, "one"};
    const std::string bytes = encoded({one, placed(2), placed(1), placed(2), placed(1)});
    const auto copy = aligned(bytes);
    std::vector<Record> decoded;
    RecordDecoder().decode(span_of(copy, bytes.size()), decoded, 10);
    ASSERT_EQ(decoded.size(), 7u);
    EXPECT_EQ(std::get<PlacedSample>(decoded[0]).tid, 2u) << "no name comes before it";
    EXPECT_EQ(std::get<PlacedName>(decoded[1]), one);
    EXPECT_EQ(std::get<PlacedSample>(decoded[2]).tid, 1u);
    EXPECT_EQ(std::get<PlacedName>(decoded[3]), (PlacedName{7, 2, 2, ""}));
    EXPECT_EQ(std::get<PlacedName>(decoded[5]), one) << "it lasts until the next";
}

TEST(RecordEncoder, a_name_without_samples_is_lost) {
    EXPECT_EQ(encoded({PlacedName{7, 1, 2, "one"}}), "");
}

TEST(RecordDecoder, unnamed_contexts_are_no_records) {
    const std::string bytes = encoded({placed(1), placed(2), placed(2, 1), placed(2, 1, 4)});
    EXPECT_EQ(count_type(bytes, OP_RECORD_CONTEXT), 4u);
    const auto copy = aligned(bytes);
    std::vector<Record> decoded;
    RecordDecoder().decode(span_of(copy, bytes.size()), decoded, 10);
    EXPECT_EQ(decoded.size(), 4u);
}

TEST(RecordDecoder, a_placed_sample_without_context_is_damage) {
    const std::string bytes = encoded({placed(1)}).substr(sizeof(op_record_context));
    const auto copy = aligned(bytes);
    RecordDecoder decoder;
    std::vector<Record> records;
    EXPECT_EQ(decoder.decode(span_of(copy, bytes.size()), records, 9), 0u);
    EXPECT_EQ(std::get<Lost>(records.at(0)).cause, LossCause::damaged_stream);
    EXPECT_EQ(decoder.damage(), "placed record without a context");
    EXPECT_EQ(decoder.decode(span_of(copy, bytes.size()), records, 9), 0u) << "once for all";
    EXPECT_EQ(records.size(), 1u);
}

/// As the driver writes it: a kernel sample with one kernel caller, registers pc, 0 and 1, two words of
/// stack.
std::string with_stack(op_u32 bytes_there = 16) {
    std::string out = encoded({placed(1)}).substr(0, sizeof(op_record_context));
    op_record_placed sample{};
    sample.place.offset = 0xffffffff81000010;
    sample.mode = OP_MODE_KERNEL;
    sample.frames = sample.kernel_frames = 1;
    const op_place caller{0xffffffff81000020, 0, 0};
    const op_user_stack stack{5, 0, 3, 16, 24};
    const std::array<op_u64, 5> words{0x401000, 11, 12, 0x7000, 0x7008};
    const size_t size = sizeof sample + sizeof caller + sizeof stack + 3 * 8 + bytes_there;
    sample.header = {OP_RECORD_PLACED_STACK, 0, static_cast<op_u32>(size)};
    const auto add = [&out](const auto& part, size_t n) {
        out.append(reinterpret_cast<const char*>(&part), n);
    };
    add(sample, sizeof sample);
    add(caller, sizeof caller);
    add(stack, sizeof stack);
    add(words, 3 * 8 + bytes_there);
    return out;
}

TEST(RecordDecoder, a_placed_sample_may_have_a_copy_of_the_stack) {
    const Decoded decoded(with_stack());
    ASSERT_EQ(decoded.records.size(), 1u);
    const auto& sample = std::get<PlacedSample>(decoded.records[0]);
    EXPECT_EQ(sample.maps, 5u);
    EXPECT_EQ(sample.kernel_frames, 1u);
    EXPECT_EQ(sample.chain.size(), 1u);
    ASSERT_NE(sample.user_stack, nullptr);
    const UserStack& stack = *sample.user_stack;
    EXPECT_EQ(stack.registers.pc.value(), 0x401000u);
    EXPECT_EQ(stack.registers.by_number[0], 11u);
    EXPECT_EQ(stack.registers.by_number[1], 12u);
    EXPECT_EQ(stack.bytes.size(), 16u);
    EXPECT_EQ(stack.requested, 24u);
    EXPECT_TRUE(stack.is_whole);
}

TEST(RecordDecoder, a_stack_that_is_longer_than_its_record_is_damage) {
    EXPECT_TRUE(Decoded(with_stack(8)).decoder.damage());
}

TEST(RecordEncoder, writes_no_copy_of_a_stack) {
    const Decoded decoded(with_stack());
    const std::string again = encoded(decoded.records);
    EXPECT_EQ(count_type(again, OP_RECORD_PLACED_STACK), 0u);
    EXPECT_EQ(count_type(again, OP_RECORD_PLACED), 1u);
}

TEST(RecordDecoder, mappings_are_those_of_a_number_and_a_slot) {
    const op_record_maps head{{OP_RECORD_MAPS, 0, sizeof(op_record_maps) + sizeof(op_mapped)}, 9, 3, 7, 1};
    const op_mapped mapped{0x400000, 0x1000, 0x2000, 4, 0};
    std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
    bytes.append(reinterpret_cast<const char*>(&mapped), sizeof mapped);
    const Decoded decoded(bytes);
    ASSERT_EQ(decoded.records.size(), 1u);
    const auto& maps = std::get<PlacedMaps>(decoded.records[0]);
    EXPECT_EQ(maps.number, 9u);
    EXPECT_EQ(maps.slot, 3u);
    EXPECT_EQ(maps.tgid, 7u);
    ASSERT_EQ(maps.mappings.size(), 1u);
    EXPECT_EQ(maps.mappings[0].start.value(), 0x400000u);
    EXPECT_EQ(maps.mappings[0].offset, 0x2000u);
    EXPECT_EQ(maps.mappings[0].cookie, 4u);
}

TEST(RecordDecoder, impossible_placed_and_image_records_are_damage) {
    for (Record record : {Record{ImageCookie{0, false, 0, {0}, 0, 0, 0, "/x"}},
                          Record{PlacedSample{7, 8, 1, 2, 5, static_cast<CpuMode>(3), 0, {0, 0}, {}}}}) {
        EXPECT_TRUE(Decoded(encoded({record})).decoder.damage());
    }
}

TEST(RecordDecoder, raw_samples_and_weights_come_back) {
    RawSample sent{placed(1), id};
    sent.placed.chain = places;
    PlacedSample heavy = placed(1);
    heavy.weight = 300;
    const std::string bytes = encoded({sent, heavy, placed(1)});
    const auto copy = aligned(bytes);
    std::vector<Record> records;
    EXPECT_EQ(RecordDecoder().decode(span_of(copy, bytes.size()), records, 9), bytes.size());
    ASSERT_EQ(records.size(), 3u);
    const auto& raw = std::get<RawSample>(records[0]);
    EXPECT_TRUE(std::ranges::equal(raw.raw, id)) << "to the byte, whatever the record is padded to";
    EXPECT_TRUE(std::ranges::equal(raw.placed.chain, places));
    EXPECT_EQ(raw.placed.tid, 1u);
    EXPECT_EQ(std::get<PlacedSample>(records[1]).weight, 300u);
    EXPECT_EQ(std::get<PlacedSample>(records[2]).weight, 1u);
}

TEST(RecordDecoder, raw_data_beyond_its_record_is_damage) {
    std::string bytes = encoded({RawSample{placed(1), id}});
    const op_u16 more = 100;
    std::memcpy(bytes.data() + sizeof(op_record_context) + offsetof(op_record_header, flags), &more,
                sizeof more);
    const auto copy = aligned(bytes);
    RecordDecoder decoder;
    std::vector<Record> records;
    decoder.decode(span_of(copy, bytes.size()), records, 9);
    EXPECT_TRUE(decoder.damage());
}

TEST(RecordDecoder, skips_what_it_does_not_know) {
    const op_record_header unknown{99, 0, 16};
    std::string bytes(reinterpret_cast<const char*>(&unknown), sizeof unknown);
    bytes += std::string(8, 'x') + encoded({Exit{1, 2, 3}});
    const auto copy = aligned(bytes);
    std::vector<Record> records;
    EXPECT_EQ(RecordDecoder().decode(span_of(copy, bytes.size()), records, 9), bytes.size());
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(std::get<Exit>(records[0]).tid, 3u);
}

TEST(Stream, a_stream_cut_off_anywhere_gives_what_came_before_and_counts_the_damage) {
    const test::TempDir dir;
    const std::string head = write_stream(dir / "h", {});
    const std::string bytes = write_stream(dir / "s", one_of_each());
    const auto copy = aligned(bytes);
    const std::vector<size_t> ends = record_ends(dir / "e", head.size());
    // A record of its context precedes the placed sample: a cut between them looks like the stream's end.
    const size_t context_end = ends[ends.size() - 2] + sizeof(op_record_context);
    for (size_t n = head.size() + 1; n < bytes.size(); ++n) {
        StreamReader reader(span_of(copy, n), "s");
        std::vector<Record> records;
        reader.read(records, 100);
        const size_t whole = std::ranges::upper_bound(ends, n) - ends.begin();
        const bool between = (whole > 0 && ends[whole - 1] == n) || n == context_end;
        EXPECT_EQ(reader.damage().has_value(), !between) << n;
        ASSERT_EQ(records.size(), whole + !between) << n;
        for (size_t i = 0; i < whole; ++i)
            EXPECT_EQ(records[i].index(), one_of_each()[i].index()) << n;
        if (between) continue;
        EXPECT_EQ(std::get<Lost>(records.back()).cause, LossCause::damaged_stream);
        EXPECT_EQ(std::get<Lost>(records.back()).count, 1u);
    }
}

TEST(Stream, the_part_that_a_failed_write_wrote_is_not_written_again) {
    const test::TempDir dir;
    SessionInfo info;
    info.events.push_back({"TIMER", 0, 1000000});
    StreamWriter writer(open_file(dir / "s", O_RDWR | O_CREAT), dir / "s", info);
    constexpr size_t written = 3000;
    for (uint64_t i = 0; i < written; ++i)
        writer.write(Sample{i, 7, 8, 1, 0, CpuMode::user, 0, {0x1000}, {}});
    {
        const FileSizeLimit limit(65000);  // within a record
        EXPECT_THROW(writer.finish(), Error);
        EXPECT_THROW(writer.finish(), Error);
    }
    writer.finish();
    const std::string bytes = read_file(dir / "s");
    const auto copy = aligned(bytes);
    StreamReader reader(span_of(copy, bytes.size()), "s");
    std::vector<Record> records;
    reader.read(records, 2 * written);
    EXPECT_FALSE(reader.damage());
    ASSERT_EQ(records.size(), written);
    EXPECT_EQ(std::get<Sample>(records.back()).time, written - 1);
}

TEST(Stream, a_file_without_a_whole_head_is_refused) {
    const test::TempDir dir;
    const std::string head = write_stream(dir / "h", {});
    const auto copy = aligned(head);
    for (size_t n = 0; n < head.size(); ++n)
        EXPECT_THROW(StreamReader(span_of(copy, n), "s"), Error) << n;
}

TEST(Stream, the_other_byte_order_is_named) {
    const std::vector<uint64_t> bytes{__builtin_bswap64(0x4D52545347504FULL), 0, 0};
    try {
        StreamReader reader(span_of(bytes, 24), "s");
        FAIL();
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("other byte order"), std::string::npos);
    }
}

}  // namespace op
