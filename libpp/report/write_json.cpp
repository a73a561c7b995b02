// SPDX-License-Identifier: GPL-2.0-or-later
// Reports as JSON (RFC 8259). Layout: doc/FORMATS.md, "Reports as JSON". Names that are not UTF-8 have U+FFFD
// where they are not.
#include <algorithm>
#include <span>

#include "libop/base/json.h"
#include "libop/base/text.h"
#include "libop/session/ledger.h"
#include "libpp/profile/percent.h"
#include "libpp/report/share_intervals.h"
#include "libpp/report/stack_shares.h"
#include "libpp/report/writer.h"

namespace op::pp {

namespace {

Json numbers(const uint64_t* first, size_t width) {
    return std::vector<uint64_t>(first, first + width);
}

std::string address_text(LinkAddress address) {
    return "0x" + hex(address.value(), 0);
}

void put_line(Json& json, const std::optional<SourceLine>& line) {
    if (!line) return;
    json["file"] = line->file;
    json["line"] = line->line;
}

Json event_json(const ShownEvent& event) {
    Json json = {{"name", event.name}, {"count", event.count}, {"unit_mask", event.unit_mask}};
    if (event.is_known) json["description"] = event.description;
    return json;
}

/// The times of an event whose counts are scaled.
Json time_json(const CountedTime& time) {
    return {{"enabled_ns", time.enabled}, {"running_ns", time.running}};
}

Json column_json(const ProfileClass& column, Axis axis) {
    Json json = {{"name", column.short_name(axis)},
                 {"event", column.event},
                 {"count", column.count},
                 {"unit_mask", column.unit_mask}};
    if (column.tgid) json["tgid"] = *column.tgid;
    if (column.tid) json["tid"] = *column.tid;
    if (column.cpu) json["cpu"] = *column.cpu;
    if (!column.thread_name.empty()) json["thread_name"] = column.thread_name;
    return json;
}

void put_scaled(Json& columns, const char* key, std::span<const CountedTime> scaled) {
    Json::Array& array = *columns.if_array();
    for (size_t i = 0; i < array.size(); ++i)
        if (is_scaled(scaled, i)) array[i][key] = time_json(scaled[i]);
}

Json account_json(const RecordingAccount& account) {
    Json json = {{"sampled", account.ledger.sampled()}, {"stored", account.ledger.stored()}};
    json["lost"] = Json::object();
    for (int i = 0; i < loss_causes; ++i)
        if (const auto cause = static_cast<LossCause>(i); account.ledger.lost(cause) > 0)
            json["lost"][std::string(loss_name(cause)).c_str()] = account.ledger.lost(cause);
    if (account.stacks > 0)
        json["stacks"] = {{"stored", account.stacks}, {"complete", account.complete_stacks}};
    if (account.recorder_cpu.is_measured()) {
        json["recorder_cpu"] = {{"used_ns", account.recorder_cpu.used},
                                {"elapsed_ns", account.recorder_cpu.elapsed}};
        if (account.sampled_time) json["recorder_cpu"]["sampled_ns"] = *account.sampled_time;
        json["recorder_cpu"]["percent"] =
            rounded(percent_of(account.recorder_cpu.used, account.whole_time()));
    }
    return json;
}

Json head_json(const ReportHead& head, const char* kind, const std::vector<std::string>& more_remarks = {}) {
    Json json = {{"format", "oprofile-ng report"}, {"version", 1}, {"kind", kind}};
    json["cpu"] = {{"name", head.cpu_name}};
    if (head.cpu_speed_mhz > 0) json["cpu"]["mhz"] = head.cpu_speed_mhz;
    json["events"] = Json::array();
    for (const auto& event : head.events)
        json["events"].add(event_json(event));
    json["columns"] = Json::array();
    for (const auto& column : head.columns)
        json["columns"].add(column_json(column, head.axis));
    put_scaled(json["columns"], "scaled", head.scaled);
    if (head.account) json["account"] = account_json(*head.account);
    for (const auto* remarks : {&head.remarks, &more_remarks})
        for (const std::string& remark : *remarks)
            json["remarks"].add(remark);
    return json;
}

Json symbol_json(const SymbolRow& row, const SymbolColumns& columns) {
    Json json = {{"symbol", row.name},
                 {"image", columns.images[row.image]},
                 {"app", columns.images[row.app]},
                 {"address", address_text(row.address)}};
    if (row.is_inlined) json["inlined"] = true;
    put_line(json, row.line);
    return json;
}

/// Puts the bounds of a row's shares.
void put_intervals(Json& json, const std::vector<Interval>& intervals) {
    json["low"] = Json::array();
    json["high"] = Json::array();
    for (const Interval& interval : intervals) {
        json["low"].add(rounded(interval.low));
        json["high"].add(rounded(interval.high));
    }
}

Json image_json(const ReportHead& head, const ImageRow& row) {
    Json json = {{"name", row.name}, {"samples", row.counts}};
    put_intervals(json, percent_intervals(head, row.counts.data(), row.bases.data()));
    for (const auto& part : row.parts)
        json["images"].add(image_json(head, part));
    return json;
}

Json differences_json(const Difference* first, size_t width) {
    Json json = Json::array();
    for (size_t i = 0; i < width; ++i)
        switch (first[i].kind) {
            case Difference::Kind::changed:
                json.add(first[i].percent);
                break;
            case Difference::Kind::added:
                json.add("added");
                break;
            case Difference::Kind::removed:
                json.add("removed");
                break;
        }
    return json;
}

/// Puts what the tests of a row found. It is significant if one of its columns is.
void put_tests(Json& json, std::span<const Difference> row) {
    std::vector<Interval> points;
    json["p"] = Json::array();
    json["points"] = Json::array();
    for (const Difference& difference : row) {
        points.push_back(difference.points);
        json["points"].add(rounded(difference.change));
        json["p"].add(difference.probability ? Json(rounded(*difference.probability)) : Json());
    }
    put_intervals(json, points);
    json["significant"] = std::ranges::any_of(row, &Difference::is_significant);
    if (row.size() < 2) return;
    json["significant_columns"] = Json::array();
    for (const Difference& difference : row)
        json["significant_columns"].add(difference.is_significant);
}

Json power_json(const ComparisonPower& power) {
    Json json = {{"test", power.test == ComparisonTest::means ? "welch" : "shares"},
                 {"sessions_before", power.sessions_before.at(power.column)},
                 {"sessions", power.sessions_after.at(power.column)},
                 {"tested", power.tested},
                 {"untested", power.untested}};
    if (power.are_hosts) json["by"] = "host";
    json["smallest_change_points"] = Json::array();
    for (const double points : power.smallest_change)
        json["smallest_change_points"].add(rounded(points));
    return json;
}

struct WriteJson {
    Json operator()(const ImageReport& report) const {
        Json json = head_json(report.head, "images");
        json["applications"] = Json::array();
        for (const auto& row : report.rows)
            json["applications"].add(image_json(report.head, row));
        return json;
    }

    Json operator()(const SymbolReport& report) const {
        const size_t width = report.totals.size();
        Json json = head_json(report.head, report.differences.empty() ? "symbols" : "difference");
        put_scaled(json["columns"], "scaled_before", report.scaled_before);
        json["totals"] = report.totals;
        if (!report.inclusive.empty()) json["inclusive_totals"] = report.inclusive_totals;
        if (report.account_before) json["account_before"] = account_json(*report.account_before);
        if (!report.differences.empty()) json["totals_before"] = report.totals_before;
        if (!report.power.smallest_change.empty()) json["comparison"] = power_json(report.power);
        json["symbols"] = Json::array();
        for (size_t i = 0; i < report.rows.size(); ++i) {
            Json row = symbol_json(report.rows[i], report.columns);
            if (report.differences.empty()) {
                row["samples"] = numbers(&report.counts[i * width], width);
                put_intervals(
                    row, percent_intervals(report.head, &report.counts[i * width], report.totals.data()));
            } else
                put_comparison(row, report, i);
            if (!report.inclusive.empty()) row["inclusive"] = numbers(&report.inclusive[i * width], width);
            if (!report.first_detail.empty()) row["addresses"] = details(report, i);
            json["symbols"].add(std::move(row));
        }
        return json;
    }

    Json operator()(const CallgraphReport& report) const {
        Json json = head_json(report.head, "callgraph");
        json["totals"] = report.totals;
        json["functions"] = Json::array();
        for (size_t b = 0; b < report.blocks.size(); ++b) {
            const CallgraphBlock& block = report.blocks[b];
            const size_t width = report.totals.size();
            Json function = call_json(report, block.middle);
            if (!report.inclusive.empty())
                function["inclusive"] = numbers(&report.inclusive[b * width], width);
            function["callers"] = calls(report, block.first, block.middle);
            function["callees"] = calls(report, block.middle + 1, block.end);
            json["functions"].add(std::move(function));
        }
        return json;
    }

    /// Rows are a list with depths: readers limit how deep values may be in each other, and stacks are deep.
    Json operator()(const CallTreeReport& report) const {
        const size_t width = report.totals.size();
        const bool is_comparison = !report.totals_before.empty();
        Json json =
            head_json(report.head, is_comparison ? "call tree difference" : "call tree", report.stack_losses);
        put_scaled(json["columns"], "scaled_before", report.scaled_before);
        json["root"] = report.is_by_callee ? "callees" : "applications";
        json["totals"] = report.totals;
        json["stacks"] = shares_json(report.stacks);
        if (is_comparison) {
            if (report.account_before) json["account_before"] = account_json(*report.account_before);
            json["totals_before"] = report.totals_before;
            json["stacks_before"] = shares_json(report.stacks_before);
            json["comparison"] = power_json(report.power);
        }
        json["rows"] = Json::array();
        for (size_t i = 0; i < report.rows.size(); ++i) {
            Json row = tree_row_json(report, report.rows[i]);
            row["samples"] = numbers(&report.counts[i * width], width);
            if (!report.is_by_callee) row["self"] = numbers(&report.own[i * width], width);
            if (is_comparison)
                put_comparison(row, report, i);
            else
                put_intervals(
                    row, percent_intervals(report.head, &report.counts[i * width], report.totals.data()));
            json["rows"].add(std::move(row));
        }
        return json;
    }

private:
    static Json shares_json(const StackShares& shares) {
        Json json = {{"complete", shares.complete()}};
        json["truncated"] = Json::object();
        for (uint32_t end = 1; end < shares.by_end.size(); ++end)
            if (shares.by_end[end] > 0)
                json["truncated"][std::string(cut_name(end)).c_str()] = shares.by_end[end];
        return json;
    }

    static Json tree_row_json(const CallTreeReport& report, const CallTreeRow& row) {
        const std::string& image = report.images[row.image];
        switch (row.kind) {
            case CallTreeRow::Kind::application:
                return {{"depth", row.depth}, {"app", image}};
            case CallTreeRow::Kind::cut:
                return {{"depth", row.depth}, {"truncated", cut_name(row.end)}};
            case CallTreeRow::Kind::function:
                break;
        }
        return {{"depth", row.depth}, {"symbol", row.name}, {"image", image}};
    }

    static void put_comparison(Json& json, const CallTreeReport& report, size_t row) {
        const size_t width = report.totals.size();
        json["samples_before"] = numbers(&report.counts_before[row * width], width);
        if (!report.is_by_callee) json["self_before"] = numbers(&report.own_before[row * width], width);
        json["difference_percent"] = differences_json(&report.differences[row * width], width);
        put_tests(json, std::span(report.differences).subspan(row * width, width));
    }

    static void put_comparison(Json& json, const SymbolReport& report, size_t row) {
        const size_t width = report.totals.size();
        json["samples"] = Json::array();
        for (size_t i = 0; i < width; ++i)
            json["samples"].add(report.count_after(row * width + i));
        json["samples_before"] = numbers(&report.counts_before[row * width], width);
        json["difference_percent"] = differences_json(&report.differences[row * width], width);
        put_tests(json, std::span(report.differences).subspan(row * width, width));
    }

    static Json details(const SymbolReport& report, size_t row) {
        const size_t width = report.totals.size();
        const uint64_t* const bases =
            report.has_global_percent ? report.totals.data() : &report.counts[row * width];
        Json json = Json::array();
        for (size_t i = report.first_detail[row]; i < report.first_detail[row + 1]; ++i) {
            Json detail = {{"address", address_text(report.details[i].address)}};
            put_line(detail, report.details[i].line);
            detail["samples"] = numbers(&report.detail_counts[i * width], width);
            put_intervals(detail, percent_intervals(report.head, &report.detail_counts[i * width], bases));
            json.add(std::move(detail));
        }
        return json;
    }

    static Json call_json(const CallgraphReport& report, size_t line) {
        const size_t width = report.totals.size();
        Json json = symbol_json(report.lines[line].symbol, report.columns);
        json["samples"] = numbers(&report.counts[line * width], width);
        put_intervals(
            json, percent_intervals(report.head, &report.counts[line * width], &report.bases[line * width]));
        return json;
    }

    /// The function's own samples are no call.
    static Json calls(const CallgraphReport& report, size_t first, size_t end) {
        Json json = Json::array();
        for (size_t i = first; i < end; ++i)
            if (!report.lines[i].is_self) json.add(call_json(report, i));
        return json;
    }
};

}  // namespace

std::string write_json(const Report& report, const TextStyle& /*style*/) {
    return json_text(std::visit(WriteJson{}, report), {.indent = 1, .indent_character = '\t'}) + "\n";
}

}  // namespace op::pp
