// SPDX-License-Identifier: GPL-2.0-or-later
// The table of exporters, and what they have in common.
#include <algorithm>
#include <cstdio>
#include <set>
#include <tuple>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/event_label.h"
#include "libpp/export/exporter.h"

namespace op::pp {

// Each is defined in the file of its name.
ExportProfile export_callgrind, export_flamegraph, export_folded, export_pprof, export_speedscope;

namespace {

constexpr Exporter table[] = {
    {.name = "callgrind",
     .is_text = true,
     .has_remarks = true,
     .file_prefix = "callgrind.out.",
     .write = export_callgrind},
    {.name = "flamegraph",
     .is_text = true,
     .has_only_stacks = true,
     .file_suffix = ".svg",
     .write = export_flamegraph},
    {.name = "folded",
     .is_text = true,
     .has_only_stacks = true,
     .file_suffix = ".folded",
     .write = export_folded},
    {.name = "pprof",
     .has_threads = true,
     .has_inlines = true,
     .has_remarks = true,
     .file_suffix = ".pb.gz",
     .write = export_pprof},
    {.name = "speedscope",
     .is_text = true,
     .has_only_stacks = true,
     .file_suffix = ".speedscope.json",
     .write = export_speedscope},
};

std::string event_name(const ProfileClass& column, int parts) {
    if (parts > 2) return event_label(column.event, column.count, column.unit_mask);
    return parts > 1 ? event_label(column.event, column.count) : column.event;
}

}  // namespace

std::span<const Exporter> exporters() {
    return table;
}

const Exporter* find_exporter(std::string_view name) {
    const auto* const row = std::ranges::find(table, name, &Exporter::name);
    return row == std::end(table) ? nullptr : row;
}

std::vector<std::string> event_names(std::span<const ProfileClass> columns) {
    std::set<std::tuple<std::string, uint64_t, uint64_t>> events;
    for (const auto& column : columns)
        events.emplace(column.event, column.count, column.unit_mask);
    for (int parts = 1;; ++parts) {
        std::vector<std::string> names;
        for (const auto& column : columns)
            names.push_back(event_name(column, parts));
        if (parts == 3 || std::set<std::string>(names.begin(), names.end()).size() == events.size())
            return names;
    }
}

void require_one_event(const Profile& profile, std::string_view format) {
    if (profile.columns.size() > 1)
        throw_usage("--format=" + std::string(format) +
                    " has a place for one event: choose one with event: (recorded: " +
                    joined(event_names(profile.columns)) + ")");
}

std::string milliseconds_text(uint64_t samples, uint64_t nanoseconds) {
    char text[64];
    std::snprintf(text, sizeof text, "%.6f",
                  static_cast<double>(samples) * static_cast<double>(nanoseconds) * 1e-6);
    std::string digits = text;
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.ends_with('.')) digits.pop_back();
    return digits;
}

}  // namespace op::pp
