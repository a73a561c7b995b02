// SPDX-License-Identifier: GPL-2.0-or-later
// libpfm4: events of a PMU, and their encoding for perf_event_open (libpfm(3)).
#include "libop/events/pfm_events.h"

#include <perfmon/pfmlib_perf_event.h>

#include <cstdlib>

#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/machine_root.h"
#include "libop/base/text.h"

namespace op {

namespace {

/// Smallest count taken of events that come without one: that of the fastest ones, cycles.
constexpr uint64_t minimum_count = 6000;

constexpr const char* inactive_too = "LIBPFM_ENCODE_INACTIVE";

/// A structure of libpfm's with its size field set.
template <class Info>
Info sized() {
    Info info{};
    info.size = sizeof info;
    return info;
}

/// True once the library is ready.
bool is_ready() {
    static const bool ready = [] {
        // Events of other machines, too. Read at the start only; programs we profile must not inherit it.
        const bool is_ours = !std::getenv(inactive_too);
        if (is_ours) ::setenv(inactive_too, "1", 0);
        const bool is_done = pfm_initialize() == PFM_SUCCESS;
        if (is_ours) ::unsetenv(inactive_too);
        return is_done;
    }();
    return ready;
}

std::optional<pfm_pmu_info_t> find_pmu(const std::string& name) {
    if (!is_ready()) return std::nullopt;
    for (int id = 0; id < PFM_PMU_MAX; ++id) {
        auto info = sized<pfm_pmu_info_t>();
        if (pfm_get_pmu_info(static_cast<pfm_pmu_t>(id), &info) == PFM_SUCCESS && info.name == name)
            return info;
    }
    return std::nullopt;
}

std::string text_of(const char* text) {
    return text ? printable(text) : "";
}

/// The unit masks of an event. What else qualifies it are modifiers, which are asked for otherwise.
std::shared_ptr<const UnitMaskSet> unit_masks(const pfm_event_info_t& event) {
    UnitMaskSet set{"zero", UnitMaskKind::mandatory, 0, "", true, {}};
    size_t defaults = 0;
    for (int i = 0; i < event.nattrs; ++i) {
        auto attr = sized<pfm_event_attr_info_t>();
        if (pfm_get_event_attr_info(event.idx, i, PFM_OS_NONE, &attr) != PFM_SUCCESS) continue;
        if (attr.type != PFM_ATTR_UMASK) continue;
        set.entries.push_back({attr.code, extra_bits::named, text_of(attr.name), text_of(attr.desc)});
        if (attr.is_dfl && defaults++ == 0) set.default_name = text_of(attr.name);
    }
    if (set.entries.empty()) {
        set.entries.push_back({0, 0, "", "No unit mask"});
    } else {
        set.name = text_of(event.name);
        set.kind = UnitMaskKind::exclusive;
        set.has_default = defaults != 0;
    }
    return std::make_shared<const UnitMaskSet>(std::move(set));
}

/// The event itself, or what it is another name of: that has the unit masks.
pfm_event_info_t original_of(const std::string& pmu, const pfm_event_info_t& event) {
    const std::string other = text_of(event.equiv);
    if (other.empty() || other.find(':') != other.npos) return event;
    const int index = pfm_find_event((pmu + "::" + other).c_str());
    auto original = sized<pfm_event_info_t>();
    const bool found = index >= 0 && pfm_get_event_info(index, PFM_OS_NONE, &original) == PFM_SUCCESS;
    return found ? original : event;
}

EventDescription description_of(const std::string& pmu, const pfm_event_info_t& info) {
    EventDescription event;
    event.name = text_of(info.name);
    event.description = text_of(info.desc);
    event.code = static_cast<uint32_t>(info.code);
    event.counters_of_cpuid = true;  // libpfm does not report which counters
    event.minimum_count = minimum_count;
    event.unit_masks = unit_masks(original_of(pmu, info));
    return event;
}

/// True if the file "pmus" of the made-up machine names it: libpfm itself looks at the real processor.
bool is_made_up(const std::string& pmu) {
    const std::string names = read_file_if_any(machine_path("/pmus")).value_or("");
    std::string_view rest = names;
    while (!rest.empty())
        if (take_word(rest) == pmu) return true;
    return false;
}

}  // namespace

bool has_pfm() noexcept {
    return true;
}

bool pfm_is_present(const std::string& pmu) {
    if (made_up_machine()) return is_made_up(pmu);
    const auto found = find_pmu(pmu);
    return found && found->is_present;
}

std::vector<EventDescription> pfm_events(const std::string& pmu) {
    std::vector<EventDescription> events;
    const auto found = find_pmu(pmu);
    if (!found) return events;
    for (int i = found->first_event; i != -1; i = pfm_get_event_next(i)) {
        auto info = sized<pfm_event_info_t>();
        if (pfm_get_event_info(i, PFM_OS_NONE, &info) == PFM_SUCCESS)
            events.push_back(description_of(pmu, info));
    }
    return events;
}

EventEncoding pfm_encoding(const std::string& pmu, const std::string& event, const std::string& unit_mask) {
    std::string text = pmu + "::" + event;
    if (!unit_mask.empty()) text += ":" + unit_mask;
    auto attr = sized<perf_event_attr>();
    auto argument = sized<pfm_perf_encode_arg_t>();
    argument.attr = &attr;
    if (!is_ready()) throw_usage("event '" + printable(event) + "': libpfm does not work here");
    const int error =
        pfm_get_os_event_encoding(text.c_str(), PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &argument);
    if (error != PFM_SUCCESS)
        throw_usage("event '" + printable(event) + "': libpfm rejects it: " + pfm_strerror(error));
    return {attr.type, attr.config, attr.config1, attr.config2, static_cast<unsigned>(attr.precise_ip)};
}

}  // namespace op
