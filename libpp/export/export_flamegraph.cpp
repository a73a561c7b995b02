// SPDX-License-Identifier: GPL-2.0-or-later
// A flame graph: the stacks of one event as a picture of boxes, callers below what they call, root at the
// bottom. SVG 1.1 (https://www.w3.org/TR/SVG11/) with a style and a script of its own, and complete without
// them: each box has its name and samples as a title. Loads nothing.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "libop/base/counted.h"
#include "libop/base/markup.h"
#include "libop/base/text.h"
#include "libop/events/event_table.h"
#include "libpp/export/exporter.h"
#include "libpp/export/flame_graph_files.h"
#include "libpp/export/flame_layout.h"
#include "libpp/export/stack_lines.h"
#include "libpp/profile/percent.h"

namespace op::pp {

namespace {

// In pixels. flame_graph.js has the last three, too.
constexpr unsigned picture_width = 1200, margin = 10, row_height = 16, head_height = 76;
constexpr unsigned text_up = 11;  ///< from the top of a box to the base line of its text
constexpr double column_width = 7.25, text_margin = 3, gap = 0.5;

constexpr unsigned inside = picture_width - 2 * margin;
constexpr uint64_t boxes_in_row = inside * 10;  ///< a box is at least 0.1 pixels wide
constexpr size_t title_columns = 2000;          ///< what a title has of a name or path
constexpr size_t head_columns = 120;            ///< of the first line, beside which the search is

/// As much of a text as so many columns have room for, with "…" if that is not all. Characters beyond ASCII
/// and bytes that are not UTF-8 count as two. Empty if there is no room for two columns.
std::string_view fitting(std::string_view text, size_t columns, bool& is_all) {
    size_t used = 0, fits = 0, at = 0;
    is_all = true;
    while (at < text.size()) {
        const size_t length = utf8_length(text.substr(at));
        used += length == 1 ? 1 : 2;
        if (used > columns) {
            is_all = false;
            return text.substr(0, fits > 1 ? fits : 0);
        }
        at += std::max<size_t>(length, 1);
        if (used < columns) fits = at;
    }
    return text;
}

/// The same as text of XML.
std::string fitted(std::string_view text, size_t columns) {
    bool is_all = true;
    const std::string_view part = fitting(text, columns, is_all);
    std::string result = markup_text(part);
    if (!is_all && !part.empty()) result += "\u2026";
    return result;
}

std::string decimal(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", value);
    return text;
}

/// Of the same name always the same: the number of a name from 0 to `most`.
class NameHash {
public:
    explicit NameHash(std::string_view name) {
        for (const char c : name)
            hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;  // FNV-1a
        hash_ ^= hash_ >> 32;
    }
    unsigned take(unsigned most) {
        const auto number = static_cast<unsigned>(hash_ % (most + 1));
        hash_ /= most + 1;
        return number;
    }

private:
    uint64_t hash_ = 0xcbf29ce484222325;
};

/// "#rrggbb" of hue (degrees), saturation and lightness (percent), as CSS Color 3 has it.
std::string colour_text(unsigned hue, unsigned saturation, unsigned lightness) {
    const double light = lightness / 100.0, range = saturation / 100.0 * std::min(light, 1 - light);
    std::string text = "#";
    for (const int offset : {0, 8, 4}) {
        const double place = std::fmod(offset + hue / 30.0, 12);
        const double value = light - range * std::max(-1.0, std::min({place - 3, 9 - place, 1.0}));
        text += hex(static_cast<uint64_t>(std::lround(value * 255)), 2);
    }
    return text;
}

/// Of user code red to yellow, of the kernel blue.
std::string colour_of(std::string_view name, bool is_kernel) {
    NameHash hash(name);
    const unsigned hue = is_kernel ? 190 + hash.take(25) : 8 + hash.take(44);
    const unsigned saturation = 65 + hash.take(20);
    return colour_text(hue, saturation, 64 + hash.take(12));
}

constexpr const char* grey = "#d6d6d6";

class FlameGraphWriter {
public:
    FlameGraphWriter(const Profile& profile, const ExportContext& context)
        : names_(profile, context.demangle),
          layout_(lay_out(NamedStacks(profile, names_), 0, boxes_in_row)),
          total_(layout_.boxes.front().samples),
          nanoseconds_(sample_time(profile.columns.front().event, profile.columns.front().count)),
          event_(event_names(profile.columns).front()),
          title_("Flame graph") {
        if (context.info && !context.info->command.empty()) title_ += ": " + context.info->command;
    }

    std::string write() && {
        begin();
        if (total_ > 0) add_boxes();
        add_head();
        if (total_ > 0)
            add({"<script type=\"text/javascript\"><![CDATA[\n", flame_graph_script, "]]></script>\n"});
        add({"</svg>\n"});
        return std::move(text_);
    }

private:
    void add(std::initializer_list<std::string_view> parts) {
        for (const std::string_view part : parts)
            text_ += part;
    }

    unsigned height() const { return head_height + (layout_.depth + 1) * row_height + margin; }

    void begin() {
        const std::string width = std::to_string(picture_width), high = std::to_string(height());
        add(
            {"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"",
             width, "\" height=\"", high, "\" viewBox=\"0 0 ", width, " ", high,
             "\" font-family=\"monospace\" font-size=\"12\" fill=\"#111\">\n<title>",
             fitted(title_, title_columns),
             "</title>\n<desc>Each box is a function, as wide as the samples in it and in all that it calls. "
             "Below it is its caller, above it what it calls. Made by opreport of oprofile-ng.</desc>\n"
             "<style type=\"text/css\"><![CDATA[\n",
             flame_graph_style, "]]></style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"});
    }

    void add_boxes() {
        add({"<g id=\"frames\">\n"});
        for (const FlameBox& box : layout_.boxes)
            add_box(box);
        add({"</g>\n"});
    }

    void add_box(const FlameBox& box) {
        const double scale = static_cast<double>(inside) / static_cast<double>(total_);
        const double x = margin + static_cast<double>(box.start) * scale;
        const double width = static_cast<double>(box.samples) * scale;
        const unsigned y = head_height + (layout_.depth - box.depth) * row_height;
        const std::string name = name_of(box);
        add({"<g", box.name == FlameBox::smaller ? " class=\"smaller\"" : "", "><title>",
             fitted(name, title_columns), "\n", image_line(box), amount(box.samples), "</title><rect x=\"",
             decimal(x), "\" y=\"", std::to_string(y), "\" width=\"",
             decimal(width > 3 ? width - gap : width), "\" height=\"", std::to_string(row_height - 1),
             "\" fill=\"", fill_of(box, name), "\"/>"});
        const double room = std::max(0.0, width - 2 * text_margin) / column_width;
        const std::string label = fitted(name, static_cast<size_t>(room));
        if (!label.empty())
            add({"<text x=\"", decimal(x + text_margin), "\" y=\"", std::to_string(y + text_up), "\">", label,
                 "</text>"});
        add({"</g>\n"});
    }

    std::string name_of(const FlameBox& box) const {
        if (box.name == FlameBox::root) return "all";
        if (box.name == FlameBox::smaller) return "[" + std::to_string(box.frames) + " smaller]";
        return names_.full_name(box.name);
    }

    std::string image_line(const FlameBox& box) const {
        if (box.name >= names_.size() || names_.is_cut(box.name)) return "";
        return fitted(names_.image(box.name), title_columns) + "\n";
    }

    std::string fill_of(const FlameBox& box, const std::string& name) const {
        if (box.name >= names_.size() || names_.is_cut(box.name)) return grey;
        return colour_of(name, names_.is_kernel(box.name));
    }

    /// "55 samples, 27.50 %, 55 ms"
    std::string amount(uint64_t samples) const {
        return counted(samples, "sample") + ", " + decimal(percent_of(samples, total_)) + " %" +
               time_text(samples);
    }

    std::string time_text(uint64_t samples) const {
        return nanoseconds_ == 0 ? "" : ", " + milliseconds_text(samples, nanoseconds_) + " ms";
    }

    std::string summary() const {
        const std::string event = markup_text(event_) + ": ";
        if (total_ == 0) return event + "there are no samples";
        std::string text = event + counted(total_, "sample") + time_text(total_);
        if (layout_.narrow_samples > 0)
            text += "; " + counted(layout_.narrow_samples, "sample") + ", " +
                    decimal(percent_of(layout_.narrow_samples, total_)) +
                    " %, in frames too narrow to show (less than 0.1 pixels)";
        return text;
    }

    /// What is for the script has no text, or is hidden. On top of the boxes, as it stays in sight.
    void add_head() {
        const std::string left = std::to_string(margin);
        const auto control = [this](const char* id, unsigned x, const char* text) {
            add({"<text id=\"", id, "\" class=\"control hidden\" x=\"", std::to_string(x), "\" y=\"16\">",
                 text, "</text>\n"});
        };
        add({"<g id=\"head\">\n<rect width=\"100%\" height=\"", std::to_string(head_height - 2),
             "\" fill=\"#fff\"/>\n<text x=\"", left, "\" y=\"16\" font-weight=\"bold\">",
             fitted(title_, head_columns), "</text>\n<text x=\"", left, "\" y=\"32\">", summary(),
             "</text>\n"});
        if (total_ > 0) {
            add({"<text id=\"matched\" x=\"", left, "\" y=\"48\"></text>\n<text id=\"pointed\" x=\"", left,
                 "\" y=\"64\"></text>\n"});
            control("reset", 940, "reset zoom");
            control("clear", 1030, "clear search");
            control("search", 1146, "search");
        }
        add({"</g>\n"});
    }

    FrameNames names_;
    FlameLayout layout_;
    uint64_t total_, nanoseconds_;
    std::string event_, title_, text_;
};

}  // namespace

std::string export_flamegraph(const Profile& profile, const ExportContext& context) {
    require_one_event(profile, "flamegraph");
    return FlameGraphWriter(profile, context).write();
}

}  // namespace op::pp
