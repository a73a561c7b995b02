// SPDX-License-Identifier: GPL-2.0-or-later
// Programs the driver before a daemon opens its buffer: which number is written to which file, in which order
// (doc/DRIVER.md). The order is a value that tests compare.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/driver/driver_events.h"
#include "daemon/driver/oprofilefs.h"
#include "libop/control/daemon_settings.h"

namespace op::collect {

/// One number for one of the driver's files.
struct DriverWrite {
    std::string file;
    uint64_t value = 0;

    bool operator==(const DriverWrite&) const = default;
};

/// The model and counters that the driver reports. Throws a system or input error if its files cannot be
/// read.
DriverModel read_driver_model(const Oprofilefs& driver);

/// The CPU type that the driver names; the running machine's if the driver only reports architectural
/// counters, which many types have. None for the timer, the RTC and unknown types. Throws as cpu_models
/// does.
std::optional<CpuModel> driver_cpu_model(const DriverModel& model);
/// The events of that type; empty if there is no type. Excludes libpfm's events for models that program
/// registers. Throws as load_catalogue and cpu_models do.
EventCatalogue driver_catalogue(const DriverModel& model);

/// All writes, in order: the sizes that are set, call-chain depth, filters; every counter disabled and
/// zeroed; then each event's counter, `enabled` first.
std::vector<DriverWrite> plan_driver(const DriverModel& model, const DaemonSettings& settings,
                                     std::span<const ConfiguredEvent> events);

/// Writes the plan, then sets the events' counts to those that the driver rounded. Throws a system error with
/// the file and the remedy; earlier writes are kept.
void program_driver(const Oprofilefs& driver, std::span<const DriverWrite> plan,
                    std::span<ConfiguredEvent> events);

}  // namespace op::collect
