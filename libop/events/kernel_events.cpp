// SPDX-License-Identifier: GPL-2.0-or-later
// Reading the kernel's event files.
#include "libop/events/kernel_events.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/machine_root.h"
#include "libop/base/tagged_lines.h"
#include "libop/base/text.h"

namespace op {

namespace {

/// The file's text without its newline; none if there is no such file.
std::optional<std::string> text_of(const std::string& path) {
    auto text = read_file_if_any(path);
    while (text && text->ends_with('\n'))
        text->pop_back();
    return text;
}

/// Sorted; none if there is no such directory, as of a PMU without events.
std::vector<std::string> names_in(const std::string& path) {
    Fd dir(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!dir && (errno == ENOENT || errno == ENOTDIR)) return {};
    if (!dir) throw_system("cannot open " + path);
    std::vector<std::string> names;
    for (const DirectoryEntry& entry : read_directory(std::move(dir), path))
        names.push_back(entry.name);
    std::ranges::sort(names);
    return names;
}

uint64_t* field_of(std::string_view name, EventEncoding& encoding) {
    if (name == "config") return &encoding.config;
    if (name == "config1") return &encoding.config1;
    if (name == "config2") return &encoding.config2;
    return nullptr;
}

/// "scale" and "unit" files describe how to show an event; a name with a dot is not an event.
bool is_event_name(std::string_view name) {
    return name.find_first_of(".:,/ ") == name.npos;
}

}  // namespace

std::string event_source_devices() {
    return machine_path("/sys/bus/event_source/devices");
}

bool place_term(std::string_view format, uint64_t value, EventEncoding& encoding) {
    const size_t colon = format.find(':');
    uint64_t* const field = field_of(format.substr(0, colon), encoding);
    if (!field || colon == format.npos) return false;
    for (const std::string_view part : split(format.substr(colon + 1), ',')) {
        const size_t dash = part.find('-');
        const auto first = parse_number(part.substr(0, dash));
        const auto last = dash == part.npos ? first : parse_number(part.substr(dash + 1));
        if (!first || !last || *first > *last || *last > 63) return false;
        for (uint64_t bit = *first; bit <= *last; ++bit, value >>= 1)
            *field |= (value & 1) << bit;
    }
    return value == 0;
}

std::optional<EventEncoding> parse_kernel_event(std::string_view text, uint32_t type,
                                                const TermFormat& format) {
    EventEncoding encoding;
    encoding.type = type;
    for (const std::string_view term : split(text, ',')) {
        const size_t equals = term.find('=');
        const std::string name(trimmed(term.substr(0, equals)));
        const auto value =
            equals == term.npos ? uint64_t{1} : parse_c_integer(trimmed(term.substr(equals + 1)));
        if (!value) return std::nullopt;  // "?": to be chosen by who asks
        const auto place = field_of(name, encoding) ? std::optional(name + ":0-63") : format(name);
        if (!place || !place_term(*place, *value, encoding)) return std::nullopt;
    }
    return encoding;
}

std::optional<uint32_t> kernel_pmu_type(const std::string& devices, const std::string& pmu) {
    const auto text = text_of(devices + "/" + pmu + "/type");
    const auto type = text ? parse_number(*text) : std::nullopt;
    return type && *type <= UINT32_MAX ? std::optional(static_cast<uint32_t>(*type)) : std::nullopt;
}

std::map<std::string, uint32_t> kernel_pmus(const std::string& devices) {
    std::map<std::string, uint32_t> pmus;
    for (const std::string& name : names_in(devices))
        if (const auto type = kernel_pmu_type(devices, name)) pmus.emplace(name, *type);
    return pmus;
}

unsigned greatest_precise_level(const std::string& devices) {
    for (const char* const pmu : {"cpu", "cpu_core"})  // where cores differ, raw codes mean the large ones
        if (const auto text = text_of(devices + "/" + pmu + "/caps/max_precise"))
            return static_cast<unsigned>(std::min(parse_number(*text).value_or(0), uint64_t{3}));
    return 0;
}

std::vector<KernelEvent> kernel_events(const std::string& devices) {
    std::vector<KernelEvent> events;
    for (const auto& [pmu, type] : kernel_pmus(devices)) {
        const std::string dir = devices + "/" + pmu;
        const auto format = [&](const std::string& term) { return text_of(dir + "/format/" + term); };
        for (const std::string& name : names_in(dir + "/events")) {
            const auto text = is_event_name(name) ? text_of(dir + "/events/" + name) : std::nullopt;
            if (!text) continue;
            if (const auto encoding = parse_kernel_event(*text, type, format))
                events.push_back({pmu, name, *encoding});
        }
    }
    return events;
}

}  // namespace op
