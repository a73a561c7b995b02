// SPDX-License-Identifier: GPL-2.0-or-later
// The classic text layout. Scripts parse it: column widths and blanks are part of the interface.
#include <algorithm>
#include <cstdio>

#include "libop/event_table.h"
#include "libop/ledger.h"
#include "libop/text.h"
#include "libpp/percent.h"
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
            break;
    }
    return "";
}

std::string banner(const ReportHead& head) {
    std::string text =
        "CPU: " + printable(head.cpu_name) + speed_text(head.cpu_speed_mhz) + "\n" + events_text(head);
    for (const auto& column : head.columns)
        text += class_text(column, head.axis);
    return text;
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
    if (report.head.is_shown) text = banner(report.head) + image_heads(report.head, "");
    for (const auto& row : report.rows) {
        text += image_line(row, "");
        if (row.parts.empty()) continue;
        if (report.head.is_shown) text += image_heads(report.head, "\t");
        for (const auto& part : row.parts)
            text += image_line(part, "\t");
    }
    return text;
}

// Symbol list

/// Adds a left-aligned cell and at least one blank.
void add_cell(std::string& line, std::string_view text, size_t width) {
    line += text;
    line.append(text.size() < width ? width - text.size() : 1, ' ');
}

std::string line_text(const SymbolRow& row, bool long_names) {
    if (!row.line) return "(no location information)";
    const auto file = long_names ? row.line->file : base_name(row.line->file);
    return printable(file) + ":" + std::to_string(row.line->line);
}

/// Writes rows one after the other and keeps the running sums.
class SymbolWriter {
public:
    explicit SymbolWriter(const SymbolReport& report) : report_(report), sums_(report.totals.size()) {}

    std::string write() {
        if (report_.head.is_shown) text_ = banner(report_.head) + heads();
        for (size_t i = 0; i < report_.rows.size(); ++i)
            add_row(report_.rows[i], &report_.counts[i * sums_.size()]);
        return std::move(text_);
    }

private:
    static constexpr size_t vma = 9, samples = 9, cumulative_samples = 14, percent = 9,
                            cumulative_percent = 11, line_number = 28, image_name = 25, app_name = 25;

    std::string heads() const {
        std::string line;
        if (report_.has_addresses) add_cell(line, "vma", vma);
        for (size_t i = 0; i < sums_.size(); ++i) {
            add_cell(line, "samples", samples);
            if (report_.is_accumulated) add_cell(line, "cum. samples", cumulative_samples);
            add_cell(line, "%", percent);
            if (report_.is_accumulated) add_cell(line, "cum. %", cumulative_percent);
        }
        if (report_.has_lines) add_cell(line, "linenr info", line_number);
        if (report_.has_images) add_cell(line, "image name", image_name);
        if (report_.has_apps) add_cell(line, "app name", app_name);
        return line + "symbol name\n";
    }

    void add_row(const SymbolRow& row, const uint64_t* counts) {
        if (report_.has_addresses)
            add_cell(text_, hex(row.address.value(), report_.has_wide_addresses ? 16 : 8), vma);
        for (size_t i = 0; i < sums_.size(); ++i)
            add_counts(counts[i], sums_[i], report_.totals[i]);
        if (report_.has_lines) add_cell(text_, line_text(row, report_.has_long_names), line_number);
        if (report_.has_images) add_cell(text_, printable(report_.images[row.image]), image_name);
        if (report_.has_apps) add_cell(text_, printable(report_.images[row.app]), app_name);
        text_ += printable(row.name);
        text_ += '\n';
    }

    void add_counts(uint64_t count, uint64_t& sum, uint64_t total) {
        sum = add_saturating(sum, count);
        add_cell(text_, std::to_string(count), samples);
        if (report_.is_accumulated) add_cell(text_, std::to_string(sum), cumulative_samples);
        add_cell(text_, format_percent(percent_of(count, total)), percent);
        if (report_.is_accumulated)
            add_cell(text_, format_percent(percent_of(sum, total)), cumulative_percent);
    }

    const SymbolReport& report_;
    std::vector<uint64_t> sums_;
    std::string text_;
};

struct WriteReport {
    std::string operator()(const ImageReport& report) const { return write_images(report); }
    std::string operator()(const SymbolReport& report) const { return SymbolWriter(report).write(); }
};

}  // namespace

std::string write_text(const Report& report) {
    return std::visit(WriteReport{}, report);
}

}  // namespace op::pp
