// SPDX-License-Identifier: GPL-2.0-or-later
// Counts as JSON (RFC 8259). Layout: doc/FORMATS.md, "Counts as JSON". Names that are not UTF-8 have U+FFFD
// where they are not.
#include "libop/base/json.h"
#include "utils/count_report.h"

namespace op::tool {
namespace {

using namespace op::collect;

const char* kind_name(CountReport::Kind kind) {
    constexpr const char* names[] = {"command", "processes", "threads", "cpus", "system"};
    return names[static_cast<size_t>(kind)];
}

Json subject_json(const CountReport& report) {
    Json json = {{"kind", kind_name(report.kind)}};
    if (!report.command.empty()) json["command"] = report.command;
    if (!report.numbers.empty()) json["list"] = Json::Array(report.numbers.begin(), report.numbers.end());
    return json;
}

Json row_json(const CountReport& report, const CountRow& row) {
    Json json = {{"event", report.events.at(row.key.event)}};
    if (row.key.task) json["task"] = *row.key.task;
    if (row.key.cpu) json["cpu"] = *row.key.cpu;
    if (row.is_counted()) {
        json["count"] = row.count;
        json["scaled"] = row.is_scaled;
        json["incomplete"] = row.is_incomplete;
        json["unscaled_count"] = row.counted;
    } else {
        json["not_counted"] = reason_not_counted(row);
    }
    json["enabled_ns"] = row.enabled;
    json["running_ns"] = row.running;
    return json;
}

}  // namespace

std::string count_report_json(const CountReport& report, const CountBlock& block, int64_t time) {
    Json json = {{"format", "oprofile-ng counts"}, {"version", 1}};
    json["subject"] = subject_json(report);
    json["time"] = time;
    json["duration_ns"] = block.duration.count();
    json["counts"] = Json::array();
    for (const CountRow& row : block.rows)
        json["counts"].add(row_json(report, row));
    return json_text(std::move(json), {.indent = -1}) + "\n";
}

}  // namespace op::tool
