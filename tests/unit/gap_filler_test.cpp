// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/source/gap_filler.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "tests/unit/without_first_thread.h"

namespace op::collect {
namespace {

constexpr uint64_t second = 1'000'000'000;

Sample sample_of(uint32_t tgid, uint64_t time) {
    Sample sample{};
    sample.tgid = tgid;
    sample.mode = CpuMode::user;
    sample.time = time;
    return sample;
}
bool is_program(const Record& record) {
    const auto* const mapping = std::get_if<Mapping>(&record);
    return mapping && mapping->length == 0 && mapping->path.find("unit_tests") != std::string_view::npos;
}
Sample own_sample(uint64_t time) {
    return sample_of(static_cast<uint32_t>(::getpid()), time);
}

}  // namespace

TEST(GapFiller, looks_at_a_process_at_most_once_a_second) {
    GapFiller fill;
    EXPECT_TRUE(fill(own_sample(5 * second), Gap::mapping));
    EXPECT_FALSE(fill(own_sample(6 * second - 1), Gap::mapping));
    EXPECT_FALSE(fill(own_sample(6 * second - 1), Gap::changes)) << "whatever is missing";
    EXPECT_TRUE(fill(own_sample(6 * second), Gap::mapping));
}

TEST(GapFiller, the_program_of_an_unknown_process_comes_first) {
    GapFiller fill;
    const auto records = fill(own_sample(5 * second), Gap::process);
    ASSERT_TRUE(records);
    ASSERT_GE(records->size(), 3u);
    EXPECT_TRUE(std::get<Name>((*records)[0]).exec);
    EXPECT_NE(std::get<Mapping>((*records)[1]).path.find("unit_tests"), std::string_view::npos);
    const auto mappings = fill(own_sample(7 * second), Gap::mapping);
    ASSERT_TRUE(mappings);
    ASSERT_FALSE(mappings->empty());
    EXPECT_TRUE(std::holds_alternative<Mapping>((*mappings)[0]));
}

TEST(GapFiller, a_process_that_is_gone_is_not_one_nobody_looked_at) {
    GapFiller fill;
    const auto gone = fill(sample_of(0x7ffffff0, 5 * second), Gap::changes);
    ASSERT_TRUE(gone);
    EXPECT_TRUE(gone->empty());
    EXPECT_FALSE(fill(sample_of(0x7ffffff0, 5 * second), Gap::changes));
}

TEST(GapFiller, a_process_whose_first_thread_has_ended_is_read_through_the_one_of_the_sample) {
    test::WithoutFirstThread process;
    ASSERT_GT(process.worker(), 0u) << "it did not start";
    GapFiller fill;
    uint64_t time = 5 * second;
    for (const uint32_t tid : {process.worker(), process.pid(), 0x7ffffff0u}) {
        Sample sample = sample_of(process.pid(), time);
        sample.tid = tid;
        const auto all = fill(sample, Gap::changes);
        ASSERT_TRUE(all);
        EXPECT_TRUE(std::ranges::any_of(*all, is_program)) << tid;
        sample.time = time + 100 * second;
        const auto mappings = fill(sample, Gap::mapping);
        ASSERT_TRUE(mappings);
        EXPECT_FALSE(mappings->empty()) << tid;
        time += 200 * second;
    }
}

TEST(GapFiller, nothing_is_said_of_a_process_that_may_not_be_read) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can become a user who may not read this process";
    const pid_t child = ::fork();
    if (child == 0) {
        if (::setresuid(65534, 65534, 65534) != 0) ::_exit(2);
        GapFiller fill;
        Sample sample = own_sample(5 * second);
        sample.tgid = sample.tid = static_cast<uint32_t>(::getppid());
        const bool knows = fill(sample, Gap::changes).has_value();
        ::_exit(knows ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(GapFiller, goes_by_its_own_clock_where_a_sample_has_no_time) {
    GapFiller fill;
    EXPECT_TRUE(fill(own_sample(0), Gap::mapping));
    EXPECT_FALSE(fill(own_sample(1), Gap::mapping)) << "long before the clock's now";
}

TEST(GapFiller, many_processes_in_one_moment_are_looked_at_over_time) {
    GapFiller fill;
    uint32_t looked = 0;
    constexpr uint32_t processes = 100'000, first = 0x70000000;  // there are no such processes
    for (uint32_t i = 0; i < processes; ++i)
        looked += fill(sample_of(first + i, 5 * second), Gap::process).has_value();
    EXPECT_GT(looked, 1000u);
    EXPECT_LT(looked, 5000u);
    EXPECT_FALSE(fill(sample_of(first + processes, 5 * second), Gap::process));
    EXPECT_TRUE(fill(sample_of(first + processes, 6 * second), Gap::process));
}

TEST(LossScan, all_processes_are_looked_at_once_after_a_loss) {
    LossScan scan;
    const Record exit[] = {Exit{1, 7, 7}}, lost[] = {Exit{1, 7, 7}, LostSideBand{3}};
    EXPECT_TRUE(scan(exit, 5 * second).empty());
    const auto records = scan(lost, 5 * second);
    const auto self = static_cast<uint32_t>(::getpid());
    EXPECT_TRUE(std::ranges::any_of(records, [&](const Record& record) {
        const auto* const name = std::get_if<Name>(&record);
        return name && name->exec && name->tgid == self;
    }));
    EXPECT_TRUE(scan(exit, 5 * second + 1).empty());
    EXPECT_TRUE(scan(lost, 5 * second + 2).empty()) << "too soon";
    EXPECT_FALSE(scan(exit, 1000 * second).empty()) << "but not forgotten";
    EXPECT_TRUE(scan(exit, 2000 * second).empty());
}

}  // namespace op::collect
