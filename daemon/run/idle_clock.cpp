// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/run/idle_clock.h"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "daemon/source/cpu_list.h"
#include "libop/base/kernel_file.h"
#include "libop/base/text.h"

namespace op::collect {

namespace {

constexpr uint64_t second = 1'000'000'000;

/// The idle time of a line "cpu0 USER NICE SYSTEM IDLE IOWAIT ..." behind its first word, in ticks.
std::optional<uint64_t> idle_ticks(std::string_view numbers) {
    for (int skipped = 0; skipped < 3; ++skipped)
        take_word(numbers);
    const auto idle = parse_number(take_word(numbers)), waiting_for_disks = parse_number(take_word(numbers));
    if (!idle || !waiting_for_disks) return std::nullopt;
    return *idle + *waiting_for_disks;
}

std::optional<uint64_t> idle_time_now() {
    const auto cpus = allowed_cpus(read_kernel_file("/proc/self/status"));
    if (!cpus) return std::nullopt;
    return idle_time(read_kernel_file("/proc/stat"), *cpus, static_cast<uint64_t>(::sysconf(_SC_CLK_TCK)));
}

}  // namespace

std::optional<std::vector<uint32_t>> allowed_cpus(std::string_view status) {
    while (!status.empty()) {
        std::string_view line = take_line(status);
        if (take_word(line) == "Cpus_allowed_list:") return parse_cpu_list(take_word(line));
    }
    return std::nullopt;
}

std::optional<uint64_t> idle_time(std::string_view proc_stat, std::span<const uint32_t> cpus,
                                  uint64_t ticks) {
    constexpr std::string_view tag = "cpu";
    std::optional<uint64_t> sum;
    while (!proc_stat.empty() && ticks > 0) {
        std::string_view line = take_line(proc_stat);
        const std::string_view name = take_word(line);
        if (!name.starts_with(tag)) break;  // theirs are the first lines
        const auto cpu = parse_number(name.substr(tag.size()));
        if (!cpu || std::ranges::find(cpus, *cpu) == cpus.end()) continue;
        const auto idle = idle_ticks(line);
        if (!idle) return std::nullopt;
        sum = sum.value_or(0) + *idle * (second / ticks);
    }
    return sum;
}

IdleClock::IdleClock() : began_(idle_time_now()) {}

std::optional<uint64_t> IdleClock::passed() const {
    const auto now = idle_time_now();
    if (!began_ || !now || *now < *began_) return std::nullopt;
    return *now - *began_;
}

}  // namespace op::collect
