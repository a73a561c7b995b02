// SPDX-License-Identifier: GPL-2.0-or-later
// All events of a CPU model, from its event files, libpfm4 and the kernel, and what of them a specification
// asks for. Does not decide which counter holds an event; that is libop/counter_alloc.
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

/// The name of an event of POWER before POWER8 without its group: "PM_CYC" of "PM_CYC_GRP1"; nothing if it
/// has none.
std::optional<std::string_view> without_group(std::string_view name);

/// Who knows an event.
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
};

/// Where the directory of event files is: $OPROFILE_EVENTS_DIR, or where they were installed.
std::string events_directory();
/// The file cpu_models of that directory if there is one, else the built-in table. Throws an input or
/// system error.
CpuModels load_cpu_models(const std::string& events_dir);

/// The models of this process: of events_directory(), read at the first call. Everything but tests asks here.
/// Throws as load_cpu_models does. Thread-safe.
const CpuModels& cpu_models();

/// What a catalogue is made of.
struct CatalogueSources {
    std::string events_dir;
    /// The machine, if the model is its own: its CPUID then gives the number of counters and missing events.
    std::optional<Processor> machine;
    bool with_libpfm = true;
    std::string devices;  ///< the kernel's PMUs (libop/kernel_events); empty = none
    /// Which of libpfm's PMUs the machine has; asked only if there is a machine.
    bool (*has_pmu)(const std::string& pmu) = pfm_is_present;
};

/// The events of a CPU model.
struct EventCatalogue {
    CpuModel model;
    std::string events_dir, devices;  ///< as in the sources
    unsigned counters = 0;            ///< hardware counters
    /// By origin; those of files in file order. A name may occur several times among those of files, and
    /// among libpfm's where PMUs of one type differ in it.
    std::vector<CatalogueEvent> events;
    std::vector<std::string> missing;  ///< events of the model that this processor lacks by CPUID

    std::vector<std::string> names() const;
    bool knows(std::string_view name) const;
    /// The row of event_table() that defines the event of that name, or null where the catalogue defines it
    /// or nothing does. TIMER is defined by its row whatever the model, also where the catalogue lists it.
    const EventInfo* builtin(std::string_view name) const;
    /// True if 0 is a unit mask of every event: on IBM POWER some masks are what codes have too much.
    bool takes_mask_0() const;
    /// False if there is no directory of event files at all.
    bool events_are_here() const;
    /// True for an event of the model that is not known for want of it in this processor.
    bool lacks(std::string_view name) const;
};

/// The message for a missing directory of event files.
std::string no_event_files(const std::string& events_dir);

/// Makes the catalogue of a model. A model without event files has the other events only. Of libpfm's PMUs of
/// the model those of the machine count, all if none is known to be there. Throws an input
/// error for event files that are wrong, a system error for those that cannot be read.
EventCatalogue load_catalogue(const CpuModel& model, const CatalogueSources& sources);

/// An event as asked for.
struct ResolvedEvent {
    const CatalogueEvent* event = nullptr;  ///< never null; of the catalogue, as long as that lives
    EventSpec spec;
    UnitMaskChoice unit_mask;
};

/// How checks are made.
struct ResolveOptions {
    uint64_t count_factor = 1;   ///< the minimum count is this many times as high
    bool ignore_counts = false;  ///< nothing is sampled, so there is no minimum
};

/// Finds the event that `spec` asks for: a name of the catalogue, a count of at least the event's minimum (or
/// 0: none said), a valid unit mask. On POWER names may lack their group, _GRPn. Of several of that name the
/// first that fits. Throws a usage error for the first of these that does not hold, of several of the name
/// for the first that has the unit mask, else with the unit masks of all; for an unknown one with names alike
/// and CPU types that have it.
ResolvedEvent resolve_event(const EventCatalogue& catalogue, const EventSpec& spec,
                            const ResolveOptions& options = {});

/// How the kernel is asked for it. Throws a usage error if it cannot be asked for that.
EventEncoding encode_event(const EventCatalogue& catalogue, const ResolvedEvent& resolved);

}  // namespace op
