// SPDX-License-Identifier: GPL-2.0-or-later
// The common parts of reports.
#include "libpp/report/report.h"

#include <algorithm>
#include <numeric>

#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/events/event_catalogue.h"
#include "libop/events/event_table.h"
#include "libop/events/event_text.h"
#include "libop/events/software_events.h"
#include "libop/session/event_label.h"
#include "libop/session/ledger.h"

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

/// The CPU type of a session, or null. The manifest knows types that sample file headers have no number for.
const CpuModel* model_of(uint32_t number, const SessionInfo* info) {
    const CpuModels& models = cpu_models();
    const CpuModel* type = info && info->cpu_type == number ? models.find(info->cpu_type_name) : nullptr;
    return type ? type : models.find_number(number);
}

/// Descriptions of events: of those known without event files, then of those of the CPU type.
class EventWords {
public:
    EventWords(const CpuModel* model, const SessionInfo* info, Diagnostics& notes)
        : model_(model), info_(info), notes_(notes) {}

    std::optional<EventText> find(const ProfileClass& column) {
        if (const EventInfo* const info = find_event(column.event))
            return EventText{std::string(info->description),
                             column.unit_mask == 0 ? "No unit mask" : "multiple flags"};
        if (const SoftwareEvent* const known = find_software_event(column.event))
            return EventText{std::string(known->description), "No unit mask"};
        if (!model_ || model_->number == cpu_type_timer) return std::nullopt;
        if (!catalogue_) load();
        return describe_event(*catalogue_, column.event, column.unit_mask, mask_name(column));
    }

private:
    /// The name of a column's unit mask in the session.
    std::string_view mask_name(const ProfileClass& column) const {
        if (!info_) return {};
        const auto recorded = std::ranges::find_if(info_->events, [&](const RecordedEvent& event) {
            return event.name == column.event && event.count == column.count &&
                   event.unit_mask == column.unit_mask;
        });
        return recorded == info_->events.end() ? std::string_view() : recorded->unit_mask_name;
    }

    void load() {
        try {
            catalogue_ = load_catalogue(*model_, {events_directory(), {}, true, ""});
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::internal) throw;
            notes_.warn(std::string(error.what()) + "; events are shown without description");
            catalogue_.emplace();
        }
    }

    const CpuModel* model_;
    const SessionInfo* info_;
    Diagnostics& notes_;
    std::optional<EventCatalogue> catalogue_;
};

ShownEvent shown_event(const ProfileClass& column, EventWords& words) {
    ShownEvent event;
    event.name = column.event;
    event.count = column.count;
    event.unit_mask = column.unit_mask;
    if (auto text = words.find(column)) {
        event.is_known = true;
        event.description = std::move(text->description);
        event.mask_description = std::move(text->unit_mask);
    }
    return event;
}

}  // namespace

uint64_t SortColumn::of(std::span<const uint64_t> counts) const {
    if (number) return counts[*number];
    return std::accumulate(counts.begin(), counts.end(), uint64_t{0}, add_saturating);
}

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
    if (image.kind == ImageName::Kind::kernel && long_names) return "/" + image.name;
    if (long_names || image.kind == ImageName::Kind::anon) return image.display();
    return std::string(base_name(image.display()));
}

std::string name_in_brackets(const ImageName& image, bool long_names) {
    const std::string name = shown_name(image, long_names);
    return image.kind == ImageName::Kind::anon && name.starts_with('[') ? name : "[" + name + "]";
}

bool is_scaled(std::span<const CountedTime> scaled, size_t column) {
    return column < scaled.size() && scaled[column] != CountedTime{};
}

ReportHead make_head(const ReportOptions& options, Axis axis, std::span<const ProfileClass> columns,
                     const SampleHeader& header, const SessionInfo* info, Diagnostics& notes,
                     std::span<const ScaledEvents> scaled) {
    ReportHead head;
    head.is_shown = options.heads;
    head.has_intervals = options.intervals;
    head.shows_time = options.shows_time;
    head.axis = axis;
    head.columns.assign(columns.begin(), columns.end());
    head.cpu_speed_mhz = header.cpu_speed_mhz;
    head.request = options.request;
    const CpuModel* const model = model_of(header.cpu_type, info);
    head.cpu_type = model ? model->name : "";
    head.is_timer = model && model->number == cpu_type_timer;
    head.cpu_name = model ? model->title : "unknown type " + std::to_string(header.cpu_type);
    EventWords words(model, info, notes);
    const size_t events = axis == Axis::event ? columns.size() : 1;
    for (const auto& column : columns.first(events))
        head.events.push_back(shown_event(column, words));
    for (const ShownEvent& event : head.events)
        if (!event.is_known && options.heads && !head.is_timer)
            notes.warn("no description of event " + event_label(event.name, event.count));
    head.scaled = scaled_times(scaled);
    head.remarks = report_footnotes(columns, info, scaled);
    if (!info) return head;
    head.account = recording_account(*info);
    if (std::string line = account_line(*head.account); !line.empty())
        head.facts.push_back((info->unfinished ? "so far " : "") + line);
    else
        head.account.reset();
    return head;
}

}  // namespace op::pp
