// SPDX-License-Identifier: GPL-2.0-or-later
// Gathering the events of a CPU model and finding one of them. How they are encoded is
// libop/events/event_encoding.cpp.
#include "libop/events/event_catalogue.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>
#include <variant>

#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/nearest.h"
#include "libop/base/text.h"
#include "libop/events/event_numbers.h"
#include "libop/events/kernel_events.h"
#include "libop/events/software_events.h"

namespace op {

namespace {

/// The minimum on a processor with architectural counters, for one that is not this machine's.
constexpr unsigned fewest_perfmon_counters = 2;
constexpr uint64_t greatest_count = UINT32_MAX;
constexpr size_t most_types = 3;

std::optional<EventTexts> read_texts(const std::string& events_dir, const std::string& type) {
    if (!is_cpu_type_name(type)) return std::nullopt;  // of an event file, perhaps
    EventTexts texts;
    texts.label = events_dir + "/" + type;
    auto events = read_file_if_any(texts.label + "/events");
    if (!events) return std::nullopt;
    texts.events = std::move(*events);
    texts.unit_masks = read_file_if_any(texts.label + "/unit_masks").value_or("");
    return texts;
}

std::vector<EventDescription> events_of_files(const std::string& events_dir, const std::string& type) {
    const auto texts = read_texts(events_dir, type);
    if (!texts) return {};
    return parse_events(*texts, [&](const std::string& other) { return read_texts(events_dir, other); });
}

/// The set of events that cannot be narrowed.
std::shared_ptr<const UnitMaskSet> no_unit_masks() {
    const UnitMaskEntry zero{0, 0, "", "No unit mask"};
    return std::make_shared<const UnitMaskSet>(
        UnitMaskSet{"zero", UnitMaskKind::mandatory, 0, "", true, {zero}});
}

/// True if both mean the same to the hardware, whatever their descriptions.
bool is_alike(const EventDescription& a, const EventDescription& b) {
    return a.code == b.code && std::ranges::equal(a.unit_masks->entries, b.unit_masks->entries,
                                                  [](const UnitMaskEntry& x, const UnitMaskEntry& y) {
                                                      return x.value == y.value && x.name == y.name;
                                                  });
}

class Gatherer {
public:
    Gatherer(const CpuModel& model, const CatalogueSources& sources) : sources_(sources) {
        catalogue_.model = model;
        catalogue_.events_dir = sources.events_dir;
        catalogue_.devices = sources.devices;
        const X86Processor* const cpu =
            sources.machine && sources.machine->x86 ? &*sources.machine->x86 : nullptr;
        catalogue_.counters = model.counters;
        if (model.has_perfmon_filter && cpu && cpu->counters != 0) catalogue_.counters = cpu->counters;
        if (catalogue_.counters == 0) catalogue_.counters = fewest_perfmon_counters;
        if (model.has_perfmon_filter && cpu) missing_ = cpu->missing_events;
    }

    EventCatalogue gather() {
        for (EventDescription& event : events_of_files(sources_.events_dir, catalogue_.model.name))
            add_file_event(std::move(event));
        if (sources_.with_libpfm)
            for (const std::string& pmu : pmus())
                for (EventDescription& event : pfm_events(pmu))
                    add_pfm_event(std::move(event), pmu);
        for (const CatalogueEvent& event : catalogue_.events)
            names_.insert(event.name);
        add_kernel_events();
        // The clock samples on whatever machine this is, and is all that the type without counters has.
        const bool is_here = !sources_.devices.empty();
        if (is_here || catalogue_.model.number == cpu_type_timer) add_clock();
        return std::move(catalogue_);
    }

private:
    void add(EventDescription event, EventOrigin origin, const std::string& pmu) {
        if (event.counters_of_cpuid) event.counters = all_counters(catalogue_.counters);
        CatalogueEvent& added = catalogue_.events.emplace_back();
        static_cast<EventDescription&>(added) = std::move(event);
        added.origin = origin;
        added.pmu = pmu;
    }

    void add_file_event(EventDescription event) {
        names_.insert(event.name);
        if (event.filter && (missing_ >> *event.filter & 1) != 0)
            catalogue_.missing.push_back(std::move(event.name));
        else
            add(std::move(event), EventOrigin::file, "");
    }

    /// Client and server parts of a processor have PMUs that give some events of one name other codes, so
    /// only the machine's own may speak for it.
    std::vector<std::string> pmus() const {
        std::vector<std::string> present;
        if (sources_.machine)
            std::ranges::copy_if(catalogue_.model.pmus, std::back_inserter(present), sources_.has_pmu);
        return present.empty() ? catalogue_.model.pmus : present;
    }

    /// Event files come first: an event that they or another PMU already define is not added again.
    void add_pfm_event(EventDescription event, const std::string& pmu) {
        if (names_.contains(event.name)) return;
        const auto is_same = [&](const CatalogueEvent& known) {
            return known.name == event.name && is_alike(known, event);
        };
        if (std::ranges::none_of(catalogue_.events, is_same)) add(std::move(event), EventOrigin::libpfm, pmu);
    }

    bool add_further(EventDescription event, EventOrigin origin, const std::string& pmu) {
        if (!names_.insert(event.name).second) return false;
        add(std::move(event), origin, pmu);
        return true;
    }

    /// The names of the processor's own PMU and of the kernel itself stand alone, those of others behind
    /// their PMU's.
    void add_kernel_events() {
        if (sources_.devices.empty()) return;
        for (const KernelEvent& found : kernel_events(sources_.devices))
            add_kernel_event(found.pmu == "cpu" ? found.name : found.pmu + "@" + found.name,
                             "Event of the kernel's PMU " + found.pmu, found.pmu, found.encoding);
        for (const SoftwareEvent& known : software_events())
            add_kernel_event(std::string(known.name), std::string(known.description), "software",
                             known.encoding(), known.minimum_count);
    }

    void add_kernel_event(std::string name, std::string description, const std::string& pmu,
                          const EventEncoding& encoding, uint64_t minimum_count = 1) {
        EventDescription event;
        event.name = std::move(name);
        event.description = std::move(description);
        event.code = static_cast<uint32_t>(encoding.config);
        event.minimum_count = minimum_count;
        event.unit_masks = no_unit_masks();
        if (add_further(std::move(event), EventOrigin::kernel, pmu))
            catalogue_.events.back().encoding = encoding;
    }

    void add_clock() {
        const EventInfo& clock = *find_event(timer_event);
        EventDescription event;
        event.name = clock.name;
        event.description = clock.description;
        event.minimum_count = clock.minimum_count;
        event.unit_masks = no_unit_masks();
        add(std::move(event), EventOrigin::clock, "");
    }

    const CatalogueSources& sources_;
    EventCatalogue catalogue_;
    uint32_t missing_ = 0;
    std::set<std::string> names_;
};

/// Other types whose event files have a name.
struct OtherTypes {
    std::vector<std::string> having;  ///< at most most_types of them
    std::vector<std::string> faults;  ///< of files that could not be read
};

/// True if the type's event files have that name; what is wrong with them is noted, as it is another type's.
bool has_event(const std::string& events_dir, const std::string& type, std::string_view name,
               OtherTypes& others) try {
    const auto events = events_of_files(events_dir, type);
    return std::ranges::find(events, name, &EventDescription::name) != events.end();
} catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
    others.faults.emplace_back(error.what());
    return false;
}

OtherTypes types_with_event(const EventCatalogue& catalogue, std::string_view name) {
    OtherTypes others;
    if (!catalogue.events_are_here()) others.faults.push_back(no_event_files(catalogue.events_dir));
    const CpuModels models = load_cpu_models(catalogue.events_dir);
    for (const CpuModel& model : models.rows()) {
        if (others.having.size() == most_types) break;
        if (model.name == catalogue.model.name) continue;
        if (has_event(catalogue.events_dir, model.name, name, others)) others.having.push_back(model.name);
    }
    return others;
}

[[noreturn]] void fail_unknown(const EventCatalogue& catalogue, const std::string& name) {
    const std::string event = "event '" + printable(name) + "': ";
    if (catalogue.lacks(name)) throw_usage(event + "this processor lacks it (by CPUID leaf 0xA)");
    const OtherTypes others = types_with_event(catalogue, name);
    std::vector<std::string> names = catalogue.names();
    for (const EventInfo& builtin : event_table())
        names.emplace_back(builtin.name);
    std::erase(names, name);  // sampled by that name, but not an event of this catalogue
    const std::string alike = did_you_mean(nearest_names(name, names));
    throw_usage(event + "not an event of " + catalogue.model.title + alike +
                (!others.having.empty() ? "; CPU types that have it: " + joined(others.having) +
                                              (others.having.size() == most_types ? " and maybe more" : "")
                 : alike.empty() ? "; ophelp lists what there is"
                                 : "") +
                (others.faults.empty() ? "" : "; not looked through: " + others.faults.front()));
}

/// "6000", with call graphs "90000 for call graphs, 15 times the usual one".
std::string minimum_text(uint64_t minimum, uint64_t factor) {
    if (factor == 1) return std::to_string(minimum);
    return std::to_string(minimum * factor) + " for call graphs, " + std::to_string(factor) +
           " times the usual one";
}

/// Why an event cannot be sampled every so many times; empty if it can.
std::string count_fault(const EventSpec& spec, const CatalogueEvent& event, uint64_t factor) {
    const std::string asked = "event '" + spec.name + "': count " + std::to_string(spec.count);
    if (spec.count < event.least_count(factor))
        return asked + " is below the minimum of " + minimum_text(event.minimum_count, factor) +
               "; lower ones could leave no time for anything else";
    if (spec.count > greatest_count)
        return asked + " is above the maximum of " + std::to_string(greatest_count);
    return "";
}

/// The events of that name; if there are no such events, those that have the name with any group appended.
std::vector<const CatalogueEvent*> events_named(const EventCatalogue& catalogue, std::string_view name) {
    std::vector<const CatalogueEvent*> exact, grouped;
    const bool has_groups = has_event_groups(catalogue.model.name);
    for (const CatalogueEvent& event : catalogue.events) {
        if (event.name == name) exact.push_back(&event);
        if (has_groups && without_group(event.name) == name) grouped.push_back(&event);
    }
    return exact.empty() ? grouped : exact;
}

/// An event of the name asked for that will not do.
struct Misfit {
    const CatalogueEvent* event = nullptr;
    std::string reason;  ///< of the count, else of the unit mask
    bool takes_count = true;
    bool takes_mask = true;
};

std::variant<ResolvedEvent, Misfit> try_event(const EventCatalogue& catalogue, const CatalogueEvent& event,
                                              const EventSpec& spec, const ResolveOptions& options) {
    const bool has_count = !options.ignore_counts && spec.count != 0;
    const std::string fault = has_count ? count_fault(spec, event, options.count_factor) : "";
    auto mask = choose_unit_mask(*event.unit_masks, spec, catalogue.takes_mask_0());
    const auto* const refusal = std::get_if<Refusal>(&mask);
    if (!fault.empty()) return Misfit{&event, fault, false, refusal == nullptr};
    if (refusal) return Misfit{&event, refusal->reason, true, false};
    return ResolvedEvent{&event, spec, std::get<UnitMaskChoice>(std::move(mask))};
}

/// Throws for a name none of whose events fits: the reason of the event that has the unit mask, otherwise the
/// unit masks of all of them. `misfits` is not empty.
[[noreturn]] void fail_misfit(const std::vector<Misfit>& misfits) {
    const auto meant = std::ranges::find(misfits, true, &Misfit::takes_mask);
    if (meant != misfits.end()) throw_usage(meant->reason);
    if (!misfits.front().takes_count) throw_usage(misfits.front().reason);
    UnitMaskSet others;
    for (size_t i = 1; i < misfits.size(); ++i) {
        const auto& entries = misfits[i].event->unit_masks->entries;
        others.entries.insert(others.entries.end(), entries.begin(), entries.end());
    }
    throw_usage(misfits.front().reason +
                (others.entries.empty() ? "" : "; others of that name take " + unit_mask_list(others)));
}

}  // namespace

std::optional<std::string_view> without_group(std::string_view name) {
    constexpr std::string_view group = "_GRP";
    const size_t at = name.rfind(group);
    if (at == name.npos || !parse_number(name.substr(at + group.size()))) return std::nullopt;
    return name.substr(0, at);
}

CounterMask CatalogueEvent::counter_mask() const {
    const bool takes_none =
        !extended.empty() || origin == EventOrigin::clock || origin == EventOrigin::kernel;
    return takes_none ? CounterMask{} : CounterMask{counters};
}

/// The directory of event files if the installed tree was moved, or if this program was not installed.
std::optional<std::string> events_beside_program() {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    if (error) return std::nullopt;
    for (const char* const beside : {"share/oprofile", "events"}) {
        const std::string directory = self.parent_path() / beside;
        if (is_regular_file(directory + "/cpu_models")) return directory;
    }
    return std::nullopt;
}

std::string events_directory() {
    const char* const set = ::secure_getenv("OPROFILE_EVENTS_DIR");
    if (set && *set) return set;
    std::error_code error;
    if (std::filesystem::is_directory(OP_EVENTS_DIR, error)) return OP_EVENTS_DIR;
    return events_beside_program().value_or(OP_EVENTS_DIR);
}

CpuModels load_cpu_models(const std::string& events_dir) {
    const std::string path = events_dir + "/cpu_models";
    const auto text = read_file_if_any(path);
    return text ? CpuModels::parse(*text, path) : builtin_cpu_models();
}

const CpuModels& cpu_models() {
    static const CpuModels models = load_cpu_models(events_directory());
    return models;
}

std::vector<std::string> EventCatalogue::names() const {
    std::vector<std::string> all;
    for (const CatalogueEvent& event : events)
        all.push_back(event.name);
    return all;
}

bool EventCatalogue::knows(std::string_view name) const {
    return std::ranges::any_of(events, [&](const CatalogueEvent& event) { return event.name == name; });
}

const EventInfo* EventCatalogue::builtin(std::string_view name) const {
    return name == timer_event || !knows(name) ? find_event(name) : nullptr;
}

bool EventCatalogue::lacks(std::string_view name) const {
    return std::ranges::find(missing, name) != missing.end();
}

bool EventCatalogue::takes_mask_0() const {
    return has_event_groups(model.name);
}

bool EventCatalogue::events_are_here() const {
    std::error_code ignored;
    return std::filesystem::is_directory(events_dir, ignored);
}

std::string no_event_files(const std::string& events_dir) {
    return "no event files: there is no directory " + printable(events_dir) +
           "; install them, or name it in OPROFILE_EVENTS_DIR";
}

EventCatalogue load_catalogue(const CpuModel& model, const CatalogueSources& sources) {
    return Gatherer(model, sources).gather();
}

ResolvedEvent resolve_event(const EventCatalogue& catalogue, const EventSpec& spec,
                            const ResolveOptions& options) {
    std::vector<Misfit> misfits;
    for (const CatalogueEvent* const event : events_named(catalogue, spec.name)) {
        auto answer = try_event(catalogue, *event, spec, options);
        if (auto* const resolved = std::get_if<ResolvedEvent>(&answer)) return std::move(*resolved);
        misfits.push_back(std::get<Misfit>(std::move(answer)));
    }
    if (!misfits.empty()) fail_misfit(misfits);
    fail_unknown(catalogue, spec.name);
}

}  // namespace op
