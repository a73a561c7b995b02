// SPDX-License-Identifier: GPL-2.0-or-later
// All events of a CPU model, from its event files, libpfm4 and the kernel, and the choice of one by a
// specification. Does not choose the counter of an event; libop/counter_alloc does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libop/events/counter_alloc.h"
#include "libop/events/cpu_model.h"
#include "libop/events/event_encoding.h"
#include "libop/events/event_file.h"
#include "libop/events/event_table.h"
#include "libop/events/pfm_events.h"

namespace op {

/// The name of an event of POWER before POWER8 without its group: "PM_CYC" of "PM_CYC_GRP1"; nothing for a
/// name without a group.
std::optional<std::string_view> without_group(std::string_view name);

/// The source of an event's definition.
enum class EventOrigin {
    file,    ///< the event files
    libpfm,  ///< libpfm4, by a PMU of the model
    kernel,  ///< a PMU of the running kernel
    clock,   ///< the kernel's CPU clock
};

struct CatalogueEvent : EventDescription {
    EventOrigin origin = EventOrigin::file;
    std::string pmu;  ///< libpfm's or the kernel's name; empty for others
    /// Of the kernel's events, which cannot be narrowed.
    std::optional<EventEncoding> encoding;

    /// The counters that can hold it.
    CounterMask counter_mask() const;
    /// The least count, times the factor. Of events such as switches between tasks, of which each may be
    /// sampled, it is 1 whatever a sample costs: they stop the program in any case.
    uint64_t least_count(uint64_t factor) const { return minimum_count == 1 ? 1 : minimum_count * factor; }
};

/// The directory of event files: $OPROFILE_EVENTS_DIR, or the one they were installed in.
std::string events_directory();
/// The file cpu_models of that directory if there is one, else the built-in table. Throws an input or
/// system error.
CpuModels load_cpu_models(const std::string& events_dir);

/// The models of events_directory(), read at the first call. All code except tests uses these models. Throws
/// as load_cpu_models does. Thread-safe.
const CpuModels& cpu_models();

/// The sources of a catalogue.
struct CatalogueSources {
    std::string events_dir;
    /// The machine, if the model is its own: its CPUID then gives the number of counters and missing events.
    std::optional<Processor> machine;
    bool with_libpfm = true;
    std::string devices;  ///< the kernel's PMUs (libop/kernel_events); empty = none
    /// Reports whether the machine has a PMU of libpfm's; called only if there is a machine.
    bool (*has_pmu)(const std::string& pmu) = pfm_is_present;
};

/// The events of a CPU model.
struct EventCatalogue {
    CpuModel model;
    std::string events_dir, devices;  ///< as in the sources
    unsigned counters = 0;            ///< hardware counters
    /// Sorted by origin; events of files are in file order. A name may occur several times among the events
    /// of files, and among libpfm's if PMUs of one type define it differently.
    std::vector<CatalogueEvent> events;
    std::vector<std::string> missing;  ///< events of the model that this processor lacks by CPUID

    std::vector<std::string> names() const;
    bool knows(std::string_view name) const;
    /// The row of event_table() that defines the event of that name; null if the catalogue or nothing defines
    /// it. TIMER is defined by its row for every model, even if the catalogue lists it.
    const EventInfo* builtin(std::string_view name) const;
    /// True if 0 is a unit mask of every event: on IBM POWER some masks hold bits that do not fit the code.
    bool takes_mask_0() const;
    /// False if the directory of event files is missing.
    bool events_are_here() const;
    /// True for an event of the model that this processor lacks.
    bool lacks(std::string_view name) const;
};

/// The message for a missing directory of event files.
std::string no_event_files(const std::string& events_dir);

/// Makes the catalogue of a model. A model without event files has the other events only. Of the model's PMUs
/// in libpfm, those that the machine has are used, or all of them if it has no known one. Throws an input
/// error for malformed event files and a system error for unreadable ones.
EventCatalogue load_catalogue(const CpuModel& model, const CatalogueSources& sources);

/// A requested event.
struct ResolvedEvent {
    const CatalogueEvent* event = nullptr;  ///< never null; of the catalogue, as long as that lives
    EventSpec spec;
    UnitMaskChoice unit_mask;
};

/// Options for checking a request.
struct ResolveOptions {
    uint64_t count_factor = 1;   ///< the minimum count is this many times as high
    bool ignore_counts = false;  ///< nothing is sampled, so there is no minimum
};

/// Finds the event that `spec` asks for: a name of the catalogue, a count of at least the event's minimum (0:
/// not given), a valid unit mask. On POWER a name may lack its group, _GRPn. If several events have the name,
/// returns the first that fits. Throws a usage error for the first condition that does not hold: of the first
/// event that has the unit mask, otherwise with the unit masks of all events of the name. The error for an
/// unknown name lists similar names and CPU types that have it.
ResolvedEvent resolve_event(const EventCatalogue& catalogue, const EventSpec& spec,
                            const ResolveOptions& options = {});

/// The encoding that requests the event from the kernel. Throws a usage error if the kernel cannot count it.
EventEncoding encode_event(const EventCatalogue& catalogue, const ResolvedEvent& resolved);

}  // namespace op
