// SPDX-License-Identifier: GPL-2.0-or-later
// Which CPUs count an event: what PMUs say of themselves in sysfs (the kernel's
// Documentation/ABI/testing/sysfs-bus-event_source-devices*).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libop/events/event_encoding.h"

namespace op::collect {

/// CPUs that count an event; none = all do.
using CountingCpus = std::optional<std::vector<uint32_t>>;

/// True if that CPU is one of them.
bool counts_on(const CountingCpus& cpus, uint32_t cpu) noexcept;

/// The CPUs of a PMU: those that count for it if it is outside the CPUs ("cpumask"), or those that have it if
/// only some do ("cpus"); none = every CPU. `devices`: the directory of PMUs, event_source_devices() of
/// libop/events/kernel_events.h.
CountingCpus cpus_of_pmu(const std::string& devices, const std::string& pmu);

/// Of an event of the processor's own counters, whose cores may be of several kinds: the kernel gives codes
/// without a PMU to "cpu_core" where there is one (hybrid Intel processors; made-up directories are all that
/// was tried). None: every CPU.
CountingCpus cpus_of_event(const std::string& devices, const EventEncoding& encoding);

}  // namespace op::collect
