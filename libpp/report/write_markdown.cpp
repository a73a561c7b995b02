// SPDX-License-Identifier: GPL-2.0-or-later
// Reports as tables of Markdown, for issues and wikis. Format: GitHub Flavored Markdown, sections 4.10
// (tables) and 6.3 (code spans); the banner is an indented code block.
#include <algorithm>

#include "libop/base/text.h"
#include "libop/session/ledger.h"
#include "libpp/profile/percent.h"
#include "libpp/report/count_text.h"
#include "libpp/report/share_intervals.h"
#include "libpp/report/write_text.h"
#include "libpp/report/writer.h"

namespace op::pp {

namespace {

/// A name as a code span: its fence is longer than any run of backticks in it. A '|' ends a cell even there.
std::string code(std::string_view name) {
    std::string text, fence = "`";
    size_t run = 0;
    for (const char c : printable(name)) {
        run = c == '`' ? run + 1 : 0;
        if (run == fence.size()) fence += '`';
        if (c == '|') text += '\\';
        text += c;
    }
    if (fence.size() > 1) text = " " + text + " ";
    return fence + text + fence;
}

std::string share(uint64_t count, uint64_t base) {
    const std::string text = format_percent(percent_of(count, base));
    return text.substr(text.find_first_not_of(' '));
}

/// A row of a table, cell by cell.
class Row {
public:
    Row& operator<<(std::string_view cell) {
        text_.append(" ").append(cell).append(" |");
        return *this;
    }
    Row& operator<<(uint64_t number) { return *this << std::string_view(std::to_string(number)); }
    std::string end() { return std::move(text_) + "\n"; }

private:
    std::string text_ = "|";
};

/// The heads of a table and the line below them, in which numbers are aligned to the right.
class Heads {
public:
    Heads& text(std::string_view title) { return add(title, "---"); }
    Heads& number(std::string_view title) { return add(title, "--:"); }
    std::string end() { return titles_.end() + rule_.end(); }

private:
    Heads& add(std::string_view title, std::string_view rule) {
        titles_ << title;
        rule_ << rule;
        return *this;
    }

    Row titles_, rule_;
};

/// An indented code block.
std::string code_block(const std::string& lines) {
    std::string text;
    for (std::string_view rest = lines; !rest.empty();)
        text.append("    ").append(take_line(rest)).append("\n");
    return text;
}

/// The banner, if it is shown.
std::string banner(const ReportHead& head) {
    return head.is_shown ? code_block(banner_text(head)) + "\n" : "";
}

/// "samples", with the column's name if there are several.
std::string samples_title(const ReportHead& head, size_t column) {
    const std::string title = count_title(head);
    return head.columns.size() > 1 ? title + " " + code(head.columns[column].short_name(head.axis)) : title;
}

/// The cells that all reports by symbol have.
class SymbolCells {
public:
    SymbolCells(const ReportHead& head, const SymbolColumns& columns)
        : head_(head), columns_(columns), width_(head.columns.size()), sums_(width_) {}

    void add_heads(Heads& heads) const {
        if (columns_.has_addresses) heads.number("vma");
        for (size_t i = 0; i < width_; ++i) {
            heads.number(samples_title(head_, i));
            if (columns_.is_accumulated) heads.number("cum. " + count_title(head_));
            heads.number("%");
            if (head_.has_intervals) heads.number(interval_title);
            if (columns_.is_accumulated) heads.number("cum. %");
            if (columns_.is_inclusive) heads.number("incl. " + count_title(head_)).number("incl. %");
            if (columns_.is_differential) heads.number("diff %");
        }
        if (columns_.has_lines) heads.text("linenr info");
        if (columns_.has_images) heads.text("image name");
        if (columns_.has_apps) heads.text("app name");
        heads.text("symbol name");
    }

    /// Sums begin at nothing again.
    void reset() { sums_.assign(width_, 0); }

    void add_counts(Row& row, LinkAddress address, const uint64_t* counts, const uint64_t* bases,
                    const Difference* differences = nullptr, const uint64_t* inclusive = nullptr,
                    const uint64_t* inclusive_bases = nullptr) {
        if (columns_.has_addresses) row << hex(address.value(), columns_.has_wide_addresses ? 16 : 8);
        for (size_t i = 0; i < width_; ++i) {
            add_count(row, i, counts[i], bases[i], differences ? &differences[i] : nullptr);
            if (inclusive)
                row << count_text(head_, i, inclusive[i]) << share(inclusive[i], inclusive_bases[i]);
        }
    }

    void add_line(Row& row, const std::optional<SourceLine>& line) const {
        if (columns_.has_lines) row << (line ? code(line_text(line, columns_.has_long_names)) : "");
    }

    /// `name` is the symbol as it is shown.
    void add_names(Row& row, const SymbolRow& symbol, std::string_view name) const {
        if (columns_.has_images) row << code(columns_.images[symbol.image]);
        if (columns_.has_apps) row << code(columns_.images[symbol.app]);
        row << name;
    }

    /// Cells without content where other rows have names.
    void add_no_names(Row& row) const {
        for (int i = columns_.has_images + columns_.has_apps + 1; i > 0; --i)
            row << "";
    }

private:
    void add_count(Row& row, size_t column, uint64_t count, uint64_t base, const Difference* difference) {
        const bool is_removed = difference && difference->kind == Difference::Kind::removed;
        uint64_t& sum = sums_[column];
        if (!is_removed) sum = add_saturating(sum, count);
        const std::string none = "---";
        row << count_text(head_, column, count);
        if (columns_.is_accumulated) row << (is_removed ? none : count_text(head_, column, sum));
        row << (is_removed ? none : share(count, base));
        if (head_.has_intervals) row << (is_removed ? none : interval_text(head_, column, count, base));
        if (columns_.is_accumulated) row << (is_removed ? none : share(sum, base));
        if (!difference) return;
        const std::string text = difference_text(*difference);
        row << text.substr(text.find_first_not_of(' '));
    }

    const ReportHead& head_;
    const SymbolColumns& columns_;
    size_t width_;
    std::vector<uint64_t> sums_;  ///< one per column
};

struct WriteMarkdown {
    std::string operator()(const ImageReport& report) const {
        Heads heads;
        for (size_t i = 0; i < report.head.columns.size(); ++i) {
            heads.number(samples_title(report.head, i)).number("%");
            if (report.head.has_intervals) heads.number(interval_title);
        }
        std::string text = banner(report.head) + heads.text("app name").text("image name").end();
        for (const ImageRow& row : report.rows) {
            text += image_row(report.head, row, code(row.name), "");
            for (const ImageRow& part : row.parts)
                text += image_row(report.head, part, "", code(part.name));
        }
        return text;
    }

    std::string operator()(const SymbolReport& report) const {
        const size_t width = report.totals.size();
        SymbolCells cells(report.head, report.columns);
        Heads heads;
        cells.add_heads(heads);
        std::string text = banner(report.head) + heads.end();
        for (size_t i = 0; i < report.rows.size(); ++i) {
            const SymbolRow& symbol = report.rows[i];
            Row row;
            cells.add_counts(row, symbol.address, &report.counts[i * width], report.totals.data(),
                             report.differences.empty() ? nullptr : &report.differences[i * width],
                             report.inclusive.empty() ? nullptr : &report.inclusive[i * width],
                             report.inclusive_totals.data());
            cells.add_line(row, symbol.line);
            cells.add_names(row, symbol, code(symbol.name));
            text += row.end();
            if (!report.first_detail.empty()) text += details(report, i);
        }
        return text;
    }

    std::string operator()(const CallgraphReport& report) const {
        const size_t width = report.totals.size();
        SymbolCells functions(report.head, report.columns), calls(report.head, report.columns);
        Heads heads;
        functions.add_heads(heads.text("role"));
        std::string text = banner(report.head) + heads.end();
        for (size_t b = 0; b < report.blocks.size(); ++b) {
            const CallgraphBlock& block = report.blocks[b];
            for (size_t i = block.first; i < block.end; ++i) {
                const CallgraphLine& line = report.lines[i];
                const bool is_function = i == block.middle;
                if (i == block.first || i == block.middle + 1) calls.reset();
                SymbolCells& cells = is_function ? functions : calls;
                Row row;
                row << (is_function ? "**function**" : i < block.middle ? "caller" : "callee");
                cells.add_counts(row, line.symbol.address, &report.counts[i * width],
                                 &report.bases[i * width]);
                cells.add_line(row, line.symbol.line);
                const std::string name = code(line.symbol.name) + (line.is_self ? " [self]" : "");
                cells.add_names(row, line.symbol,
                                is_function ? "**" + name + "**" + inclusive_text(report, b) : name);
                text += row.end();
            }
        }
        return text;
    }

    std::string operator()(const CallTreeReport& report) const {
        return code_block(write_call_tree_text(report, {}));
    }

private:
    static std::string image_row(const ReportHead& head, const ImageRow& row, const std::string& app,
                                 const std::string& image) {
        Row cells;
        for (size_t i = 0; i < row.counts.size(); ++i) {
            cells << count_text(head, i, row.counts[i]) << share(row.counts[i], row.bases[i]);
            if (head.has_intervals) cells << interval_text(head, i, row.counts[i], row.bases[i]);
        }
        return (cells << app << image).end();
    }

    static std::string details(const SymbolReport& report, size_t symbol) {
        const size_t width = report.totals.size();
        const uint64_t* const bases =
            report.has_global_percent ? report.totals.data() : &report.counts[symbol * width];
        SymbolCells cells(report.head, report.columns);
        std::string text;
        for (size_t i = report.first_detail[symbol]; i < report.first_detail[symbol + 1]; ++i) {
            Row row;
            cells.add_counts(row, report.details[i].address, &report.detail_counts[i * width], bases);
            cells.add_line(row, report.details[i].line);
            cells.add_no_names(row);
            text += row.end();
        }
        return text;
    }
};

}  // namespace

std::string write_markdown(const Report& report, const TextStyle& /*style*/) {
    return std::visit(WriteMarkdown{}, report);
}

}  // namespace op::pp
