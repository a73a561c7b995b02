// SPDX-License-Identifier: GPL-2.0-or-later
// Reports as comma-separated values, for spreadsheets and scripts. Quoting: RFC 4180, section 2, but lines
// end in LF. Numbers are exact, shares are left to the reader; a function of the call graph is known by its
// number.
#include <cstdio>

#include "libop/base/csv.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libpp/report/share_intervals.h"
#include "libpp/report/writer.h"

namespace op::pp {

namespace {

std::string number_text(double number) {
    char text[64];
    std::snprintf(text, sizeof text, "%.6g", number);
    return text;
}

/// Puts cells together.
class Line {
public:
    Line& operator<<(std::string_view name) { return put(csv_cell(name)); }
    Line& operator<<(uint64_t number) { return put(std::to_string(number)); }
    Line& operator<<(double number) { return put(std::to_string(number)); }
    Line& counts(const uint64_t* first, size_t width) {
        for (size_t i = 0; i < width; ++i)
            *this << first[i];
        return *this;
    }
    /// Adds the column heads and marks scaled counts; `scaled` is as in ReportHead.
    Line& heads(const ReportHead& head, std::span<const CountedTime> scaled,
                const std::string& what = "samples ") {
        for (size_t i = 0; i < head.columns.size(); ++i)
            *this << what + head.columns[i].short_name(head.axis) + (is_scaled(scaled, i) ? " (scaled)" : "");
        return *this;
    }
    Line& heads(const ReportHead& head) { return heads(head, head.scaled); }
    /// The heads of intervals().
    Line& interval_heads(const ReportHead& head) {
        for (const ProfileClass& column : head.columns)
            for (const char* const bound : {"low % ", "high % "})
                *this << bound + column.short_name(head.axis);
        return *this;
    }
    /// The heads of test() for each column.
    Line& test_heads(const ReportHead& head) {
        for (const ProfileClass& column : head.columns)
            for (const char* const what : {"points ", "low points ", "high points ", "p ", "significant "})
                *this << what + column.short_name(head.axis);
        return *this;
    }
    /// A difference, its bounds, its probability, and whether it is significant.
    Line& test(const Difference& difference) {
        *this << difference.change << difference.points.low << difference.points.high;
        const std::optional<double> p = difference.probability;
        return *this << (p ? number_text(rounded(*p)) : std::string())
                     << (difference.is_significant ? "true" : "false");
    }
    /// Both bounds of each share.
    Line& intervals(const ReportHead& head, const uint64_t* counts, const uint64_t* bases) {
        for (const Interval& interval : percent_intervals(head, counts, bases))
            *this << interval.low << interval.high;
        return *this;
    }
    Line& symbol(const SymbolRow& row, const SymbolColumns& columns) {
        *this << columns.images[row.image] << columns.images[row.app] << row.name;
        return place(row.address, row.line, columns);
    }
    Line& place(LinkAddress address, const std::optional<SourceLine>& line, const SymbolColumns& columns) {
        *this << "0x" + hex(address.value(), 0);
        if (columns.has_lines)
            *this << (line ? line->file : "") << (line ? std::to_string(line->line) : std::string());
        return *this;
    }
    std::string end() { return std::move(text_) + "\n"; }

private:
    Line& put(std::string_view cell) {
        if (!is_first_) text_ += ',';
        is_first_ = false;
        text_ += cell;
        return *this;
    }

    std::string text_;
    bool is_first_ = true;
};

Line symbol_heads(const ReportHead& head, const SymbolColumns& columns) {
    Line line;
    line << "image"
         << "app"
         << "symbol"
         << "address";
    if (columns.has_lines)
        line << "file"
             << "line";
    line.heads(head);
    return line;
}

std::string_view kind_text(Difference::Kind kind) {
    return kind == Difference::Kind::added ? "added" : kind == Difference::Kind::removed ? "removed" : "";
}

struct WriteCsv {
    std::string operator()(const ImageReport& report) const {
        std::string text;
        if (report.head.is_shown)
            text += (Line() << "app"
                            << "image")
                        .heads(report.head)
                        .interval_heads(report.head)
                        .end();
        for (const auto& row : report.rows) {
            if (row.parts.empty()) text += image_line(report.head, row.name, row);
            for (const auto& part : row.parts)
                text += image_line(report.head, row.name, part);
        }
        return text;
    }

    std::string operator()(const SymbolReport& report) const {
        const size_t width = report.totals.size();
        std::string text;
        if (report.head.is_shown) {
            Line heads = symbol_heads(report.head, report.columns);
            if (!report.differences.empty())
                heads.heads(report.head, report.scaled_before, "samples before ");
            if (report.columns.is_inclusive)
                heads.heads(report.head, report.head.scaled, "inclusive samples ");
            for (size_t i = 0; i < (report.differences.empty() ? 0 : width); ++i)
                heads << "difference %";
            if (report.differences.empty())
                heads.interval_heads(report.head);
            else
                heads.test_heads(report.head);
            text += heads.end();
        }
        for (size_t i = 0; i < report.rows.size(); ++i)
            text += report.first_detail.empty() ? row_line(report, i) : details(report, i);
        return text;
    }

    std::string operator()(const CallgraphReport& report) const {
        const size_t width = report.totals.size();
        std::string text;
        if (report.head.is_shown)
            text += (Line() << "function"
                            << "role"
                            << "image"
                            << "app"
                            << "symbol"
                            << "address")
                        .heads(report.head)
                        .interval_heads(report.head)
                        .end();
        for (size_t b = 0; b < report.blocks.size(); ++b) {
            const CallgraphBlock& block = report.blocks[b];
            for (size_t i = block.first; i < block.end; ++i) {
                const CallgraphLine& line = report.lines[i];
                const std::string_view role = i < block.middle    ? "caller"
                                              : i == block.middle ? "function"
                                              : line.is_self      ? "self"
                                                                  : "callee";
                Line cells;
                cells << uint64_t{b + 1} << role << report.columns.images[line.symbol.image]
                      << report.columns.images[line.symbol.app] << line.symbol.name
                      << "0x" + hex(line.symbol.address.value(), 0);
                cells.counts(&report.counts[i * width], width);
                text +=
                    cells.intervals(report.head, &report.counts[i * width], &report.bases[i * width]).end();
            }
        }
        return text;
    }

    std::string operator()(const CallTreeReport&) const {
        throw Error(ErrorKind::internal, "CSV has no place for a tree");
    }

private:
    static std::string image_line(const ReportHead& head, const std::string& app, const ImageRow& row) {
        Line line;
        line << app << row.name;
        line.counts(row.counts.data(), row.counts.size());
        return line.intervals(head, row.counts.data(), row.bases.data()).end();
    }

    static std::string row_line(const SymbolReport& report, size_t row) {
        const size_t width = report.totals.size();
        Line line;
        line.symbol(report.rows[row], report.columns);
        if (!report.differences.empty()) return compared(report, row, line);
        line.counts(&report.counts[row * width], width);
        if (!report.inclusive.empty()) line.counts(&report.inclusive[row * width], width);
        return line.intervals(report.head, &report.counts[row * width], report.totals.data()).end();
    }

    static std::string compared(const SymbolReport& report, size_t row, Line& line) {
        const size_t width = report.totals.size();
        for (size_t i = 0; i < width; ++i)
            line << report.count_after(row * width + i);
        line.counts(&report.counts_before[row * width], width);
        for (size_t i = 0; i < width; ++i) {
            const Difference& difference = report.differences[row * width + i];
            if (difference.kind == Difference::Kind::changed)
                line << difference.percent;
            else
                line << kind_text(difference.kind);
        }
        for (size_t i = 0; i < width; ++i)
            line.test(report.differences[row * width + i]);
        return line.end();
    }

    /// A line per address instead of one for the symbol.
    static std::string details(const SymbolReport& report, size_t row) {
        const size_t width = report.totals.size();
        const SymbolRow& symbol = report.rows[row];
        std::string text;
        for (size_t i = report.first_detail[row]; i < report.first_detail[row + 1]; ++i) {
            Line line;
            line << report.columns.images[symbol.image] << report.columns.images[symbol.app] << symbol.name;
            line.place(report.details[i].address, report.details[i].line, report.columns);
            line.counts(&report.detail_counts[i * width], width);
            text +=
                line.intervals(report.head, &report.detail_counts[i * width],
                               report.has_global_percent ? report.totals.data() : &report.counts[row * width])
                    .end();
        }
        return text;
    }
};

}  // namespace

std::string write_csv(const Report& report, const TextStyle& /*style*/) {
    return std::visit(WriteCsv{}, report);
}

}  // namespace op::pp
