// SPDX-License-Identifier: GPL-2.0-or-later
// Measuring how often an event occurs.
#include "daemon/event_rate.h"

#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "daemon/perf_attr.h"

namespace op::collect {
namespace {

constexpr uint64_t samples_per_second = 1000, second = 1'000'000'000, moment = second / 10;
constexpr uint64_t greatest_count = INT32_MAX;

uint64_t now() {
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<uint64_t>(t.tv_sec) * second + static_cast<uint64_t>(t.tv_nsec);
}

/// Something of everything a program does, for that many ns. The sum keeps the compiler from leaving it out.
uint64_t work(uint64_t length) {
    std::vector<uint32_t> memory(size_t{1} << 20);
    uint64_t sum = 0;
    uint32_t random = 1;
    for (const uint64_t end = now() + length; now() < end;)
        for (int i = 0; i < 10000; ++i) {
            random = random * 1664525 + 1013904223;
            uint32_t& cell = memory[random >> 12];
            cell += random;
            sum += cell & 0x100 ? cell / (random | 1) : cell;
        }
    return sum;
}

void wait(uint64_t length) {
    const timespec t{0, static_cast<long>(length)};
    ::nanosleep(&t, nullptr);
}

/// A counter of the event that runs, not a sampler; empty if it cannot be had.
Fd open_counter(const RecordedEvent& event, const EventEncoding& encoding, pid_t pid) {
    for (const bool kernel : {true, false}) {
        perf_event_attr attr =
            make_attr(event, encoding, false, {}, {.kernel_mode = kernel, .lost_count = false});
        attr.sample_period = 0;
        attr.sample_type = 0;
        attr.disabled = 0;
        attr.precise_ip = 0;
        attr.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING;
        if (Fd fd = perf_event_open(attr, pid, -1)) return fd;
    }
    return {};
}

}  // namespace

std::optional<uint64_t> count_for(const EventRate& rate, uint64_t minimum) {
    if (rate.events == 0 || rate.time == 0) return std::nullopt;
    const double wanted =
        static_cast<double>(rate.events) / static_cast<double>(rate.time) * second / samples_per_second;
    uint64_t count =
        wanted < static_cast<double>(greatest_count) ? static_cast<uint64_t>(wanted + 0.5) : greatest_count;
    uint64_t unit = 1;
    while (count / unit >= 100)
        unit *= 10;
    count = (count + unit / 2) / unit * unit;
    return std::clamp(count, std::max<uint64_t>(minimum, 1), greatest_count);
}

std::optional<EventRate> measure_event(const RecordedEvent& event, const EventEncoding& encoding, pid_t pid) {
    const Fd fd = open_counter(event, encoding, pid);
    if (!fd) return std::nullopt;
    if (pid != 0)
        wait(moment);
    else
        work(moment);
    struct {
        uint64_t value, time_running;
    } counted{};
    if (::read(fd.get(), &counted, sizeof counted) != sizeof counted) return std::nullopt;
    return EventRate{counted.value, counted.time_running};
}

}  // namespace op::collect
