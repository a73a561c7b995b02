// SPDX-License-Identifier: GPL-2.0-or-later
// The classic text layout: banner and image summary. Scripts parse it: column widths and blanks are part of
// the interface.
#include <algorithm>
#include <cstdio>

#include "libop/event_table.h"
#include "libop/ledger.h"
#include "libop/text.h"
#include "libpp/percent.h"
#include "libpp/write_text.h"
#include "libpp/writer.h"

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

std::string event_text(const ShownEvent& event) {
    if (!event.is_known) return "Unknown event\n";
    return "Counted " + printable(event.name) + " events (" + event.description + ") with a unit mask of 0x" +
           hex(event.unit_mask, 2) + " (" + event.mask_description + ") count " +
           std::to_string(event.count) + "\n";
}

std::string events_text(const ReportHead& head) {
    // Classic sessions of the timer have no count; the interval of ours is as good as one.
    const bool is_timer = head.cpu_type == cpu_type_timer;
    std::string text = is_timer ? "Profiling through timer interrupt\n" : "";
    for (const auto& event : head.events)
        if (!is_timer || (event.is_known && event.count > 0)) text += event_text(event);
    for (const auto& remark : head.remarks)
        text += printable(remark) + "\n";
    return text;
}

std::string class_text(const ProfileClass& column, Axis axis) {
    const auto number = [](const std::optional<uint32_t>& value) {
        return value ? std::to_string(*value) : "all";
    };
    switch (axis) {
        case Axis::tgid:
            return "Processes with a thread group ID of " + number(column.tgid) + "\n";
        case Axis::tid:
            return "Processes with a thread ID of " + number(column.tid) + "\n";
        case Axis::cpu:
            return "Samples on CPU " + number(column.cpu) + "\n";
        case Axis::event:
        case Axis::several:
            break;
    }
    return "";
}

// Image summary

constexpr size_t cell_width = 18;

std::string cell_head(const std::string& name) {
    constexpr size_t width = cell_width - 1;
    if (name.size() <= width) return right(name, width) + "|";
    return name.substr(0, width - 3) + "...|";
}

std::string image_heads(const ReportHead& head, const std::string& indent) {
    std::string names = indent, titles = indent, rule = indent;
    for (const auto& column : head.columns) {
        names += cell_head(printable(column.short_name(head.axis)));
        titles += "  samples|      %|";
        rule += std::string(cell_width, '-');
    }
    return names + "\n" + titles + "\n" + rule + "\n";
}

std::string image_line(const ImageRow& row, const std::string& indent) {
    std::string line = indent;
    for (size_t i = 0; i < row.counts.size(); ++i)
        line += right(std::to_string(row.counts[i]), 9) + " " +
                format_percent(percent_of(row.counts[i], row.bases[i])) + " ";
    return line + printable(row.name) + "\n";
}

std::string write_images(const ImageReport& report) {
    std::string text;
    if (report.head.is_shown) text = banner_text(report.head) + image_heads(report.head, "");
    for (const auto& row : report.rows) {
        text += image_line(row, "");
        if (row.parts.empty()) continue;
        if (report.head.is_shown) text += image_heads(report.head, "\t");
        for (const auto& part : row.parts)
            text += image_line(part, "\t");
    }
    return text;
}
struct WriteReport {
    std::string operator()(const ImageReport& report) const { return write_images(report); }
    std::string operator()(const SymbolReport& report) const { return write_symbols_text(report); }
    std::string operator()(const CallgraphReport& report) const { return write_callgraph_text(report); }
};

}  // namespace

std::string banner_text(const ReportHead& head) {
    std::string text =
        "CPU: " + printable(head.cpu_name) + speed_text(head.cpu_speed_mhz) + "\n" + events_text(head);
    for (const auto& column : head.columns)
        text += class_text(column, head.axis);
    return text;
}

std::string write_text(const Report& report) {
    return std::visit(WriteReport{}, report);
}

}  // namespace op::pp
