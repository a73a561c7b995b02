// SPDX-License-Identifier: GPL-2.0-or-later
// The table of exporters, and what they have in common.
#include <algorithm>
#include <set>
#include <tuple>

#include "libop/base/text.h"
#include "libop/session/event_label.h"
#include "libpp/export/exporter.h"

namespace op::pp {

// Each is defined in the file of its name.
ExportProfile export_callgrind, export_folded, export_pprof, export_speedscope;

namespace {

constexpr Exporter table[] = {
    {.name = "callgrind",
     .is_text = true,
     .has_remarks = true,
     .file_prefix = "callgrind.out.",
     .write = export_callgrind},
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

}  // namespace op::pp
