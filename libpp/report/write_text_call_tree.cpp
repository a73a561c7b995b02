// SPDX-License-Identifier: GPL-2.0-or-later
// The tree of calls as text. A row without siblings is on the next line, not further to the right: stacks are
// deep and terminals narrow. Rows with siblings have a '-'.
#include <algorithm>

#include "libop/base/text.h"
#include "libpp/profile/percent.h"
#include "libpp/report/count_text.h"
#include "libpp/report/share_intervals.h"
#include "libpp/report/stack_shares.h"
#include "libpp/report/text_lines.h"
#include "libpp/report/write_text.h"

namespace op::pp {

namespace {

constexpr size_t samples_width = 9, percent_width = 9, difference_width = 10, indent_width = 2;

std::string recursion_text(uint32_t levels) {
    return levels < 2 ? "" : " (recursion, up to " + std::to_string(levels) + " deep)";
}

/// Where a row's name begins.
struct Indent {
    size_t columns = 0;
    bool has_siblings = false;
};

/// The indents of all rows.
class Indents {
public:
    explicit Indents(const std::vector<CallTreeRow>& rows) : rows_(rows) {}

    std::vector<Indent> find() && {
        std::vector<size_t> siblings = count_siblings();
        std::vector<Indent> indents;
        std::vector<size_t> path;  // columns of the rows above, by depth
        for (size_t i = 0; i < rows_.size(); ++i) {
            const CallTreeRow& row = rows_[i];
            path.resize(row.depth);
            Indent indent{0, row.depth > 0 && siblings[i] > 1};
            // The first row is set off from what is below it, a '-' takes two columns.
            if (row.depth > 0)
                indent.columns = path.back() + (row.depth == 1 || indent.has_siblings ? indent_width : 0);
            path.push_back(indent.columns);
            indents.push_back(indent);
        }
        return indents;
    }

private:
    /// For each row the number of rows right below the row it is below, itself included.
    std::vector<size_t> count_siblings() const {
        std::vector<std::vector<size_t>> open;  // by depth: the rows seen below the last row above
        std::vector<size_t> counts(rows_.size());
        const auto close = [&](size_t depth) {
            for (; open.size() > depth; open.pop_back())
                for (const size_t row : open.back())
                    counts[row] = open.back().size();
        };
        for (size_t i = 0; i < rows_.size(); ++i) {
            close(rows_[i].depth + 1);
            if (open.size() == rows_[i].depth) open.emplace_back();
            open.back().push_back(i);
        }
        close(0);
        return counts;
    }

    const std::vector<CallTreeRow>& rows_;
};

class TreeWriter {
public:
    TreeWriter(const CallTreeReport& report, const TextStyle& style)
        : report_(report), width_(report.totals.size()), lines_(head_text(report.head, style), style) {}

    bool leaves_room_for_names(size_t columns) const {
        const size_t counts = samples_width + percent_width + (report_.is_by_callee ? 0 : samples_width) +
                              (report_.head.has_intervals ? interval_width : 0);
        return width_ * counts + least_name <= columns;
    }

    std::string write() && {
        if (report_.head.is_shown) add_heads();
        const std::vector<Indent> indents = Indents(report_.rows).find();
        for (size_t i = 0; i < report_.rows.size(); ++i)
            add_row(i, indents[i]);
        return std::move(lines_).text() + foot();
    }

private:
    void add_heads() {
        std::string cells;
        for (size_t column = 0; column < width_; ++column) {
            if (is_comparison()) {
                add_cell(cells, "before", samples_width);
                add_cell(cells, "%", percent_width);
            }
            add_cell(cells, count_title(report_.head), samples_width);
            add_cell(cells, "%", percent_width);
            if (report_.head.has_intervals) add_interval_cell(cells, interval_title);
            if (is_comparison())
                add_cell(cells, "diff %", difference_width);
            else if (!report_.is_by_callee)
                add_cell(cells, "self", samples_width);
        }
        lines_.add(
            {.cells = cells + (report_.is_by_callee ? "function, its callers" : "function, its callees")});
    }

    void add_row(size_t index, const Indent& indent) {
        const CallTreeRow& row = report_.rows[index];
        const uint64_t* const counts = &report_.counts[index * width_];
        std::string cells;
        for (size_t column = 0; column < width_; ++column)
            add_counts(cells, index, column);
        cells.append(indent.has_siblings ? indent.columns - indent_width : indent.columns, ' ');
        if (indent.has_siblings) cells += "- ";
        const std::string image = printable(report_.images[row.image]),
                          in_brackets = printable(report_.images_in_brackets[row.image]);
        const double share = percent_of(counts[0], report_.totals[0]);
        if (row.kind == CallTreeRow::Kind::cut)
            lines_.add(
                {.cells = cells + "[truncated: " + std::string(cut_name(row.end)) + "]", .share = share});
        else if (row.kind == CallTreeRow::Kind::application)
            lines_.add({.cells = cells + image, .share = share});
        else if (row.is_whole_image)
            lines_.add({.cells = cells + in_brackets, .share = share});
        else
            lines_.add({.cells = cells,
                        .name = printable(row.name),
                        .end = recursion_text(row.levels) + (row.is_own ? "" : " " + in_brackets),
                        .share = share});
    }

    bool is_comparison() const { return !report_.totals_before.empty(); }

    void add_counts(std::string& cells, size_t row, size_t column) const {
        const size_t at = row * width_ + column;
        const uint64_t count = report_.counts[at], total = report_.totals[column];
        if (is_comparison())
            add_share(cells, column, report_.counts_before[at], report_.totals_before[column]);
        add_share(cells, column, count, total);
        if (report_.head.has_intervals)
            add_interval_cell(cells, interval_text(report_.head, column, count, total));
        if (is_comparison())
            add_cell(cells, difference_text(report_.differences[at]), difference_width);
        else if (!report_.is_by_callee)
            add_cell(cells, count_text(report_.head, column, report_.own[at]), samples_width);
    }

    void add_share(std::string& cells, size_t column, uint64_t count, uint64_t total) const {
        add_cell(cells, count_text(report_.head, column, count), samples_width);
        add_cell(cells, format_percent(percent_of(count, total)), percent_width);
    }

    /// What share of the stacks is complete, of both profiles where they differ in it.
    std::string shares_text() const {
        const std::string text = stack_shares_text(report_.stacks);
        const std::string before = is_comparison() ? stack_shares_text(report_.stacks_before) : text;
        if (before == text) return text.empty() ? "" : text + "\n";
        return (before.empty() ? "" : "First profile: " + before + "\n") +
               (text.empty() ? "" : "Second profile: " + text + "\n");
    }

    std::string foot() const {
        std::string text;
        if (report_.left_out > 0)
            text = "Rows with less than " + percent_text(report_.left_out) +
                   " are left out: --threshold=0 shows all.\n";
        text += shares_text();
        for (const std::string& loss : report_.stack_losses)
            text += loss + ".\n";
        return text;
    }

    const CallTreeReport& report_;
    size_t width_;
    Lines lines_;
};

}  // namespace

bool call_tree_leaves_room(const CallTreeReport& report, const TextStyle& style) {
    return TreeWriter(report, style).leaves_room_for_names(style.width);
}

std::string write_call_tree_text(const CallTreeReport& report, const TextStyle& style) {
    return TreeWriter(report, style).write();
}

}  // namespace op::pp
