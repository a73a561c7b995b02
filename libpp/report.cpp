// SPDX-License-Identifier: GPL-2.0-or-later
// What reports have in common.
#include "libpp/report.h"

#include <algorithm>
#include <set>

#include "libop/cpu_model.h"
#include "libop/error.h"
#include "libop/event_table.h"
#include "libop/text.h"

namespace op::pp {

namespace {

struct SortName {
    std::string_view name;
    SortKey key;
};

constexpr SortName sort_names[] = {
    {"sample", SortKey::sample}, {"image", SortKey::image}, {"app-name", SortKey::app_name},
    {"symbol", SortKey::symbol}, {"debug", SortKey::debug}, {"vma", SortKey::vma},
};

ShownEvent shown_event(const ProfileClass& column, const SampleHeader& header, bool is_shown,
                       Diagnostics& notes) {
    ShownEvent event;
    event.name = column.event;
    event.count = column.count;
    event.unit_mask = column.unit_mask;
    if (const EventInfo* const info = find_event(column.event)) {
        event.is_known = true;
        event.description = info->description;
        event.mask_description = column.unit_mask == 0 ? "No unit mask" : "multiple flags";
    } else if (is_shown && header.cpu_type != cpu_type_timer) {
        notes.warn("no description of event " + column.event + ":" + std::to_string(column.count));
    }
    return event;
}

/// What is special about the modes an event was counted in; empty if it is one event in both modes.
std::string mode_remark(const ShownEvent& shown, const SessionInfo& info) {
    std::set<std::string_view> modes;
    for (const RecordedEvent& event : info.events)
        if (event.name == shown.name && event.count == shown.count && event.unit_mask == shown.unit_mask)
            modes.insert(!event.user ? "kernel mode only" : !event.kernel ? "user mode only" : "both modes");
    const std::string name = shown.name + ":" + std::to_string(shown.count);
    if (modes.size() > 1)
        return name + " stands for " + std::to_string(modes.size()) +
               " events that differ in their modes only, added up";
    if (modes.empty() || modes.contains("both modes")) return "";
    return name + " was counted in " + std::string(*modes.begin());
}

/// The manifest knows types that sample file headers have no number for.
std::string cpu_title(uint32_t number, const SessionInfo* info) {
    const CpuModels& models = builtin_cpu_models();
    const CpuModel* type = info && info->cpu_type == number ? models.find(info->cpu_type_name) : nullptr;
    if (!type) type = models.find_number(number);
    return type ? type->title : "unknown type " + std::to_string(number);
}

}  // namespace

std::vector<SortKey> parse_sort_keys(std::span<const std::string> values) {
    std::vector<SortKey> keys;
    for (const auto& value : values) {
        const auto* const row = std::ranges::find(sort_names, value, &SortName::name);
        if (row == std::end(sort_names))
            throw_usage("invalid --sort key " + value +
                        ": use sample, image, app-name, symbol, debug or vma");
        keys.push_back(row->key);
    }
    return keys;
}

std::string shown_name(const ImageName& image, bool long_names) {
    if (long_names || image.kind == ImageName::Kind::anon) return image.display();
    return std::string(base_name(image.display()));
}

ReportHead make_head(const ReportOptions& options, Axis axis, std::span<const ProfileClass> columns,
                     const SampleHeader& header, const SessionInfo* info, Diagnostics& notes) {
    ReportHead head;
    head.is_shown = options.heads;
    head.axis = axis;
    head.columns.assign(columns.begin(), columns.end());
    head.cpu_type = header.cpu_type;
    head.cpu_speed_mhz = header.cpu_speed_mhz;
    head.request = options.request;
    head.cpu_name = cpu_title(header.cpu_type, info);
    const size_t events = axis == Axis::event ? columns.size() : 1;
    for (const auto& column : columns.first(events))
        head.events.push_back(shown_event(column, header, options.heads, notes));
    if (info)
        for (const auto& event : head.events)
            if (auto remark = mode_remark(event, *info); !remark.empty())
                head.remarks.push_back(std::move(remark));
    return head;
}

}  // namespace op::pp
