// SPDX-License-Identifier: GPL-2.0-or-later
// Uses the running kernel, with an event that needs no counter and so runs all the time.
#include "daemon/perf/perf_attr.h"

#include <gtest/gtest.h>
#include <sys/ioctl.h>

#include <cerrno>

namespace op::collect {
namespace {

const RecordedEvent clock_event{"TIMER", 0, 1000000};

/// The CPU clock of this process, opened with `features`; what cannot be had here skips the test.
Fd open_clock(const PerfFeatures& features) {
    perf_event_attr attr = make_attr(clock_event, builtin_encoding("TIMER"), {}, features);
    return perf_event_open(attr, 0, -1);
}

void expect_readable(const PerfFeatures& features) {
    const Fd event = open_clock(features);
    if (!event) GTEST_SKIP() << "the kernel opens no such event here, error " << errno;
    uint64_t id = 0;
    ASSERT_EQ(::ioctl(event.get(), PERF_EVENT_IOC_ID, &id), 0);
    const auto before = read_event(event, features);
    ASSERT_TRUE(before);
    EXPECT_EQ(before->id, id);
    EXPECT_EQ(before->enabled, 0u);
    ::ioctl(event.get(), PERF_EVENT_IOC_ENABLE, 0);
    for (int i = 0; i < 1000; ++i)
        read_event(event, features);
    ::ioctl(event.get(), PERF_EVENT_IOC_DISABLE, 0);
    const auto after = read_event(event, features);
    ASSERT_TRUE(after);
    EXPECT_EQ(after->id, id);
    EXPECT_GT(after->value, 0u);
    EXPECT_GT(after->running, 0u);
    EXPECT_FALSE((CountedTime{after->enabled, after->running}).is_partial());
    EXPECT_EQ(after->lost, 0u) << "it has no ring to lose anything of";
}

}  // namespace

TEST(PerfAttr, side_band_and_samples_share_their_trailer_and_nothing_else) {
    const PerfRequest request{.callgraph = true, .enable_on_exec = true, .several_events = true};
    const auto samples = make_attr(clock_event, builtin_encoding("TIMER"), request, {});
    const auto band = make_side_band_attr(request, {});
    constexpr uint64_t trailer = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
                                 PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID;
    EXPECT_EQ(samples.sample_type & trailer, band.sample_type & trailer);
    EXPECT_EQ(samples.clockid, band.clockid);
    for (const perf_event_attr& attr : {samples, band}) {
        EXPECT_TRUE(attr.inherit && attr.enable_on_exec && attr.sample_id_all && attr.use_clockid);
        EXPECT_TRUE(attr.watermark) << "no record wakes the reader by itself";
        EXPECT_EQ(attr.wakeup_watermark, 0u);
    }
    EXPECT_TRUE(band.mmap && band.mmap2 && band.comm && band.comm_exec && band.task && band.build_id);
    EXPECT_FALSE(samples.mmap || samples.mmap2 || samples.comm || samples.comm_exec || samples.task ||
                 samples.build_id);
    EXPECT_EQ(band.sample_period, 0u);
    EXPECT_TRUE(band.exclude_kernel) << "needs no permission for kernel mode";
}

TEST(PerfAttr, copies_of_stacks_wake_the_reader_before_the_ring_is_half_full) {
    const PerfRequest request{.callgraph = true, .stack_bytes = 16384, .wakeup_bytes = 1 << 20};
    const auto samples = make_attr(clock_event, builtin_encoding("TIMER"), request, {});
    EXPECT_EQ(samples.sample_stack_user, 16384u);
    EXPECT_EQ(samples.wakeup_watermark, 1u << 20);
    EXPECT_EQ(make_side_band_attr(request, {}).wakeup_watermark, 0u);
}

TEST(PerfAttr, only_the_cpu_clock_leaves_out_idle_time) {
    const EventEncoding hardware{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0, 0};
    const EventEncoding switches{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 0, 0, 0};
    EXPECT_EQ(make_attr(clock_event, builtin_encoding("TIMER"), {}, {}).exclude_idle, 1u);
    EXPECT_EQ(make_attr(clock_event, builtin_encoding("TIMER"), {}, {}).exclude_kernel, 0u);
    EXPECT_EQ(make_attr(clock_event, hardware, {}, {}).exclude_idle, 0u);
    EXPECT_EQ(make_attr(clock_event, switches, {}, {}).exclude_idle, 0u);
    EXPECT_EQ(make_side_band_attr({}, {}).exclude_idle, 0u);
}

TEST(PerfReading, has_every_field_in_its_place) {
    expect_readable({.kernel_mode = false});
}

TEST(PerfReading, has_every_field_in_its_place_where_the_kernel_counts_no_losses) {
    expect_readable({.kernel_mode = false, .lost_count = false});
}

TEST(PerfReading, of_another_descriptor_is_empty) {
    EXPECT_FALSE(read_event(Fd(), {}));
}

}  // namespace op::collect
