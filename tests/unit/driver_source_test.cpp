// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/driver/driver_source.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <deque>

#include "daemon/collect/collector.h"
#include "daemon/run/recording.h"
#include "libop/session/session.h"
#include "tests/unit/fake_oprofilefs.h"
#include "tests/unit/faults.h"

namespace op::collect {
namespace {

using test::contains;
using test::fault;

/// A source over a fake driver whose buffer the test writes.
class Driving : public ::testing::Test {
protected:
    Driving() {
        info_.cpu_type = 4;
        info_.events = {{"TIMER", 0, 1000000, 0, false}, {"OTHER", 1, 5000, 0, false}};
    }
    DriverSource& source(DriverOptions options = {}) {
        source_ = std::make_unique<DriverSource>(fake_.files(), info_, notes_, std::move(options));
        writer_ = fake_.writer();
        return *source_;
    }
    void send(std::string_view bytes) { write_fd(writer_.get(), bytes, "buffer"); }
    void send(const std::vector<Record>& records) {
        std::string bytes;
        for (const Record& record : records)
            encoder_.encode(record, bytes);
        send(bytes);
    }
    static PlacedSample sample(uint16_t event = 0) {
        return {7, 7, 0, 1, event, CpuMode::user, 0, {0x10, 1}, {}};
    }

    test::FakeOprofilefs fake_;
    SessionInfo info_;
    Diagnostics notes_;
    std::unique_ptr<DriverSource> source_;
    Fd writer_;
    RecordEncoder encoder_;
};

}  // namespace

TEST_F(Driving, asks_for_times_of_samples) {
    fake_.dir().write("sample_times", "0\n");
    source();
    EXPECT_EQ(fake_.files().number("sample_times"), 1u);
}

TEST_F(Driving, an_earlier_driver_has_no_times) {
    source();
    EXPECT_FALSE(fake_.files().find_number("sample_times"));
}

TEST_F(Driving, start_and_stop_write_enable) {
    source().start();
    EXPECT_EQ(fake_.files().number("enable"), 1u);
    source_->stop();
    EXPECT_EQ(fake_.files().number("enable"), 0u);
}

TEST_F(Driving, draining_does_not_wait) {
    source().start();
    EXPECT_TRUE(source_->drain().empty());
    writer_.reset();
    EXPECT_TRUE(source_->drain().empty()) << "nor at the end";
}

TEST_F(Driving, records_come_as_sent_over_several_reads) {
    source().start();
    send({ImageCookie{1, false, 0, {0}, 0, 0, 0, "/bin/app"}, sample()});
    EXPECT_EQ(source_->drain().size(), 2u);
    send({sample(), Lost{3, 1, LossCause::pending}});
    const auto records = source_->drain();
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(std::get<PlacedSample>(records[0]).tgid, 7u);
    EXPECT_EQ(std::get<Lost>(records[1]).cause, LossCause::pending);
    EXPECT_TRUE(source_->drain().empty());
}

TEST_F(Driving, a_full_buffer_comes_in_pieces_and_whole) {
    source().start();
    send(std::vector<Record>(1500, sample()));
    size_t samples = 0, pieces = 0;
    for (auto records = source_->drain(); !records.empty(); records = source_->drain(), ++pieces)
        samples += records.size();
    EXPECT_EQ(samples, 1500u);
    EXPECT_GT(pieces, 1u);
}

TEST_F(Driving, the_kernels_map_comes_before_any_sample) {
    info_.events[1].kernel = true;
    source({.kernel = {"/boot/vmlinux", {}}, .counters = {}}).start();
    send({sample()});
    const auto records = source_->drain();
    ASSERT_FALSE(records.empty());
    EXPECT_EQ(std::get<Mapping>(records[0]).path, no_vmlinux);
    EXPECT_EQ(source_->drain().size(), 1u);
}

TEST_F(Driving, counters_are_translated_to_events) {
    source({.kernel = {}, .counters = {3, 1}}).start();
    send({sample(1), sample(3), sample(0), Throttle{1, 0, 3, true}});
    const auto records = source_->drain();
    ASSERT_EQ(records.size(), 4u);
    EXPECT_EQ(std::get<PlacedSample>(records[0]).event, 1);
    EXPECT_EQ(std::get<PlacedSample>(records[1]).event, 0);
    EXPECT_GE(std::get<PlacedSample>(records[2]).event, info_.events.size());
    EXPECT_EQ(std::get<Throttle>(records[3]).event, 0);
}

/// Events 0 and 2 are derived from fetches in counter 4; event 1 is that of counter 1.
class DrivingSampler : public Driving {
protected:
    DrivingSampler() {
        info_.events = {{"IBS_FETCH_KILLED", 0xf001, 50000, 0, false},
                        {"OTHER", 1, 5000, 0, false},
                        {"IBS_FETCH_LATENCY", 0xf00e, 50000, 0, false}};
        EventEncoding fetch;
        fetch.sampler = Sampler::ibs_fetch;
        const std::vector<EventEncoding> encodings = {fetch, {}, fetch};
        source({.kernel = {}, .counters = {4, 1, 4}, .samplings = samplings_of(info_.events, encodings)})
            .start();
    }
    /// A fetch with that control register.
    Record fetch(uint64_t control, CpuMode mode = CpuMode::user) {
        bytes_.push_back({});
        std::memcpy(bytes_.back().data() + 4, &control, sizeof control);
        PlacedSample placed = sample(4);
        placed.mode = mode;
        return RawSample{placed, bytes_.back()};
    }
    static constexpr uint64_t completed = uint64_t{1} << 50;

    std::deque<std::array<std::byte, 12>> bytes_;
};

TEST_F(DrivingSampler, a_sample_counts_for_every_event_that_it_is) {
    send({fetch(completed | uint64_t{300} << 32), sample(1), fetch(0), Throttle{1, 0, 4, true}});
    const auto records = source_->drain();
    ASSERT_EQ(records.size(), 5u);
    EXPECT_EQ(std::get<PlacedSample>(records[0]).event, 2);
    EXPECT_EQ(std::get<PlacedSample>(records[0]).weight, 300u);
    EXPECT_EQ(std::get<PlacedSample>(records[0]).place, (Place{0x10, 1}));
    EXPECT_EQ(std::get<PlacedSample>(records[1]).event, 1);
    EXPECT_EQ(std::get<PlacedSample>(records[2]).event, 0);
    EXPECT_EQ(std::get<PlacedSample>(records[2]).weight, 1u);
    EXPECT_EQ(std::get<Throttle>(records[3]).event, 0);
    EXPECT_EQ(std::get<Throttle>(records[4]).event, 2);
}

TEST_F(DrivingSampler, samples_that_are_of_no_event_do_not_end_the_stream) {
    const Record none = fetch(0, CpuMode::kernel);
    send(std::vector<Record>(300, none));
    send({sample(1)});
    const auto records = source_->drain();
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(std::get<PlacedSample>(records[0]).event, 1);
}

TEST_F(DrivingSampler, a_sample_without_its_words_is_counted_lost) {
    send({RawSample{sample(4), {}}});
    const auto records = source_->drain();
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(std::get<Lost>(records[0]).cause, LossCause::damaged_stream);
}

TEST_F(Driving, raw_data_of_a_plain_counter_is_not_looked_at) {
    source({.kernel = {}, .counters = {3, 1}}).start();
    send({RawSample{sample(1), {}}});
    const auto records = source_->drain();
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(std::get<RawSample>(records[0]).placed.event, 1);
}

TEST_F(Driving, a_damaged_record_is_counted_and_the_next_read_is_used) {
    source().start();
    send(std::string(16, '\xff'));
    const auto records = source_->drain();
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(std::get<Lost>(records[0]).cause, LossCause::damaged_stream);
    EXPECT_EQ(notes_.warnings().size(), 1u);
    send({sample()});
    EXPECT_EQ(source_->drain().size(), 1u);
}

TEST_F(Driving, a_driver_of_another_version_is_refused) {
    fake_.dir().write("stream_version", "2\n");
    const auto said = fault(ErrorKind::input, [&] { source(); });
    EXPECT_TRUE(contains(said, "version 2")) << said;
}

TEST_F(Driving, the_error_for_a_missing_driver_explains_how_to_load_it) {
    const auto said =
        fault(ErrorKind::system, [&] { DriverSource(Oprofilefs(fake_.dir() / "none"), info_, notes_); });
    EXPECT_TRUE(contains(said, "opcontrol --init")) << said;
}

TEST_F(Driving, samples_from_the_driver_reach_sample_files_and_the_account_balances) {
    const test::TempDir dir;
    SessionWriter session(dir.path(), false, notes_);
    session.begin(false);
    source().start();
    Collector collector(session, source_->describe(), {}, notes_);
    send({ImageCookie{1, false, 0, {0}, 0, 0, 0, "/bin/app"}, sample(), sample(), sample(1),
          Lost{4, 0, LossCause::no_process}});
    source_->stop();
    drain_into(*source_, [&](auto records) { collector.process(records); });
    const Ledger ledger = collector.flush_and_account().ledger;
    EXPECT_EQ(ledger.sampled(), 7u);
    EXPECT_EQ(ledger.stored(), 3u);
    EXPECT_TRUE(ledger.balanced());
    EXPECT_EQ(SessionReader(session.current_path()).list().size(), 2u);
}

}  // namespace op::collect
