// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any text is event files, of CPU types that include one another, or an input error of one line;
// so it is as a table of CPU models. As an event of the kernel's or /proc/cpuinfo it may be nothing. The
// text's parts, apart by lines of "=", are events and unit masks of types 0, 1, ...
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/events/cpu_model.h"
#include "libop/events/event_file.h"
#include "libop/events/event_mapping.h"
#include "libop/events/kernel_events.h"

namespace {

std::vector<std::string> parts_of(std::string_view text) {
    std::vector<std::string> parts(1);
    while (!text.empty()) {
        const std::string_view line = op::take_line(text);
        if (line == "=")
            parts.emplace_back();
        else
            parts.back() += std::string(line) + "\n";
    }
    return parts;
}

void expect_one_line(const op::Error& error) {
    const std::string text = error.what();
    if (error.kind() != op::ErrorKind::input || std::count(text.begin(), text.end(), '\n')) std::abort();
}

void check(const op::EventDescription& event) {
    if (event.name.empty() || !event.unit_masks || event.unit_masks->entries.empty()) std::abort();
    op::EventSpec spec;
    spec.name = event.name;
    // A mandatory or exclusive default is always one of the entries.
    if (event.unit_masks->kind != op::UnitMaskKind::bitmask &&
        event.unit_masks->name.find(',') == std::string::npos && !op::default_entry(*event.unit_masks))
        std::abort();
    if (!std::holds_alternative<op::UnitMaskChoice>(op::choose_unit_mask(*event.unit_masks, spec)))
        std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto parts = parts_of(text);
    const auto texts = [&](size_t type) -> std::optional<op::EventTexts> {
        if (2 * type + 1 >= parts.size()) return std::nullopt;
        return op::EventTexts{std::to_string(type), parts[2 * type], parts[2 * type + 1]};
    };
    try {
        const auto include = [&](const std::string& name) {
            const auto number = op::parse_number(name);
            return number && *number < parts.size() ? texts(*number) : std::nullopt;
        };
        if (const auto first = texts(0))
            for (const op::EventDescription& event : op::parse_events(*first, include))
                check(event);
    } catch (const op::Error& error) {
        expect_one_line(error);
    }
    try {
        op::parse_event_mappings(text, "mappings");
    } catch (const op::Error& error) {
        expect_one_line(error);
    }
    try {
        op::CpuModels::parse(text, "models");
    } catch (const op::Error& error) {
        expect_one_line(error);
    }
    op::parse_kernel_event(text, 4, [&](const std::string&) { return std::optional(std::string(text)); });
    op::parse_cpuinfo(text);
    return 0;
}
