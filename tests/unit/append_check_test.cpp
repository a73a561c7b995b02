// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/append_check.h"

#include <gtest/gtest.h>

#include "daemon/collect/session_keeper.h"
#include "libop/session/session.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

SampleName file(const std::string& rest) {
    return parse_sample_path("{root}/bin/a/{dep}/{root}/bin/a/" + rest).value();
}

SessionInfo run_of(const std::vector<RecordedEvent>& events) {
    SessionInfo info;
    info.cpu_type_name = "timer";
    info.events = events;
    return info;
}

const RecordedEvent timer{"TIMER", 0, 100000};
const std::vector<SampleName> held{file("TIMER.100000.0.all.all.all")};

}  // namespace

TEST(AppendCheck, a_run_like_those_before_is_no_news) {
    EXPECT_TRUE(append_differences(held, run_of({timer}), run_of({timer}), {}).empty());
    EXPECT_TRUE(append_differences(held, std::nullopt, run_of({timer}), {}).empty());
    EXPECT_TRUE(append_differences({}, std::nullopt, run_of({{"OTHER", 0, 5}}), {}).empty())
        << "nothing is held yet";
    const auto two = run_of({timer, {"RARE", 1, 1000000}});
    EXPECT_TRUE(append_differences(held, two, two, {}).empty()) << "an event that did not occur";
}

TEST(AppendCheck, another_event_count_or_mask_is_reported) {
    const auto found = append_differences(held, std::nullopt, run_of({{"TIMER", 0, 200000, 0x41}}), {});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0],
              "holds TIMER:100000, this run counts TIMER:200000:0x41: reports show them side by side; event: "
              "and count: choose");
}

TEST(AppendCheck, another_separation_is_reported) {
    const auto apart = append_differences(held, std::nullopt, run_of({timer}),
                                          {.separation = {.thread = true, .cpu = true}});
    ASSERT_EQ(apart.size(), 2u);
    EXPECT_EQ(apart[0],
              "is not separated by process and thread, this run is: reports of both need --merge=tgid");
    const std::vector<SampleName> by_cpu{file("TIMER.100000.0.all.all.3")};
    const auto together = append_differences(by_cpu, std::nullopt, run_of({timer}), {});
    ASSERT_EQ(together.size(), 1u);
    EXPECT_EQ(together[0], "is separated by CPU, this run is not: reports of both need --merge=cpu");
}

TEST(AppendCheck, different_modes_and_processors_are_reported) {
    RecordedEvent user = timer;
    user.kernel = false;
    SessionInfo earlier = run_of({timer}), run = run_of({user});
    earlier.cpu_type_name = "i386/core_2";
    run.cpu_type_name = "i386/core";
    const auto found = append_differences(held, earlier, run, {});
    ASSERT_EQ(found.size(), 2u);
    EXPECT_TRUE(found[0].starts_with("holds TIMER:100000 counted in other modes")) << found[0];
    EXPECT_TRUE(found[1].starts_with("was recorded on a CPU of type i386/core_2")) << found[1];
}

TEST(AppendCheck, stacks_in_some_runs_only_are_reported) {
    SessionInfo with = run_of({timer});
    const SessionInfo without = with;
    with.stacks.complete = 1;
    const auto none = append_differences(held, with, without, {});
    ASSERT_EQ(none.size(), 1u);
    EXPECT_TRUE(none[0].starts_with("has call stacks, this run adds none")) << none[0];
    const auto some = append_differences(held, without, with, {.stacks = true});
    ASSERT_EQ(some.size(), 1u);
    EXPECT_TRUE(some[0].starts_with("has samples without call stacks")) << some[0];
    EXPECT_TRUE(append_differences(held, with, with, {.stacks = true}).empty());
}

TEST(AppendCheck, the_clock_is_no_other_processor) {
    SessionInfo counter = run_of({timer});
    counter.cpu_type_name = "i386/core";
    EXPECT_TRUE(append_differences(held, run_of({timer}), counter, {}).empty());
    EXPECT_TRUE(append_differences(held, counter, run_of({timer}), {}).empty());
}

TEST(AppendCheck, another_count_has_a_file_of_its_own_and_is_warned_of) {
    const test::TempDir dir;
    for (const uint64_t count : {100000, 200000}) {
        Diagnostics notes;
        SessionWriter session(dir.path(), false, notes);
        session.begin(true);
        SessionInfo run = run_of({{"TIMER", 0, count}});
        run.cpu_type = 4;
        SessionKeeper keeper(session, run, {}, true, notes);
        const Record records[] = {Name{0, 7, 7, true, "app"},
                                  Mapping{0, 7, {0x400000}, 0x10000, 0, false, "/bin/app", {}},
                                  Sample{1, 7, 7, 0, 0, CpuMode::user, 0, {0x400010}, {}}};
        keeper.process(records);
        keeper.save();
        EXPECT_EQ(notes.warnings().size(), count == 100000 ? 0u : 1u);
        for (const std::string& path : session.list()) {
            const SessionReader reader(session.current_path());
            EXPECT_EQ(reader.read(path, notes).header.count, parse_sample_path(path)->count);
        }
    }
}

}  // namespace op::collect
