// SPDX-License-Identifier: GPL-2.0-or-later
// Counts as text; widths and headings are those of the classic ocount.
#include "utils/count_report.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

#include "libop/base/counted.h"
#include "libop/base/text.h"
#include "libop/session/counted_time.h"

namespace op::tool {
namespace {

using namespace op::collect;

constexpr size_t place_width = 10, count_width = 25, room_behind_events = 8;
constexpr const char* not_counted = "Event not counted";

std::string fixed(double value, int decimals) {
    std::array<char, 64> text;
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals).ptr;
    return {text.data(), end};
}

std::string percent(double share) {
    return fixed(share * 100, 2);
}

std::string with_commas(uint64_t number) {
    std::string digits = std::to_string(number);
    for (size_t at = digits.size(); at > 3;)
        digits.insert(at -= 3, ",");
    return digits;
}

/// The cell, at least one blank behind it.
std::string padded(std::string cell, size_t width) {
    cell.resize(std::max(width, cell.size() + 1), ' ');
    return cell;
}

std::string amount(int64_t number, const std::string& unit) {
    return counted(static_cast<uint64_t>(number), unit);
}

std::string duration_text(std::chrono::nanoseconds duration) {
    using namespace std::chrono;
    if (duration < milliseconds{100}) return amount(duration.count(), "nanosecond");
    if (duration < minutes{1})
        return fixed(duration_cast<std::chrono::duration<double>>(duration).count(), 1) + " seconds";
    const auto whole = duration_cast<seconds>(duration).count();
    return amount(whole / 60, "minute") + " and " + amount(whole % 60, "second");
}

std::string subject(const CountReport& report) {
    switch (report.kind) {
        case CountReport::Kind::command:
            return printable(report.command);
        case CountReport::Kind::processes:
            return "the specified process(es)";
        case CountReport::Kind::threads:
            return "the specified thread(s)";
        case CountReport::Kind::cpus:
            return "the specified CPU(s)";
        case CountReport::Kind::system:
            break;
    }
    return "the whole system" + (report.command.empty() ? "" : ", while it ran " + printable(report.command));
}

/// The number of the task or CPU that a row is of; empty if rows are not separated.
std::string place(const CountRow& row) {
    if (row.key.task) return std::to_string(*row.key.task);
    return row.key.cpu ? std::to_string(*row.key.cpu) : "";
}

const char* place_heading(CountSeparation separation) {
    return separation == CountSeparation::task ? "Task ID" : "CPU";
}

class LongText {
public:
    LongText(const CountReport& report, const CountBlock& block) : report_(report), block_(block) {
        for (const std::string& event : report.events)
            event_width_ = std::max(event_width_, event.size() + room_behind_events);
    }

    std::string table() const {
        std::string text = heading();
        for (const CountRow& row : block_.rows)
            text += line(row);
        return text;
    }

    /// What has to be known to read the numbers aright, a line each.
    std::string notes() const {
        std::map<std::pair<uint32_t, std::string>, std::vector<std::string>> missing;
        std::map<uint32_t, double> scaled;
        std::set<uint32_t> incomplete;
        for (const CountRow& row : block_.rows) {
            if (!row.is_counted()) missing[{row.key.event, reason_not_counted(row)}].push_back(place(row));
            if (row.is_counted() && row.is_incomplete) incomplete.insert(row.key.event);
            if (!row.is_scaled) continue;
            double& share = scaled.try_emplace(row.key.event, 1.0).first->second;
            share = std::min(share, row.share());
        }
        std::string text;
        for (const auto& [event, share] : scaled)
            text += "\t" + label(event) + ": counted for " + percent(share) +
                    " % of the time only; the count is scaled up from that\n";
        for (const uint32_t event : incomplete)
            text +=
                "\t" + label(event) + ": some counters never had their turn, so that the count is too low\n";
        for (const auto& [what, places] : missing)
            text += "\t" + label(what.first) + ": not counted" + where(places) + ": " + what.second + "\n";
        return text.empty() ? text : "\n" + text;
    }

private:
    std::string label(uint32_t event) const { return printable(report_.events.at(event)); }
    bool is_separated() const { return report_.separation != CountSeparation::none; }

    std::string where(const std::vector<std::string>& places) const {
        if (!is_separated()) return "";
        return std::string(" (") + place_heading(report_.separation) + " " + short_list(places) + ")";
    }

    std::string heading() const {
        std::string text = "\t" + padded("Event", event_width_);
        if (is_separated()) text += padded(place_heading(report_.separation), place_width);
        return text + padded("Count", count_width) + "% time counted\n";
    }

    std::string line(const CountRow& row) const {
        std::string text = "\t" + padded(label(row.key.event), event_width_);
        if (is_separated()) text += padded(place(row), place_width);
        if (!row.is_counted()) return text + not_counted + "\n";
        return text + padded(with_commas(row.count), count_width) + percent(row.share()) + "\n";
    }

    const CountReport& report_;
    const CountBlock& block_;
    size_t event_width_ = 0;
};

}  // namespace

std::string reason_not_counted(const CountRow& row) {
    if (row.enabled == 0) return "nothing of it ran in that time";
    return std::string(no_counter_was_free);
}

std::string count_report_text(const CountReport& report, const CountBlock& block, int64_t time) {
    const bool is_scaled = std::ranges::any_of(block.rows, &CountRow::is_scaled);
    const LongText body(report, block);
    std::string text = "\n";
    if (report.has_intervals)
        text += "Current time (seconds since epoch): " + std::to_string(time) + "\n";
    else
        text += "Events were actively counted for " + duration_text(block.duration) + ".\n";
    text += std::string("Event counts (") + (is_scaled ? "scaled" : "actual") + ") for " + subject(report) +
            ":\n";
    return text + body.table() + body.notes();
}

std::string count_report_brief(const CountReport& report, const CountBlock& block, int64_t time) {
    std::string text;
    const char* const stamp = report.kind == CountReport::Kind::command ? "timestamp," : "t:";
    if (report.has_intervals) text += stamp + std::to_string(time) + "\n";
    for (const CountRow& row : block.rows) {
        if (const std::string at = place(row); !at.empty()) text += at + ",";
        text += printable(report.events.at(row.key.event)) + ",";
        text += (row.is_counted() ? std::to_string(row.count) : "not counted") + "," + percent(row.share()) +
                "\n";
    }
    return text;
}

}  // namespace op::tool
