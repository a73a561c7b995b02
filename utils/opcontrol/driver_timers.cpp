// SPDX-License-Identifier: GPL-2.0-or-later
// The files timer/cpuN/enabled and timer/cpuN/period_us (doc/DRIVER.md).
#include "utils/opcontrol/driver_timers.h"

#include <algorithm>

#include "daemon/driver/driver_models.h"
#include "daemon/driver/oprofilefs.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::tool {

namespace {

std::string file_of(uint64_t cpu, const char* name) {
    return "timer/cpu" + std::to_string(cpu) + "/" + name;
}

TimerSwitch parse_timer_switch(std::string_view text) {
    const size_t colon = std::min(text.find(':'), text.size());
    const std::string_view cpu = text.substr(0, colon), word = text.substr(std::min(colon + 1, text.size()));
    const auto number = parse_number(cpu);
    if ((cpu != "all" && !number) || (word != "on" && word != "off"))
        throw_usage("--timer=" + printable(text) +
                    ": give the number of a CPU or all, and on or off: --timer=0:off, --timer=all:on");
    return {number, word == "on"};
}

/// The driver, if its model has timers. Throws a usage error with the remedy.
collect::Oprofilefs driver_with_timers(const ControlPaths& paths) {
    collect::Oprofilefs driver(paths.driver);
    if (!driver.present())
        throw_usage(
            "--timer and --timer-period need the driver, which is not loaded or not mounted (opcontrol "
            "--init --model=timer); without it the period is the event's count: --event=TIMER:NANOSECONDS");
    const std::string model = driver.text("model");
    if (!collect::driver_kind(model).has_clock_only())
        throw_usage("the driver counts by the model " + printable(model) +
                    ", which has no timers; those that have: timer, rtc (opcontrol --deinit, then opcontrol "
                    "--init --model=timer)");
    return driver;
}

void check_switches(const std::vector<TimerSwitch>& switches, const std::vector<uint64_t>& cpus) {
    for (const TimerSwitch& each : switches) {
        if (!each.cpu || std::ranges::find(cpus, *each.cpu) != cpus.end()) continue;
        std::vector<std::string> known;
        for (const uint64_t cpu : cpus)
            known.push_back(std::to_string(cpu));
        throw_usage("--timer=" + std::to_string(*each.cpu) + (each.is_on ? ":on" : ":off") +
                    ": the driver has no timer on that CPU, but on: " + short_list(known));
    }
}

std::string differences(const collect::Oprofilefs& driver, uint64_t cpu) {
    std::string text;
    if (driver.number(file_of(cpu, "enabled")) == 0) text = " off";
    const uint64_t period = driver.number(file_of(cpu, "period_us"));
    if (text.empty() && period != 0) text = " every " + std::to_string(period) + " us";
    return text.empty() ? text : "cpu " + std::to_string(cpu) + text;
}

}  // namespace

std::vector<TimerSwitch> parse_timer_switches(std::span<const std::string> texts) {
    std::vector<TimerSwitch> switches;
    for (const std::string& text : texts)
        switches.push_back(parse_timer_switch(text));
    return switches;
}

void set_timers(const ControlPaths& paths, const std::vector<TimerSwitch>& switches,
                std::optional<uint64_t> period_us) {
    const collect::Oprofilefs driver = driver_with_timers(paths);
    const std::vector<uint64_t> cpus = driver.timers();
    check_switches(switches, cpus);
    if (period_us)
        for (const uint64_t cpu : cpus)
            driver.set(file_of(cpu, "period_us"), *period_us);
    for (const TimerSwitch& each : switches)
        for (const uint64_t cpu : cpus)
            if (!each.cpu || each.cpu == cpu) driver.set(file_of(cpu, "enabled"), each.is_on ? 1 : 0);
}

std::string timers_text(const ControlPaths& paths) {
    const collect::Oprofilefs driver(paths.driver);
    std::vector<std::string> texts;
    if (!driver.present() || !collect::driver_kind(driver.text("model")).has_clock_only()) return "";
    for (const uint64_t cpu : driver.timers())
        if (std::string text = differences(driver, cpu); !text.empty()) texts.push_back(std::move(text));
    return joined(texts);
}

}  // namespace op::tool
