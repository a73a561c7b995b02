// SPDX-License-Identifier: GPL-2.0-or-later
// The classic text layout of reports by symbol: lists, details, comparisons, call graphs.
#include <algorithm>

#include "libop/base/text.h"
#include "libop/session/ledger.h"
#include "libpp/profile/percent.h"
#include "libpp/report/write_text.h"

namespace op::pp {

namespace {

constexpr size_t vma_width = 9, samples_width = 9, cumulative_samples_width = 14, percent_width = 9,
                 cumulative_percent_width = 11, difference_width = 10, line_width = 28, image_width = 25,
                 app_width = 25;
constexpr std::string_view call_indent = "  ";

/// Adds a left-aligned cell and at least one blank.
void add_cell(std::string& line, std::string_view text, size_t width) {
    line += text;
    line.append(text.size() < width ? width - text.size() : 1, ' ');
}

std::string line_text(const std::optional<SourceLine>& line, bool long_names) {
    if (!line) return "(no location information)";
    return printable(long_names ? line->file : base_name(line->file)) + ":" + std::to_string(line->line);
}

std::string difference_text(const Difference& difference) {
    if (difference.kind == Difference::Kind::added) return "+++";
    if (difference.kind == Difference::Kind::removed) return "---";
    std::string text = format_percent(difference.percent);
    if (difference.percent > 0) {
        const size_t first = text.find_first_not_of(' ');
        if (first > 0)
            text[first - 1] = '+';
        else
            text.insert(0, "+");
    }
    return text;
}

/// Running sums, one per column.
using Sums = std::vector<uint64_t>;

/// Writes lines that have the same columns.
class LineWriter {
public:
    /// Both must outlive the writer.
    LineWriter(const SymbolColumns& columns, size_t width, const TextStyle& style)
        : columns_(columns), width_(width), style_(style) {}

    /// On a terminal, takes no more room for a row's names than they need.
    void make_room_for(const SymbolRow& row) {
        const auto widen = [](size_t& width, size_t length, size_t classic) {
            if (length < classic) width = std::max(width, length + 1);
        };
        if (style_.width == 0) return;
        widen(wide_.image, columns_.images[row.image].size(), image_width);
        widen(wide_.app, columns_.images[row.app].size(), app_width);
    }

    void add_heads(std::string& line) const {
        const size_t start = line.size();
        if (columns_.has_addresses) add_cell(line, "vma", vma_width);
        for (size_t i = 0; i < width_; ++i) {
            add_cell(line, "samples", samples_width);
            if (columns_.is_accumulated) add_cell(line, "cum. samples", cumulative_samples_width);
            add_cell(line, "%", percent_width);
            if (columns_.is_accumulated) add_cell(line, "cum. %", cumulative_percent_width);
            if (columns_.is_differential) add_cell(line, "diff %", difference_width);
        }
        if (columns_.has_lines) add_cell(line, "linenr info", line_width);
        if (columns_.has_images) add_cell(line, "image name", image_column());
        if (columns_.has_apps) add_cell(line, "app name", app_column());
        line += "symbol name";
        end_row(line, start, 0, style_);
    }

    /// The row ends the line that begins at `start`. `differences` is null but in comparisons.
    void add_row(std::string& text, const SymbolRow& row, std::string_view suffix, const uint64_t* counts,
                 const uint64_t* bases, Sums& sums, const Difference* differences, size_t start) const {
        add_address(text, row.address);
        for (size_t i = 0; i < width_; ++i)
            add_counts(text, counts[i], sums[i], bases[i], differences ? &differences[i] : nullptr);
        if (columns_.has_lines) add_cell(text, line_text(row.line, columns_.has_long_names), line_width);
        if (columns_.has_images) add_cell(text, printable(columns_.images[row.image]), image_column());
        if (columns_.has_apps) add_cell(text, printable(columns_.images[row.app]), app_column());
        text += printable(row.name);
        text += suffix;
        end_row(text, start, percent_of(counts[0], bases[0]), style_);
    }

    void add_detail(std::string& text, const DetailRow& row, const uint64_t* counts, const uint64_t* bases,
                    Sums& sums) const {
        const size_t start = text.size();
        text += call_indent;
        add_address(text, row.address);
        for (size_t i = 0; i < width_; ++i)
            add_counts(text, counts[i], sums[i], bases[i], nullptr);
        if (columns_.has_lines) text += line_text(row.line, columns_.has_long_names);
        text.erase(text.find_last_not_of(' ') + 1);
        end_row(text, start, 0, style_);
    }

private:
    void add_address(std::string& text, LinkAddress address) const {
        if (columns_.has_addresses)
            add_cell(text, hex(address.value(), columns_.has_wide_addresses ? 16 : 8), vma_width);
    }

    void add_counts(std::string& text, uint64_t count, uint64_t& sum, uint64_t base,
                    const Difference* difference) const {
        const bool is_removed = difference && difference->kind == Difference::Kind::removed;
        if (!is_removed) sum = add_saturating(sum, count);
        const auto share = [&](uint64_t part) {
            return is_removed ? "---" : format_percent(percent_of(part, base));
        };
        add_cell(text, std::to_string(count), samples_width);
        if (columns_.is_accumulated)
            add_cell(text, is_removed ? "---" : std::to_string(sum), cumulative_samples_width);
        add_cell(text, share(count), percent_width);
        if (columns_.is_accumulated) add_cell(text, share(sum), cumulative_percent_width);
        if (difference) add_cell(text, difference_text(*difference), difference_width);
    }

    size_t image_column() const { return style_.width > 0 ? wide_.image : image_width; }
    size_t app_column() const { return style_.width > 0 ? wide_.app : app_width; }

    /// On a terminal: columns for the names of images, at first for the heads.
    struct Widths {
        size_t image = sizeof "image name", app = sizeof "app name";
    };

    const SymbolColumns& columns_;
    size_t width_;
    const TextStyle& style_;
    Widths wide_;
};

void add_details(std::string& text, const SymbolReport& report, const LineWriter& writer, size_t row) {
    const size_t width = report.totals.size();
    const uint64_t* const bases =
        report.has_global_percent ? report.totals.data() : &report.counts[row * width];
    Sums sums(width);
    for (size_t i = report.first_detail[row]; i < report.first_detail[row + 1]; ++i)
        writer.add_detail(text, report.details[i], &report.detail_counts[i * width], bases, sums);
}

}  // namespace

std::string write_symbols_text(const SymbolReport& report, const TextStyle& style) {
    const size_t width = report.totals.size();
    LineWriter writer(report.columns, width, style);
    for (const SymbolRow& row : report.rows)
        writer.make_room_for(row);
    std::string text;
    if (report.head.is_shown) {
        text = banner_text(report.head);
        writer.add_heads(text);
    }
    Sums sums(width);
    for (size_t i = 0; i < report.rows.size(); ++i) {
        writer.add_row(text, report.rows[i], "", &report.counts[i * width], report.totals.data(), sums,
                       report.differences.empty() ? nullptr : &report.differences[i * width], text.size());
        if (!report.first_detail.empty()) add_details(text, report, writer, i);
    }
    return text;
}

std::string write_callgraph_text(const CallgraphReport& report, const TextStyle& style) {
    const size_t width = report.totals.size();
    LineWriter writer(report.columns, width, style);
    for (const CallgraphLine& line : report.lines)
        writer.make_room_for(line.symbol);
    const std::string ruler = std::string(79, '-') + "\n";
    std::string text;
    if (report.head.is_shown) {
        text = banner_text(report.head);
        writer.add_heads(text);
    }
    text += ruler;
    Sums functions(width);
    for (const CallgraphBlock& block : report.blocks) {
        Sums callers(width), callees(width);
        for (size_t i = block.first; i < block.end; ++i) {
            const CallgraphLine& line = report.lines[i];
            const size_t start = text.size();
            if (i != block.middle) text += call_indent;
            writer.add_row(text, line.symbol, line.is_self ? " [self]" : "", &report.counts[i * width],
                           &report.bases[i * width],
                           i < block.middle    ? callers
                           : i == block.middle ? functions
                                               : callees,
                           nullptr, start);
        }
        text += ruler;
    }
    return text;
}

}  // namespace op::pp
