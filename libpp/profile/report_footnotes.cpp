// SPDX-License-Identifier: GPL-2.0-or-later
// Remarks on events.
#include "libpp/profile/report_footnotes.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <string_view>

#include "libop/base/text.h"
#include "libop/session/event_label.h"

namespace op::pp {

namespace {

/// The remark on the modes in which an event was counted; empty if it is one event in both modes.
std::string mode_remark(const ProfileClass& column, const SessionInfo& info) {
    std::set<std::string_view> modes;
    for (const RecordedEvent& event : info.events)
        if (event.name == column.event && event.count == column.count && event.unit_mask == column.unit_mask)
            modes.insert(!event.user ? "kernel mode only" : !event.kernel ? "user mode only" : "both modes");
    const std::string name = event_label(column.event, column.count);
    if (modes.size() > 1)
        return name + " is the sum of " + std::to_string(modes.size()) +
               " events that differ in their modes only";
    if (modes.empty() || modes.contains("both modes")) return "";
    return name + " was counted in " + std::string(*modes.begin());
}

std::string digits(const char* format, double value) {
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

/// "CYCLES:100000 ran 48.7 % of the time it was enabled: its counts are scaled by 2.053".
std::string scale_remark(const ScaledEvent& event) {
    std::string name = event_label(event.event, event.count, event.unit_mask);
    if (!event.session.empty()) name += " of session " + event.session;
    const double share = event.time.share();
    return name + " ran " + digits("%.3g", 100 * share) +
           " % of the time it was enabled: its counts are scaled by " + digits("%.4g", 1 / share);
}

bool is_same_event(const ProfileClass& a, const ProfileClass& b) {
    return a.event == b.event && a.count == b.count && a.unit_mask == b.unit_mask;
}

/// The scaled events in the columns of the event of `column`, each once.
ScaledEvents scaled_of(const ProfileClass& column, std::span<const ProfileClass> columns,
                       std::span<const ScaledEvents> scaled) {
    ScaledEvents found;
    for (size_t i = 0; i < std::min(columns.size(), scaled.size()); ++i) {
        if (!is_same_event(columns[i], column)) continue;
        for (const ScaledEvent& event : scaled[i])
            if (std::ranges::find(found, event) == found.end()) found.push_back(event);
    }
    return found;
}

}  // namespace

std::vector<std::string> report_footnotes(std::span<const ProfileClass> columns, const SessionInfo* info,
                                          std::span<const ScaledEvents> scaled) {
    std::vector<std::string> remarks;
    for (size_t i = 0; i < columns.size(); ++i) {
        const auto is_done = [&](const ProfileClass& earlier) { return is_same_event(earlier, columns[i]); };
        if (std::ranges::any_of(columns.first(i), is_done)) continue;
        if (std::string remark = info ? mode_remark(columns[i], *info) : ""; !remark.empty())
            remarks.push_back(std::move(remark));
        for (const ScaledEvent& event : scaled_of(columns[i], columns, scaled))
            remarks.push_back(scale_remark(event));
    }
    return remarks;
}

std::vector<CountedTime> scaled_times(std::span<const ScaledEvents> scaled) {
    std::vector<CountedTime> times;
    for (const ScaledEvents& events : scaled) {
        CountedTime& sum = times.emplace_back();
        for (const ScaledEvent& event : events)
            sum += event.time;
    }
    return times;
}

}  // namespace op::pp
