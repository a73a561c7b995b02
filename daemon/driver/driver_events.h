// SPDX-License-Identifier: GPL-2.0-or-later
// Assigns the events that the user asked for to the driver's counters: what each of its models can count,
// with which code, and which counts are refused. Reads no file; that is driver_setup.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/driver/driver_models.h"
#include "libop/events/event_catalogue.h"
#include "libop/events/event_spec.h"

namespace op::collect {

/// A counter the driver offers.
struct DriverCounter {
    int number = 0;              ///< its directory in oprofilefs
    uint64_t minimum_count = 0;  ///< smallest count it accepts; 0 = unknown
    bool has_extra = false;      ///< it has a file for the extra bits of the event select register
    bool has_pmu = false;        ///< it has files for a PMU of the kernel besides the CPU's and its raw data
};

/// A sampler that takes the place of a counter, as it is programmed.
struct SamplerSetting {
    uint32_t pmu = 0;       ///< for N/pmu
    uint32_t config = 0;    ///< for N/event
    uint32_t raw_size = 0;  ///< for N/raw_size, bytes

    bool operator==(const SamplerSetting&) const = default;
};

/// The counting hardware, as the driver reports it.
struct DriverModel {
    std::string model;     ///< see DriverKind
    std::string cpu_type;  ///< "timer", "i386/arch_perfmon" ...
    std::vector<DriverCounter> counters;
    bool copies_stacks = false;  ///< it has a file `stack_size`

    const DriverKind& kind() const noexcept { return driver_kind(model); }
};

/// One event on its counter. Events that are derived from a sampler's samples share one.
struct ConfiguredEvent {
    std::string name;
    uint32_t code = 0;  ///< for N/event, unless it is derived
    int counter = 0;
    uint64_t count = 0;  ///< events, ns (TIMER) or interrupts a second (RTC_INTERRUPTS)
    uint64_t unit_mask = 0;
    uint64_t extra = 0;  ///< for N/extra: invert, edge and counter mask bits
    bool kernel = true, user = true;
    std::string unit_mask_name = {};  ///< if several unit masks may have the number; the driver has no names
    std::optional<SamplerSetting> sampler = {};  ///< of an event that is derived from its samples

    bool operator==(const ConfiguredEvent&) const = default;
};

/// The registers of the processor: those of the catalogue's CPU model, of the driver's CPU type if it has
/// none.
const CounterRegisters& registers_of(const DriverModel& model, const EventCatalogue& catalogue);

/// The event that is counted if the user asked for none: the model's only one, the default of the catalogue's
/// CPU model, or CPU_CLK_UNHALTED.
EventSpec default_driver_event(const DriverModel& model, const EventCatalogue& catalogue);

/// Assigns each event the lowest counter of the model that can hold it and leaves counters for the others.
/// Events are those of `catalogue`, which is of the model's CPU type (driver_catalogue() in driver_setup.h),
/// raw codes, and CPU_CLK_UNHALTED. Throws a usage error with the reason and the remedy: an event that is
/// unknown or needs registers besides the counters', unless the counters can be PMUs of the kernel and it is
/// derived from samples of one (IBS, check_ibs_events() in libop/events/ibs_rules.h), more events than the
/// counters can hold, a count below the minimum (15 times the minimum with `callgraph`) or above 2^31-1, a
/// unit mask for an event that has none, both modes off, duplicates. An event rNNN is the raw hexadecimal
/// code NNN of the processor's manual; on x86 it is the event select register: bits 0-7 and 32-35 event, 8-15
/// unit mask, 18, 23 and 24-31 edge, invert and counter mask.
std::vector<ConfiguredEvent> choose_driver_events(std::span<const EventSpec> specs, const DriverModel& model,
                                                  const EventCatalogue& catalogue, bool callgraph);

/// The unit mask and extra bits as sample files store them, see UnitMaskChoice::stored().
uint64_t recorded_unit_mask(const ConfiguredEvent& event);

/// True for names that some model may know, so that they may be set up before the driver is loaded.
bool is_driver_event_name(std::string_view name);

/// The events in the form of oprofiled's --events: name:code:counter:count:um:kernel:user, joined by commas;
/// um is unit_mask_name if that is set.
std::string to_daemon_text(std::span<const ConfiguredEvent> events);

}  // namespace op::collect
