// SPDX-License-Identifier: GPL-2.0-or-later
// Programming the driver before a daemon opens its buffer: which number goes into which file, in which order
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

/// What the driver says it can do. Throws a system or input error if its files cannot be read.
DriverModel read_driver_model(const Oprofilefs& driver);

/// The CPU type that the driver names; the running machine's if it only says that counters are
/// architectural, which many types have. None of the timer and the RTC, and of a type that is not known.
/// Throws as cpu_models does.
std::optional<CpuModel> driver_cpu_model(const DriverModel& model);
/// The events of that type; none if there is none. Of models that program registers without libpfm's. Throws
/// as load_catalogue and cpu_models do.
EventCatalogue driver_catalogue(const DriverModel& model);

/// All writes, in order: sizes that are set, call-chain depth, filters; every counter off and zero; then each
/// event's counter, `enabled` first.
std::vector<DriverWrite> plan_driver(const DriverModel& model, const DaemonSettings& settings,
                                     std::span<const ConfiguredEvent> events);

/// Writes the plan, then takes over the counts as the driver rounded them. Throws a system error naming the
/// file and the remedy; what was written before stands.
void program_driver(const Oprofilefs& driver, std::span<const DriverWrite> plan,
                    std::span<ConfiguredEvent> events);

}  // namespace op::collect
