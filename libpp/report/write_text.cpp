// SPDX-License-Identifier: GPL-2.0-or-later
// The classic text layout: banner and image summary. Scripts parse it: column widths and blanks are part of
// the interface.
#include "libpp/report/write_text.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <vector>

#include "libop/base/counted.h"
#include "libop/base/text.h"
#include "libop/session/event_label.h"
#include "libop/session/ledger.h"
#include "libpp/profile/percent.h"
#include "libpp/report/count_text.h"
#include "libpp/report/share_intervals.h"
#include "libpp/report/text_lines.h"
#include "libpp/report/writer.h"

namespace op::pp {

namespace {

std::string right(std::string text, size_t width) {
    if (text.size() < width) text.insert(0, width - text.size(), ' ');
    return text;
}

// Banner

std::string speed_text(double mhz) {
    if (!(mhz > 0)) return "";
    char text[64];
    std::snprintf(text, sizeof text, ", speed %g MHz (estimated)", mhz);
    return text;
}

std::string event_text(const ShownEvent& event, const char* verb) {
    const auto behind = [&](const std::string& text) { return event.is_known ? " (" + text + ")" : ""; };
    return verb + (" " + printable(event.name)) + " events" + behind(event.description) +
           " with a unit mask of 0x" + hex(event.unit_mask, 2) + behind(event.mask_description) + " count " +
           std::to_string(event.count) + "\n";
}

/// op2calltree, which makes callgrind files of `opreport -gdf`, expects a column of samples for every line
/// that begins with "Counted" or "Profiling through timer", and takes one that begins with a hexadecimal
/// digit for a symbol's.
std::string events_text(const ReportHead& head) {
    // Classic sessions of the timer have one event, which is not named and has no count.
    const bool is_timer = head.is_timer && head.events.size() == 1;
    std::string text = is_timer ? "Profiling through timer interrupt\n" : "";
    for (const auto& event : head.events)
        if (!is_timer)
            text += event_text(event, "Counted");
        else if (event.is_known && event.count > 0)
            text += event_text(event, "Sampled");
    return text;
}

std::string remarks_text(const ReportHead& head) {
    std::string text;
    for (const auto* lines : {&head.remarks, &head.facts})
        for (const std::string& line : *lines)
            text += "Note: " + printable(line) + "\n";
    return text;
}

bool is_without_loss(const RecordingAccount& account) {
    return account.ledger.lost() == 0 && account.complete_stacks == account.stacks;
}

/// Of the remarks two, and how many others there are, unless these are one; and the facts. The recorder has
/// said already that all went well.
std::string short_remarks_text(const ReportHead& head) {
    constexpr size_t most = 3;
    std::vector<std::string> lines = head.remarks;
    if (lines.size() > most) {
        const size_t others = lines.size() - (most - 1);
        lines.resize(most - 1);
        lines.push_back(counted(others, "further note") + ": opreport --session-info has all");
    }
    const std::string known =
        head.account && is_without_loss(*head.account) ? account_line(*head.account) : "";
    std::ranges::copy_if(head.facts, std::back_inserter(lines),
                         [&](const std::string& fact) { return fact != known; });
    std::string text;
    for (const std::string& line : lines)
        text += "Note: " + printable(line) + "\n";
    return text;
}

/// "TIMER:1000000 on NAME-OF-THE-CPU, in DIRECTORY"; the events as event_label() has them.
std::string short_head(const ReportHead& head) {
    std::string text = joined(head.events, ", ", [](const ShownEvent& event) {
        return event_label(printable(event.name), event.count, event.unit_mask);
    });
    text += (text.empty() ? "" : " on ") + printable(head.cpu_name);
    return head.samples_dir.empty() ? text : text + ", in " + printable(head.samples_dir);
}

std::string class_text(const ProfileClass& column, Axis axis, bool with_name) {
    const auto number = [](const std::optional<uint32_t>& value) {
        return value ? std::to_string(*value) : "all";
    };
    const bool is_named = with_name && !column.thread_name.empty();
    const std::string named = is_named ? " (" + printable(column.thread_name) + ")" : "";
    switch (axis) {
        case Axis::tgid:
            return "Processes with a thread group ID of " + number(column.tgid) + named + "\n";
        case Axis::tid:
            return "Processes with a thread ID of " + number(column.tid) + named + "\n";
        case Axis::cpu:
            return "Samples on CPU " + number(column.cpu) + "\n";
        case Axis::event:
        case Axis::several:
            break;
    }
    return "";
}

/// The classic lines have numbers only; with names they are for people.
std::string classes_text(const ReportHead& head, bool with_names) {
    std::string text;
    for (const auto& column : head.columns)
        text += class_text(column, head.axis, with_names);
    return text;
}

// Image summary

constexpr size_t cell_width = 18;

std::string cell_head(const std::string& name, size_t width) {
    if (name.size() <= width) return right(name, width) + "|";
    return name.substr(0, width - 3) + "...|";
}

std::string image_heads(const ReportHead& head, const std::string& indent) {
    std::string names = indent, titles = indent, rule = indent;
    const size_t width = cell_width + (head.has_intervals ? interval_width : 0);
    for (const auto& column : head.columns) {
        names += cell_head(printable(column.short_name(head.axis)), width - 1);
        titles += right(count_title(head), 9) + "|      %|";
        if (head.has_intervals) titles += std::string("       ") + interval_title + "|";
        rule += std::string(width, '-');
    }
    return names + "\n" + titles + "\n" + rule + "\n";
}

void add_image_line(std::string& text, const ReportHead& head, const ImageRow& row, const std::string& indent,
                    const TextStyle& style) {
    const size_t start = text.size();
    text += indent;
    for (size_t i = 0; i < row.counts.size(); ++i) {
        text += right(count_text(head, i, row.counts[i]), 9) + " " +
                format_percent(percent_of(row.counts[i], row.bases[i])) + " ";
        if (head.has_intervals) add_interval_cell(text, interval_text(head, i, row.counts[i], row.bases[i]));
    }
    text += printable(row.name);
    end_row(text, start, percent_of(row.counts.front(), row.bases.front()), style);
}

std::string write_images(const ImageReport& report, const TextStyle& style) {
    std::string text = head_text(report.head, style);
    if (report.head.is_shown) text += image_heads(report.head, "");
    for (const auto& row : report.rows) {
        add_image_line(text, report.head, row, "", style);
        if (row.parts.empty()) continue;
        if (report.head.is_shown) text += image_heads(report.head, "\t");
        for (const auto& part : row.parts)
            add_image_line(text, report.head, part, "\t", style);
    }
    return text;
}

bool images_leave_room(const ImageReport& report, const TextStyle& style) {
    const size_t width = cell_width + (report.head.has_intervals ? interval_width : 0);
    return report.head.columns.size() * width + least_name <= style.width;
}

struct LeavesRoom {
    const TextStyle& style;

    bool operator()(const ImageReport& report) const { return images_leave_room(report, style); }
    bool operator()(const SymbolReport& report) const { return symbols_leave_room(report, style); }
    bool operator()(const CallgraphReport& report) const { return callgraph_leaves_room(report, style); }
    bool operator()(const CallTreeReport& report) const { return call_tree_leaves_room(report, style); }
};

struct WriteText {
    const TextStyle& style;

    std::string operator()(const ImageReport& report) const { return write_images(report, style); }
    std::string operator()(const SymbolReport& report) const { return write_symbols_text(report, style); }
    std::string operator()(const CallgraphReport& report) const {
        return write_callgraph_text(report, style);
    }
    std::string operator()(const CallTreeReport& report) const { return write_call_tree_text(report, style); }
};

// Terminals

constexpr size_t tab_width = 8;
constexpr std::string_view cut_mark = "...";
constexpr std::string_view hot_color = "\033[31m", warm_color = "\033[32m", no_color = "\033[m";
constexpr double hot = 5, warm = 0.5;  // percent

/// Columns a byte takes: those of UTF-8 that continue a character take none.
size_t columns_of(char byte, size_t column) {
    if (byte == '\t') return tab_width - column % tab_width;
    return (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
}

/// Cuts the text from `start` so that it takes no more than `width` columns, its end being the mark.
void cut_line(std::string& text, size_t start, size_t width) {
    size_t column = 0, keep = start;
    for (size_t at = start; at < text.size(); ++at) {
        const size_t columns = columns_of(text[at], column);
        if (columns > 0 && column + cut_mark.size() <= width) keep = at;
        column += columns;
        if (column > width) {
            text.resize(keep);
            text += cut_mark;
            return;
        }
    }
}

}  // namespace

void end_row(std::string& text, size_t start, double share, const TextStyle& style) {
    if (style.width > 0 && !style.has_whole_names) cut_line(text, start, style.width);
    if (style.has_color && share >= warm) {
        text.insert(start, share >= hot ? hot_color : warm_color);
        text += no_color;
    }
    text += '\n';
}

std::string banner_text(const ReportHead& head) {
    return "CPU: " + printable(head.cpu_name) + speed_text(head.cpu_speed_mhz) + "\n" + events_text(head) +
           remarks_text(head) + classes_text(head, false);
}

std::string head_text(const ReportHead& head, const TextStyle& style) {
    if (!head.is_shown) return "";
    if (style.width == 0) return banner_text(head);
    std::string text = short_head(head);
    end_row(text, 0, 0, style);
    return text + (style.has_all_notes ? remarks_text(head) : short_remarks_text(head)) +
           classes_text(head, true);
}

bool leaves_room_for_names(const Report& report, const TextStyle& style) {
    return style.width == 0 || style.has_whole_names || std::visit(LeavesRoom{style}, report);
}

std::string write_text(const Report& report, const TextStyle& style) {
    return std::visit(WriteText{style}, report);
}

}  // namespace op::pp
