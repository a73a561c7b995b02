// SPDX-License-Identifier: GPL-2.0-or-later
// Uses the running kernel, with events that it counts itself.
#include "daemon/count/perf_counters.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libop/events/software_events.h"
#include "tests/unit/faults.h"
#include "tests/unit/machines.h"

namespace op::collect {
namespace {

using Kind = CountTarget::Kind;

constexpr size_t pages = 3000;

CountedEvent software(const char* name) {
    CountedEvent event;
    event.spec.name = event.label = name;
    event.encoding = find_software_event(std::string_view(name))->encoding();
    return event;
}

CountedEvent of_type(uint32_t type) {
    CountedEvent event;
    event.label = "X";
    event.encoding.type = type;
    return event;
}

void touch_pages() {
    const size_t size = static_cast<size_t>(::sysconf(_SC_PAGESIZE)) * pages;
    void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    ::madvise(memory, size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < pages; ++i)
        static_cast<volatile char*>(memory)[i * (size / pages)] = 1;
    ::munmap(memory, size);
}

/// Its page faults, and those of a child.
void touch_pages_twice() {
    touch_pages();
    const pid_t child = ::fork();
    if (child == 0) {
        touch_pages();
        ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
}

/// Counts page faults of this process while it touches pages; none where that is not permitted.
std::optional<uint64_t> count(Kind kind) {
    Diagnostics notes;
    try {
        PerfCounters counters({kind, {::getpid()}, {}}, {software("page-faults")}, notes);
        touch_pages();  // not yet counted
        counters.start();
        touch_pages_twice();
        counters.stop();
        touch_pages();  // not any more
        const CounterReading reading = counters.read().at(0);
        EXPECT_GT(reading.enabled, 0u);
        EXPECT_EQ(reading.enabled, reading.running);
        return reading.value;
    } catch (const Error& error) {
        if (error.code() == EACCES || error.code() == EPERM || error.code() == ENOSYS) return std::nullopt;
        throw;
    }
}

}  // namespace

TEST(CompleteWaits, the_last_wait_is_that_of_the_others_of_the_task) {
    const std::vector<CounterKey> keys{{0, 7, {}}, {1, 7, {}}, {2, 7, {}}, {0, 8, {}}, {1, 8, {}}};
    std::vector<CounterReading> readings{{5, 94, 50}, {6, 97, 47}, {7, 96, 96}, {8, 200, 80}, {9, 0, 0}};
    complete_waits(keys, readings);
    const std::vector<CounterReading> expected{
        {5, 97, 50}, {6, 97, 47}, {7, 96, 96}, {8, 200, 80}, {9, 0, 0}};
    EXPECT_EQ(readings, expected) << "what never waited has its own time";
}

TEST(PerfCounters, count_a_process_with_its_children) {
    const auto faults = count(Kind::processes);
    if (!faults) GTEST_SKIP() << "counting is not permitted here";
    EXPECT_GE(*faults, 2 * pages);
    EXPECT_LT(*faults, 2 * pages + pages / 2);
}

TEST(PerfCounters, count_a_single_thread) {
    const auto faults = count(Kind::threads);
    if (!faults) GTEST_SKIP() << "counting is not permitted here";
    EXPECT_GE(*faults, pages);
    EXPECT_LT(*faults, pages + pages / 2);
}

TEST(PerfCounters, there_is_one_for_each_event_and_task) {
    if (!count(Kind::threads)) GTEST_SKIP() << "counting is not permitted here";
    Diagnostics notes;
    const PerfCounters counters({Kind::threads, {::getpid(), ::getpid()}, {}},
                                {software("page-faults"), software("task-clock")}, notes);
    const auto task = static_cast<uint32_t>(::getpid());
    EXPECT_EQ(counters.counters(),
              (std::vector<CounterKey>{{0, task, {}}, {0, task, {}}, {1, task, {}}, {1, task, {}}}));
}

TEST(PerfCounters, an_unsupported_event_is_refused_with_the_supported_ones) {
    if (!count(Kind::threads)) GTEST_SKIP() << "counting is not permitted here";
    Diagnostics notes;
    const std::string text = test::fault(ErrorKind::usage, [&] {
        PerfCounters({Kind::threads, {::getpid()}, {}}, {of_type(0x7ffffff)}, notes);
    });
    EXPECT_TRUE(test::contains(text, "event 'X': this machine cannot count it")) << text;
    EXPECT_TRUE(test::contains(text, "page-faults")) << text;
    EXPECT_FALSE(is_countable_here(of_type(0x7ffffff)));
    EXPECT_TRUE(is_countable_here(software("page-faults")));
}

TEST(PerfCounters, a_made_up_machine_is_noted_even_if_the_kernel_refuses_its_event) {
    const test::OnMachine machine("amd");
    Diagnostics notes;
    EXPECT_THROW(PerfCounters({Kind::threads, {::getpid()}, {}}, {of_type(0x7ffffff)}, notes), Error);
    EXPECT_EQ(notes.warnings().size(), 1u);
}

TEST(PerfCounters, cpus_that_do_not_count_an_event_are_refused) {
    Diagnostics notes;
    CountedEvent event = software("page-faults");
    event.cpus = std::vector<uint32_t>{4, 8};
    const std::string text = test::fault(ErrorKind::usage, [&] {
        PerfCounters({Kind::cpus, {}, {0, 1}}, {event}, notes);
    });
    EXPECT_EQ(text, "event 'page-faults': none of these CPUs counts it, but CPU 4,8 may do");
}

TEST(PerfCounters, do_not_open_for_a_task_that_is_gone) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
    Diagnostics notes;
    const std::string text = test::fault(ErrorKind::system, [&] {
        PerfCounters({Kind::threads, {child}, {}}, {software("page-faults")}, notes);
    });
    EXPECT_TRUE(test::contains(text, "ended before counting was started")) << text;
}

}  // namespace op::collect
