// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/service/sources.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/unit/fake_oprofilefs.h"
#include "tests/unit/faults.h"
#include "tests/unit/fixtures.h"
#include "tests/unit/machines.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {

TEST(SourceKind, every_row_is_found_by_its_name) {
    for (const SourceKind& kind : source_kinds())
        EXPECT_EQ(&source_kind(kind.name), &kind);
}

TEST(SourceKind, an_unknown_name_is_answered_with_those_there_are) {
    const auto said = test::fault(ErrorKind::usage, [] { source_kind("tape"); });
    EXPECT_EQ(said, "no sample source \"tape\"; there are: driver, perf, replay");
}

TEST(SourceKind, opens_what_it_names) {
    const test::FakeOprofilefs fake;
    Diagnostics notes;
    SourceOptions options;
    options.files = fake.files();
    options.described.tool = "me";
    const test::TempDir dir;  // as for root, the file has to be root's
    options.stream = dir.write("stream", read_file(test::fixture("streams/fork_exec.opstream")));
    EXPECT_EQ(source_kind("driver").open(options, notes).source->describe().tool, "me");
    EXPECT_FALSE(source_kind("replay").open(options, notes).source->drain().empty());
}

TEST(SourceKind, root_replays_no_recording_that_somebody_else_can_change) {
    if (::geteuid() != 0) GTEST_SKIP() << "not root";
    const test::TempDir dir;
    Diagnostics notes;
    SourceOptions options;
    options.stream = dir.write("stream", read_file(test::fixture("streams/fork_exec.opstream")));
    ASSERT_EQ(::chown(options.stream.c_str(), 12345, 12345), 0);
    const std::string message =
        test::fault(ErrorKind::input, [&] { source_kind("replay").open(options, notes); });
    EXPECT_TRUE(test::contains(message, "stream belongs to user 12345")) << message;
}

TEST(SourceKind, has_a_path_behind_its_name_only_where_it_takes_one) {
    const SourceName recorded = parse_source("replay:a:b.opstream");
    EXPECT_EQ(recorded.kind->name, "replay");
    EXPECT_EQ(recorded.path, "a:b.opstream");
    EXPECT_EQ(parse_source("perf").kind->name, "perf");
    const auto refusal = [](const char* text) {
        return test::fault(ErrorKind::usage, [&] { parse_source(text); });
    };
    EXPECT_EQ(refusal("replay"), "source replay: name the file of a recorded stream, replay:FILE");
    EXPECT_EQ(refusal("replay:"), refusal("replay"));
    EXPECT_EQ(refusal("driver:/dev/oprofile"), "source driver takes no file; write driver");
}

TEST(SourceKind, the_driver_is_best_where_it_is_there_and_a_recording_never) {
    const test::FakeOprofilefs fake;
    SourceOptions options;
    options.files = fake.files();
    EXPECT_EQ(best_source(options).name, "driver");
    options.files = Oprofilefs("/nowhere");
    EXPECT_EQ(best_source(options).name, "perf");
}

TEST(SourceKind, the_absence_of_each_is_the_reason_where_no_source_is_there) {
    std::vector<SourceKind> kinds(source_kinds().begin(), source_kinds().end());
    for (SourceKind& kind : kinds)
        kind.is_there = [](const SourceOptions&) { return false; };
    EXPECT_EQ(test::fault(ErrorKind::usage, [&] { best_source(SourceOptions(), kinds); }),
              "there is no sample source: the driver is not loaded or not mounted; this kernel has no "
              "perf_event_open; no stream is named");
}

TEST(SourceKind, the_driver_describes_its_model_and_the_events_on_their_counters) {
    const test::FakeOprofilefs fake;
    fake.dir().write("model", "intel\n");
    SourceOptions options;
    options.files = fake.files();
    options.events = parse_daemon_event_specs({"A:1:1:5000:0:1:1,B:2:0:6000:0:1:1"});
    Diagnostics notes;
    source_kind("driver").describe(options, notes);
    EXPECT_EQ(options.model, "intel");
    EXPECT_EQ(options.counters, (std::vector<int>{1, 0}));
    ASSERT_EQ(options.described.events.size(), 2u);
    EXPECT_EQ(options.described.events[1].name, "B");
}

TEST(SourceKind, perf_keeps_the_line_on_the_clock_apart_for_who_wants_it) {
    const test::OnMachine machine("amd-no-counters");
    for (const bool is_apart : {true, false}) {
        SourceOptions options;
        std::string fallback;
        if (is_apart) options.fallback = &fallback;
        Diagnostics notes;
        source_kind("perf").describe(options, notes);
        ASSERT_EQ(options.described.events.size(), 1u);
        EXPECT_EQ(options.described.events[0].name, "TIMER");
        EXPECT_EQ(options.encodings.size(), 1u);
        EXPECT_EQ(fallback.empty(), !is_apart);
        EXPECT_EQ(notes.warnings().empty(), is_apart);
    }
}

TEST(SourceKind, perf_takes_a_count_that_was_not_given_from_the_meter) {
    const test::OnMachine machine("amd");
    SourceOptions options;
    options.events = parse_daemon_event_specs({"RETIRED_INSTRUCTIONS"});
    options.rate = [](const RecordedEvent&, const EventEncoding&) {
        return EventRate{77'000'000'000, 1'000'000'000};
    };
    Diagnostics notes;
    source_kind("perf").describe(options, notes);
    EXPECT_EQ(options.described.events.at(0).count, 77'000'000u);
}

TEST(SourceKind, a_recording_describes_itself) {
    SourceOptions options;
    Diagnostics notes;
    source_kind("replay").describe(options, notes);
    EXPECT_TRUE(options.described.events.empty());
    EXPECT_FALSE(source_kind("replay").is_live);
}

}  // namespace op::collect
