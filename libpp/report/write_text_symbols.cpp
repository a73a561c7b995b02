// SPDX-License-Identifier: GPL-2.0-or-later
// The classic text layout of reports by symbol: lists, details, comparisons, call graphs.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <span>
#include <utility>

#include "libop/base/text.h"
#include "libop/session/ledger.h"
#include "libpp/profile/percent.h"
#include "libpp/report/count_text.h"
#include "libpp/report/fit_names.h"
#include "libpp/report/share_intervals.h"
#include "libpp/report/text_lines.h"
#include "libpp/report/write_text.h"

namespace op::pp {

namespace {

constexpr size_t vma_width = 9, samples_width = 9, cumulative_samples_width = 14, percent_width = 9,
                 cumulative_percent_width = 11, inclusive_samples_width = 15, inclusive_percent_width = 9,
                 difference_width = 10, change_width = 10, line_width = 28, image_width = 25, app_width = 25;
constexpr std::string_view call_indent = "  ";
/// Of samples, then of milliseconds.
constexpr std::string_view change_heads[] = {"before", "after", "delta", "before ms", "after ms", "delta ms"};
constexpr size_t ruler_width = 79;
constexpr size_t rest_width = 20;  ///< what counts and shares take on a terminal, about

/// Running sums, one per column.
using Sums = std::vector<uint64_t>;

/// Writes lines that have the same columns.
class LineWriter {
public:
    /// The lines follow the text of the head. All arguments must outlive the writer.
    LineWriter(const ReportHead& head, const SymbolColumns& columns, size_t width, const TextStyle& style)
        : head_(head),
          columns_(columns),
          width_(width),
          style_(style),
          lines_(head_text(head, style), style) {}

    /// On a terminal, takes no more room for a row's images and its line than they need. An image that is
    /// longer than its classic column is cut, so that there is room for the symbol.
    void make_room_for(const SymbolRow& row) {
        const auto widen = [this](size_t& width, size_t length, size_t classic) {
            width = std::max(width, length < classic ? length + 1 : narrow_column(classic));
        };
        if (style_.width == 0) return;
        widen(wide_.image, columns_.images[row.image].size(), image_width);
        widen(wide_.app, columns_.images[row.app].size(), app_width);
        if (columns_.has_lines) wide_.line = std::max(wide_.line, shown_line(row.line).size() + 1);
    }

    /// On a terminal where names have no room beside them, cuts images and lines. To be called after
    /// make_room_for().
    void cut_what_is_too_wide() {
        if (style_.width == 0 || style_.has_whole_names || leaves_room_for_names()) return;
        wide_.image = std::min(wide_.image, narrow_column(image_width));
        wide_.app = std::min(wide_.app, narrow_column(app_width));
        wide_.line = std::min(wide_.line, narrow_column(line_width));
    }

    /// Takes decimals for means of sessions: rare samples are no whole number in each.
    void show_means(const ComparisonPower& power) {
        for (size_t column = 0; column < width_; ++column)
            if (power.sessions_before[column] > 1 || power.sessions_after[column] > 1) change_digits_ = 1;
    }

    /// On a terminal, takes no more room for changes than they need. To be called with all changes before the
    /// first line.
    void make_room_for(std::span<const SampleChange> changes) {
        for (size_t column = 0; column < width_; ++column) {
            const auto texts = change_texts(column, changes[column], true);
            const auto heads = shown_heads(column);
            for (size_t i = 0; i < texts.size(); ++i) {
                size_t& widest = wide_changes_.try_emplace({column, i}, heads[i].size()).first->second;
                widest = std::max(widest, texts[i].size());
            }
        }
    }

    /// On a terminal, leaves out milliseconds if names would have no room beside them. To be called after
    /// make_room_for().
    void leave_out_what_is_too_wide() {
        size_t taken = beside_counts();
        for (const auto& [at, widest] : wide_changes_)
            taken += widest + 1;
        has_times_ = head_.shows_time || style_.width == 0 || style_.has_whole_names ||
                     taken + least_name <= style_.width;
    }

    /// Of lists and call graphs; to be called after make_room_for().
    bool leaves_room_for_names() const {
        const size_t counts =
            samples_width + percent_width + (head_.has_intervals ? interval_width : 0) +
            (columns_.is_accumulated ? cumulative_samples_width + cumulative_percent_width : 0) +
            (columns_.is_inclusive ? inclusive_samples_width + inclusive_percent_width : 0);
        return beside_counts() + width_ * counts + least_name <= style_.width;
    }

    void add_heads() {
        std::string line;
        if (columns_.has_addresses) add_cell(line, "vma", vma_width);
        for (size_t i = 0; i < width_; ++i) {
            if (columns_.has_changes) {
                add_change_heads(line, i);
                continue;
            }
            const std::string title = count_title(head_);
            add_cell(line, title, samples_width);
            if (columns_.is_accumulated) add_cell(line, "cum. " + title, cumulative_samples_width);
            add_cell(line, "%", percent_width);
            if (head_.has_intervals) add_interval_cell(line, interval_title);
            if (columns_.is_accumulated) add_cell(line, "cum. %", cumulative_percent_width);
            if (columns_.is_inclusive) add_cell(line, "incl. " + title, inclusive_samples_width);
            if (columns_.is_inclusive) add_cell(line, "incl. %", inclusive_percent_width);
            if (columns_.is_differential) add_cell(line, "diff %", difference_width);
        }
        if (columns_.has_lines) add_cell(line, "linenr info", line_column());
        if (columns_.has_images) add_cell(line, "image name", image_column());
        if (columns_.has_apps) add_cell(line, "app name", app_column());
        line += "symbol name";
        lines_.add({.cells = std::move(line)});
    }

    /// What a row is besides its symbol.
    struct Row {
        std::string_view indent = "", end = "";  ///< before and behind it
        const uint64_t* counts;                  ///< one per column, as all that follow
        const uint64_t* bases;
        const Difference* differences = nullptr;  ///< null but in comparisons
        const uint64_t* inclusive = nullptr;      ///< null without inclusive counts
        const uint64_t* inclusive_bases = nullptr;
    };
    void add_row(const SymbolRow& symbol, const Row& row, Sums& sums) {
        std::string text(row.indent);
        add_address(text, symbol.address);
        for (size_t i = 0; i < width_; ++i) {
            add_counts(text, i, row.counts[i], sums[i], row.bases[i],
                       row.differences ? &row.differences[i] : nullptr);
            if (row.inclusive) add_inclusive(text, i, row.inclusive[i], row.inclusive_bases[i]);
        }
        if (columns_.has_lines) add_cell(text, line_cell(symbol.line), line_column());
        if (columns_.has_images) add_cell(text, image_text(symbol.image, image_column()), image_column());
        if (columns_.has_apps) add_cell(text, image_text(symbol.app, app_column()), app_column());
        lines_.add({.cells = std::move(text),
                    .name = printable(symbol.name),
                    .end = std::string(row.end),
                    .share = row.inclusive ? share_of(row.inclusive, row.inclusive_bases)
                                           : share_of(row.counts, row.bases)});
    }

    /// A row of a comparison of samples, or their totals; `marks`: one per column, null = none.
    void add_changes(const SymbolRow* symbol, std::span<const SampleChange> changes,
                     const Difference* marks) {
        std::string text;
        if (symbol)
            add_address(text, symbol->address);
        else if (columns_.has_addresses)
            add_cell(text, "", vma_width);
        for (size_t column = 0; column < width_; ++column) {
            const auto texts = change_texts(column, changes[column], marks && marks[column].is_significant);
            for (size_t i = 0; i < texts.size(); ++i)
                add_cell(text, texts[i], change_column(column, i));
        }
        if (columns_.has_lines) add_cell(text, symbol ? line_cell(symbol->line) : "", line_column());
        if (columns_.has_images)
            add_cell(text, symbol ? image_text(symbol->image, image_column()) : "", image_column());
        if (columns_.has_apps)
            add_cell(text, symbol ? image_text(symbol->app, app_column()) : "", app_column());
        lines_.add({.cells = std::move(text), .name = symbol ? printable(symbol->name) : "total"});
    }

    void add_detail(const DetailRow& row, const uint64_t* counts, const uint64_t* bases, Sums& sums) {
        std::string text(call_indent);
        add_address(text, row.address);
        for (size_t i = 0; i < width_; ++i)
            add_counts(text, i, counts[i], sums[i], bases[i], nullptr);
        if (columns_.has_lines) text += line_text(row.line, columns_.has_long_names);
        text.erase(text.find_last_not_of(' ') + 1);
        lines_.add({.cells = std::move(text)});
    }

    void add_ruler() {
        const size_t length = style_.width > 0 ? std::min(style_.width, ruler_width) : ruler_width;
        lines_.add({.cells = std::string(length, '-')});
    }

    /// The head and all lines, each ended.
    std::string text() && { return std::move(lines_).text(); }

private:
    void add_address(std::string& text, LinkAddress address) const {
        if (columns_.has_addresses)
            add_cell(text, hex(address.value(), columns_.has_wide_addresses ? 16 : 8), vma_width);
    }

    void add_counts(std::string& text, size_t column, uint64_t count, uint64_t& sum, uint64_t base,
                    const Difference* difference) const {
        const bool is_removed = difference && difference->kind == Difference::Kind::removed;
        if (!is_removed) sum = add_saturating(sum, count);
        const auto share = [&](uint64_t part) {
            return is_removed ? "---" : format_percent(percent_of(part, base));
        };
        add_cell(text, count_text(head_, column, count), samples_width);
        if (columns_.is_accumulated)
            add_cell(text, is_removed ? "---" : count_text(head_, column, sum), cumulative_samples_width);
        add_cell(text, share(count), percent_width);
        if (head_.has_intervals)
            add_interval_cell(text, is_removed ? "---" : interval_text(head_, column, count, base));
        if (columns_.is_accumulated) add_cell(text, share(sum), cumulative_percent_width);
        if (difference) add_cell(text, difference_text(*difference), difference_width);
    }

    /// Milliseconds of a column's sample; 0 = the event is no clock, or there is no room for them.
    double milliseconds(size_t column) const { return has_times_ ? sample_milliseconds(head_, column) : 0; }

    /// What a column has of a change, in the order of shown_heads().
    std::vector<std::string> change_texts(size_t column, const SampleChange& change, bool is_marked) const {
        std::vector<std::string> texts;
        const auto add = [&](double each, int digits, const char* mark) {
            texts.push_back(number_text("%.*f", digits, rounded(digits, each * change.before)));
            texts.push_back(number_text("%.*f", digits, rounded(digits, each * change.after)));
            texts.push_back(number_text("%+.*f", digits, rounded(digits, each * change.delta())) + mark);
        };
        const char* const mark = is_marked ? "*" : "";
        if (!head_.shows_time) add(1, change_digits_, mark);
        const double each = milliseconds(column);
        if (each > 0)
            add(each, std::max(change_digits_, millisecond_digits(each)), head_.shows_time ? mark : "");
        return texts;
    }

    /// Halves away from 0; never -0.
    static double rounded(int digits, double number) {
        const double scale = std::pow(10, digits);
        return std::round(number * scale) / scale + 0.0;
    }

    void add_change_heads(std::string& line, size_t column) const {
        const auto heads = shown_heads(column);
        for (size_t i = 0; i < heads.size(); ++i)
            add_cell(line, heads[i], change_column(column, i));
    }
    /// Those of samples, of milliseconds, or of both.
    std::span<const std::string_view> shown_heads(size_t column) const {
        const std::span all(change_heads);
        const size_t half = all.size() / 2;
        if (head_.shows_time) return all.last(half);
        return milliseconds(column) > 0 ? all : all.first(half);
    }
    size_t change_column(size_t column, size_t i) const {
        return style_.width > 0 ? wide_changes_.at({column, i}) + 1 : change_width;
    }

    static std::string number_text(const char* format, int digits, double number) {
        char text[64];
        std::snprintf(text, sizeof text, format, digits, number);
        return text;
    }

    /// For the colour: of the first event, or of all threads, processes or CPUs.
    double share_of(const uint64_t* counts, const uint64_t* bases) const {
        if (head_.axis == Axis::event || head_.axis == Axis::several) return percent_of(counts[0], bases[0]);
        uint64_t count = 0, base = 0;
        for (size_t column = 0; column < width_; ++column) {
            count = add_saturating(count, counts[column]);
            base = add_saturating(base, bases[column]);
        }
        return percent_of(count, base);
    }

    void add_inclusive(std::string& text, size_t column, uint64_t count, uint64_t base) const {
        add_cell(text, count_text(head_, column, count), inclusive_samples_width);
        add_cell(text, format_percent(percent_of(count, base)), inclusive_percent_width);
    }

    std::string image_text(uint32_t image, size_t column) const {
        const std::string text = printable(columns_.images[image]);
        return style_.width > 0 && !style_.has_whole_names ? cut_text(text, column - 1) : text;
    }
    /// What the columns take that there are once.
    size_t beside_counts() const {
        return (columns_.has_addresses ? vma_width : 0) + (columns_.has_lines ? line_column() : 0) +
               (columns_.has_images ? image_column() : 0) + (columns_.has_apps ? app_column() : 0);
    }
    /// On a terminal the classic words for none would take the room of the symbol.
    std::string shown_line(const std::optional<SourceLine>& line) const {
        return style_.width > 0 && !line ? "?" : line_text(line, columns_.has_long_names);
    }
    std::string line_cell(const std::optional<SourceLine>& line) const {
        const std::string text = shown_line(line);
        return style_.width > 0 && !style_.has_whole_names ? cut_text(text, line_column() - 1) : text;
    }
    /// Columns of an image or a line at least, however many a longer one needs.
    size_t narrow_column(size_t classic) const {
        return std::min((style_.width - std::min(style_.width, rest_width)) / 4, classic);
    }
    size_t line_column() const { return style_.width > 0 ? wide_.line : line_width; }
    size_t image_column() const { return style_.width > 0 ? wide_.image : image_width; }
    size_t app_column() const { return style_.width > 0 ? wide_.app : app_width; }

    /// On a terminal: columns for the names of images and for lines, at first for the heads.
    struct Widths {
        size_t image = sizeof "image name", app = sizeof "app name", line = sizeof "linenr info";
    };

    const ReportHead& head_;
    const SymbolColumns& columns_;
    size_t width_;
    const TextStyle& style_;
    Widths wide_;
    int change_digits_ = 0;
    bool has_times_ = true;                                     ///< milliseconds beside samples
    std::map<std::pair<size_t, size_t>, size_t> wide_changes_;  ///< by column and index of shown_heads()
    Lines lines_;
};

/// With room for all rows.
LineWriter writer_of(const SymbolReport& report, const TextStyle& style) {
    LineWriter writer(report.head, report.columns, report.totals.size(), style);
    for (const SymbolRow& row : report.rows)
        writer.make_room_for(row);
    writer.cut_what_is_too_wide();
    return writer;
}
LineWriter writer_of(const CallgraphReport& report, const TextStyle& style) {
    LineWriter writer(report.head, report.columns, report.totals.size(), style);
    for (const CallgraphLine& line : report.lines)
        writer.make_room_for(line.symbol);
    writer.cut_what_is_too_wide();
    return writer;
}

void add_details(const SymbolReport& report, LineWriter& writer, size_t row) {
    const size_t width = report.totals.size();
    const uint64_t* const bases =
        report.has_global_percent ? report.totals.data() : &report.counts[row * width];
    Sums sums(width);
    for (size_t i = report.first_detail[row]; i < report.first_detail[row + 1]; ++i)
        writer.add_detail(report.details[i], &report.detail_counts[i * width], bases, sums);
}

/// The changes of a row, one per column.
std::vector<SampleChange> changes_of(const SymbolReport& report, size_t row) {
    const size_t width = report.totals.size();
    std::vector<SampleChange> changes;
    for (size_t column = 0; column < width; ++column) {
        const size_t i = row * width + column;
        changes.push_back(report.change_of(column, report.counts_before[i], report.count_after(i)));
    }
    return changes;
}

/// The totals, then all rows.
void add_changes(const SymbolReport& report, LineWriter& writer) {
    const size_t width = report.totals.size();
    std::vector<SampleChange> totals;
    for (size_t column = 0; column < width; ++column)
        totals.push_back(report.change_of(column, report.totals_before[column], report.totals[column]));
    writer.show_means(report.power);
    writer.make_room_for(totals);
    for (size_t row = 0; row < report.rows.size(); ++row)
        writer.make_room_for(changes_of(report, row));
    writer.leave_out_what_is_too_wide();
    if (report.head.is_shown) writer.add_heads();
    writer.add_changes(nullptr, totals, nullptr);
    for (size_t row = 0; row < report.rows.size(); ++row)
        writer.add_changes(&report.rows[row], changes_of(report, row), &report.differences[row * width]);
}

}  // namespace

std::string line_text(const std::optional<SourceLine>& line, bool long_names) {
    if (!line) return "(no location information)";
    return printable(long_names ? line->file : base_name(line->file)) + ":" + std::to_string(line->line);
}

std::string inclusive_text(const CallgraphReport& report, size_t block) {
    if (report.inclusive.empty()) return "";
    const size_t width = report.totals.size();
    std::vector<std::string> texts;
    for (size_t column = 0; column < width; ++column)
        texts.push_back(count_text(report.head, column, report.inclusive[block * width + column]));
    return " [inclusive: " + joined(texts) + "]";
}

std::string difference_text(const Difference& difference) {
    const std::string mark = difference.is_significant ? "*" : "";
    if (difference.kind == Difference::Kind::added) return "+++" + mark;
    if (difference.kind == Difference::Kind::removed) return "---" + mark;
    std::string text = format_percent(difference.percent);
    if (difference.percent > 0) {
        const size_t first = text.find_first_not_of(' ');
        if (first > 0)
            text[first - 1] = '+';
        else
            text.insert(0, "+");
    }
    return text + mark;
}

bool symbols_leave_room(const SymbolReport& report, const TextStyle& style) {
    return writer_of(report, style).leaves_room_for_names();
}

bool callgraph_leaves_room(const CallgraphReport& report, const TextStyle& style) {
    return writer_of(report, style).leaves_room_for_names();
}

std::string write_symbols_text(const SymbolReport& report, const TextStyle& style) {
    const size_t width = report.totals.size();
    LineWriter writer = writer_of(report, style);
    if (report.columns.has_changes) {
        add_changes(report, writer);
        return std::move(writer).text();
    }
    if (report.head.is_shown) writer.add_heads();
    Sums sums(width);
    for (size_t i = 0; i < report.rows.size(); ++i) {
        LineWriter::Row row{.counts = &report.counts[i * width], .bases = report.totals.data()};
        if (!report.differences.empty()) row.differences = &report.differences[i * width];
        if (!report.inclusive.empty()) row.inclusive = &report.inclusive[i * width];
        row.inclusive_bases = report.inclusive_totals.data();
        writer.add_row(report.rows[i], row, sums);
        if (!report.first_detail.empty()) add_details(report, writer, i);
    }
    return std::move(writer).text();
}

std::string write_callgraph_text(const CallgraphReport& report, const TextStyle& style) {
    const size_t width = report.totals.size();
    LineWriter writer = writer_of(report, style);
    if (report.head.is_shown) writer.add_heads();
    writer.add_ruler();
    Sums functions(width);
    for (size_t b = 0; b < report.blocks.size(); ++b) {
        const CallgraphBlock& block = report.blocks[b];
        Sums callers(width), callees(width);
        for (size_t i = block.first; i < block.end; ++i) {
            const CallgraphLine& line = report.lines[i];
            writer.add_row(line.symbol,
                           {.indent = i == block.middle ? "" : call_indent,
                            .end = line.is_self ? " [self]" : "",
                            .counts = &report.counts[i * width],
                            .bases = &report.bases[i * width]},
                           i < block.middle    ? callers
                           : i == block.middle ? functions
                                               : callees);
        }
        writer.add_ruler();
    }
    return std::move(writer).text();
}

}  // namespace op::pp
