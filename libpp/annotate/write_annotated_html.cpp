// SPDX-License-Identifier: GPL-2.0-or-later
// Annotated sources as a page for a browser: HTML, https://html.spec.whatwg.org. One table per file, a row
// per line; what can be folded away is folded by style alone.
#include "libpp/annotate/write_annotated_html.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

#include "libop/base/counted.h"
#include "libop/base/markup.h"
#include "libop/base/text.h"
#include "libop/session/ledger.h"
#include "libpp/annotate/html_style.h"
#include "libpp/profile/percent.h"
#include "libpp/report/write_text.h"

namespace op::pp {

namespace {

/// Lines this near to one with samples, or to the head of a function, are of interest.
constexpr uint32_t near_lines = 6;
/// Fewer lines between such are not worth hiding.
constexpr uint32_t least_hidden = 4;
/// So many of a file's hottest lines are in the index, and so many functions.
constexpr size_t hottest_in_index = 5, functions_in_index = 20;

/// An element without attributes of foreign origin; `content` is HTML.
std::string element(std::string_view tag, std::string_view attributes, std::string_view content) {
    std::string text = "<" + std::string(tag);
    if (!attributes.empty()) text += " " + std::string(attributes);
    text += ">";
    text += content;
    return text + "</" + std::string(tag) + ">";
}

std::string class_attribute(std::string_view name) {
    return name.empty() ? "" : "class=\"" + std::string(name) + "\"";
}

/// A percentage with two decimals; shares below them are not 0.
std::string share_text(uint64_t count, uint64_t total) {
    const double percent = percent_of(count, total);
    if (percent > 0 && percent < 0.005) return "&lt;0.01";
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", percent);
    return text;
}

class Page {
public:
    Page(const Annotation& annotation, std::span<const AnnotatedSource> sources)
        : annotation_(annotation), sources_(sources) {
        for (const AnnotatedSource& source : sources)
            for (const auto& [line, counts] : leading_lines(*source.file))
                hottest_ = std::max(hottest_, highest_share(counts, annotation.totals));
    }

    std::string text(const std::string& command) const {
        std::string body = element("h1", "", "Annotated sources") + "\n" +
                           element("pre", "class=\"about\"",
                                   markup_text(printable(command)) + "\n" + about(annotation_.head)) +
                           "\n";
        body +=
            "<input type=\"checkbox\" id=\"near\" checked> <label for=\"near\">Only lines near "
            "samples</label>\n<main>\n";
        body +=
            sources_.empty() ? "<p class=\"none\">No source file has samples.</p>\n" : functions() + index();
        for (size_t i = 0; i < sources_.size(); ++i)
            body += section(i);
        return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
               "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
               "'unsafe-inline'\">\n"
               "<meta name=\"viewport\" content=\"width=device-width\">\n"
               "<title>Annotated sources</title>\n<style>" +
               html_style() + "</style>\n</head>\n<body>\n" + body + "</main>\n</body>\n</html>\n";
    }

private:
    static std::string about(const ReportHead& head) {
        std::string text;
        const std::string banner = banner_text(head);
        for (std::string_view rest = banner; !rest.empty();)
            text += markup_text(take_line(rest)) + "\n";
        return text;
    }

    static std::string file_id(size_t index) { return "f" + std::to_string(index + 1); }
    static std::string line_id(size_t index, uint32_t line) {
        return file_id(index) + "l" + std::to_string(line);
    }

    /// "h1" to "h10", or nothing where there are no samples. Square roots, so that what is not the hottest
    /// shows, too.
    std::string heat(double share) const {
        if (!(share > 0)) return "";
        const double step = std::ceil(heat_steps * std::sqrt(share / hottest_));
        return "h" + std::to_string(std::clamp(static_cast<int>(step), 1, heat_steps));
    }

    /// The lines that colours and the index go by: with their inclusive counts, if there are such.
    const std::map<uint32_t, Counts>& leading_lines(const AnnotatedFile& file) const {
        return annotation_.is_inclusive ? file.inclusive : file.lines;
    }

    /// A count and a share of one column; empty without samples. `has_heat` colours them.
    std::string cell(uint64_t count, uint64_t total, bool has_heat) const {
        if (count == 0) return "<td></td><td></td>";
        const std::string attribute =
            class_attribute(has_heat ? heat(percent_of(count, total)) : std::string());
        return element("td", attribute, std::to_string(count)) +
               element("td", attribute, share_text(count, total));
    }
    /// The cells of all columns; null pointers stand for no samples.
    std::string cells(const Counts* own, const Counts* inclusive, bool has_heat) const {
        std::string text;
        for (size_t i = 0; i < annotation_.totals.size(); ++i) {
            text += cell(own ? (*own)[i] : 0, annotation_.totals[i], has_heat);
            if (annotation_.is_inclusive)
                text += cell(inclusive ? (*inclusive)[i] : 0, annotation_.totals[i], has_heat);
        }
        return text;
    }
    std::string empty_cells() const {
        const size_t width = annotation_.is_inclusive ? 4 : 2;
        return "<td colspan=\"" + std::to_string(width * annotation_.totals.size()) + "\"></td>";
    }

    std::string column_heads(bool has_inclusive) const {
        std::string text;
        for (const ProfileClass& column : annotation_.head.columns) {
            text += element("th", "scope=\"col\"",
                            markup_text(printable(column.short_name(annotation_.head.axis)))) +
                    "<th scope=\"col\">%</th>";
            if (has_inclusive)
                text +=
                    "<th scope=\"col\" title=\"with what is inlined into the line and, if call stacks were "
                    "recorded, "
                    "what it calls\">inclusive</th>"
                    "<th scope=\"col\">%</th>";
        }
        return text;
    }

    // The index

    /// A function, and the index of the source that it begins in.
    struct Function {
        size_t source;
        const AnnotatedSymbol* symbol;
    };

    /// Those with most samples, falling.
    std::vector<Function> hottest_functions() const {
        std::vector<Function> functions;
        for (size_t i = 0; i < sources_.size(); ++i)
            for (const AnnotatedSymbol& symbol : sources_[i].file->symbols)
                if (highest_share(symbol.counts, annotation_.totals) > 0) functions.push_back({i, &symbol});
        std::ranges::stable_sort(functions, std::greater{}, [&](const Function& function) {
            return highest_share(function.symbol->counts, annotation_.totals);
        });
        functions.resize(std::min(functions.size(), functions_in_index));
        return functions;
    }

    std::string functions() const {
        std::string rows;
        for (const auto& [source, symbol] : hottest_functions()) {
            const std::string name = markup_text(printable(symbol->name));
            const std::string place = symbol->line == 0 ? file_id(source) : line_id(source, symbol->line);
            rows += "<tr>";
            for (size_t i = 0; i < annotation_.totals.size(); ++i)
                rows += cell(symbol->counts[i], annotation_.totals[i], false);
            rows += element("td", "class=\"text\"", "<a href=\"#" + place + "\">" + name + "</a>") +
                    element("td", "class=\"place\"",
                            markup_text(printable(base_name(sources_[source].file->path))) +
                                (symbol->line == 0 ? "" : ":" + std::to_string(symbol->line))) +
                    "</tr>\n";
        }
        if (rows.empty()) return "";
        return "<table class=\"index\">\n<thead><tr>" + column_heads(false) +
               "<th class=\"text\" scope=\"col\">function</th><th scope=\"col\">begins "
               "at</th></tr></thead>\n<tbody>\n" +
               rows + "</tbody>\n</table>\n";
    }

    std::string index() const {
        std::string rows;
        for (size_t i = 0; i < sources_.size(); ++i)
            rows += "<tr>" + cells(&sources_[i].file->totals, &sources_[i].file->inclusive_total, false) +
                    element("td", "class=\"text\"",
                            "<a href=\"#" + file_id(i) + "\">" +
                                markup_text(printable(sources_[i].file->path)) + "</a>") +
                    element("td", "", hottest_lines(i)) + "</tr>\n";
        return "<table class=\"index\">\n<thead><tr>" + column_heads(annotation_.is_inclusive) +
               "<th class=\"text\" scope=\"col\">file</th><th scope=\"col\">hottest "
               "lines</th></tr></thead>\n<tbody>\n" +
               rows + "</tbody>\n</table>\n";
    }

    std::string hottest_lines(size_t index) const {
        const AnnotatedFile& file = *sources_[index].file;
        std::vector<std::pair<double, uint32_t>> lines;
        for (const auto& [line, counts] : leading_lines(file))
            if (line != 0) lines.emplace_back(-highest_share(counts, annotation_.totals), line);
        std::ranges::sort(lines);
        lines.resize(std::min(lines.size(), hottest_in_index));
        return joined(lines, " ", [&](const std::pair<double, uint32_t>& line) {
            return "<a href=\"#" + line_id(index, line.second) + "\">" + std::to_string(line.second) + "</a>";
        });
    }

    // A file

    /// "661 samples, 87.20 %"; with several columns each with its name.
    std::string totals_text(const Counts& totals) const {
        const ReportHead& head = annotation_.head;
        std::vector<std::string> texts;
        for (size_t i = 0; i < totals.size(); ++i) {
            const std::string share = share_text(totals[i], annotation_.totals[i]) + " %";
            if (totals.size() == 1) return counted(totals[i], "sample") + ", " + share;
            texts.push_back(markup_text(printable(head.columns[i].short_name(head.axis))) + " " +
                            std::to_string(totals[i]) + " (" + share + ")");
        }
        return joined(texts);
    }

    std::string section(size_t index) const {
        const AnnotatedFile& file = *sources_[index].file;
        std::string text = "<section id=\"" + file_id(index) + "\">\n" +
                           element("h2", "",
                                   markup_text(printable(file.path)) +
                                       element("small", "", totals_text(leading_total(annotation_, file)))) +
                           "\n";
        if (!sources_[index].text)
            text += "<p class=\"none\">The source is not found: its functions and lines with samples.</p>\n";
        const bool is_aside = annotation_.is_aside(file);
        if (is_aside) text += "<details>\n<summary>Of a package or library</summary>\n";
        text += "<table class=\"source\">\n<thead><tr>" + column_heads(annotation_.is_inclusive) +
                "<th class=\"line\" scope=\"col\">line</th><th class=\"text\" "
                "scope=\"col\">source</th></tr></thead>\n";
        text += sources_[index].text ? source_lines(index, *sources_[index].text) : known_lines(index);
        return text + "</table>\n" + (is_aside ? "</details>\n" : "") + "</section>\n";
    }

    std::string row(size_t index, uint32_t line, std::string_view source) const {
        const AnnotatedFile& file = *sources_[index].file;
        const auto find = [line](const std::map<uint32_t, Counts>& lines) {
            const auto at = lines.find(line);
            return at == lines.end() ? nullptr : &at->second;
        };
        const Counts* const own = find(file.lines);
        const Counts* const inclusive = find(file.inclusive);
        const Counts* const leading = find(leading_lines(file));
        const std::string id = line_id(index, line);
        const std::string warmth = leading ? heat(highest_share(*leading, annotation_.totals)) : "";
        std::string text =
            "<tr id=\"" + id + "\"" + (warmth.empty() ? "" : " " + class_attribute(warmth)) + ">";
        text += own || inclusive ? cells(own, inclusive, true) : empty_cells();
        text += element("td", "class=\"line\"", "<a href=\"#" + id + "\">" + std::to_string(line) + "</a>");
        text += "<td class=\"text\">" + markup_text(source) + functions_at(file, line) + "</td></tr>\n";
        return text;
    }

    /// "80 (40.00 %)" a column.
    std::string numbers(const Counts& counts) const {
        std::vector<std::string> texts;
        for (size_t i = 0; i < counts.size(); ++i)
            texts.push_back(std::to_string(counts[i]) + " (" + share_text(counts[i], annotation_.totals[i]) +
                            " %)");
        return joined(texts);
    }

    /// The functions that begin at a line, with their totals.
    std::string functions_at(const AnnotatedFile& file, uint32_t line) const {
        std::string text;
        for (auto at = std::ranges::lower_bound(file.symbols, line, {}, &AnnotatedSymbol::line);
             at != file.symbols.end() && at->line == line; ++at) {
            std::string of = markup_text(printable(at->name)) + ": " + numbers(at->counts);
            if (!at->versions.empty()) of += "; " + counted(at->versions.size(), "version");
            for (const CodeVersion& version : at->versions)
                of += ", at " + hex(version.address.value()) + ": " + numbers(version.counts);
            text += element("span", "class=\"of\"", of);
        }
        return text;
    }

    /// Samples that belong to no line stand before the first.
    std::string line_zero(size_t index) const {
        if (!sources_[index].file->lines.contains(0) && functions_at(*sources_[index].file, 0).empty())
            return "";
        return "<tbody>\n" + row(index, 0, "(credited to no line)") + "</tbody>\n";
    }

    /// Lines far from all samples are in bodies of their own, which can be folded. Those of packages and
    /// libraries are left out: a page would mostly consist of headers.
    std::string source_lines(size_t index, std::string_view source) const {
        const std::vector<std::pair<uint32_t, uint32_t>> near = near_ranges(*sources_[index].file);
        const bool is_whole = !annotation_.is_aside(*sources_[index].file);
        std::string text = line_zero(index), rows;
        auto range = near.begin();
        uint32_t line = 1, first = 1;
        bool is_near = range != near.end() && range->first <= 1;
        const auto end_body = [&] {
            if (line != first) text += body(rows, is_near, line - first);
            rows.clear();
            first = line;
        };
        for (; !source.empty(); ++line) {
            while (range != near.end() && range->second < line)
                ++range;
            if (const bool now = range != near.end() && range->first <= line; now != is_near) {
                end_body();
                is_near = now;
            }
            std::string_view taken = take_line(source);
            if (taken.ends_with('\r')) taken.remove_suffix(1);
            if (is_near || is_whole) rows += row(index, line, taken);
        }
        end_body();
        return text + beyond(index, line);
    }

    std::string body(const std::string& rows, bool is_near, uint32_t lines) const {
        if (is_near) return "<tbody>\n" + rows + "</tbody>\n";
        return "<tbody>\n<tr class=\"" + std::string(rows.empty() ? "gap" : "skip") + "\">" + empty_cells() +
               "<td class=\"line\"></td><td class=\"text\">… " + counted(lines, "line") +
               "</td></tr>\n</tbody>\n" +
               (rows.empty() ? "" : "<tbody class=\"far\">\n" + rows + "</tbody>\n");
    }

    /// Lines, first and last, around those with samples and heads of functions; at least `least_hidden` lie
    /// between two.
    std::vector<std::pair<uint32_t, uint32_t>> near_ranges(const AnnotatedFile& file) const {
        std::vector<uint32_t> lines;
        for (const auto& [line, counts] : leading_lines(file))
            if (line != 0) lines.push_back(line);
        for (const AnnotatedSymbol& symbol : file.symbols)
            if (symbol.line != 0) lines.push_back(symbol.line);
        std::ranges::sort(lines);
        std::vector<std::pair<uint32_t, uint32_t>> ranges;
        for (const uint32_t line : lines) {
            const uint32_t first = line > near_lines + least_hidden ? line - near_lines : 1;
            const uint32_t last = line > UINT32_MAX - near_lines ? UINT32_MAX : line + near_lines;
            if (!ranges.empty() && first <= uint64_t{ranges.back().second} + least_hidden)
                ranges.back().second = last;
            else
                ranges.emplace_back(first, last);
        }
        return ranges;
    }

    /// Lines that the file does not have: it is not what was compiled.
    std::string beyond(size_t index, uint32_t end) const {
        std::string rows;
        const auto& lines = leading_lines(*sources_[index].file);
        for (auto at = lines.lower_bound(end); at != lines.end(); ++at)
            if (at->first != 0) rows += row(index, at->first, "(beyond the end of this file)");
        return rows.empty() ? "" : "<tbody>\n" + rows + "</tbody>\n";
    }

    /// The known facts about a source that is missing.
    std::string known_lines(size_t index) const {
        const AnnotatedFile& file = *sources_[index].file;
        std::vector<uint32_t> lines;
        for (const auto& [line, counts] : leading_lines(file))
            lines.push_back(line);
        for (const AnnotatedSymbol& symbol : file.symbols)
            lines.push_back(symbol.line);
        std::ranges::sort(lines);
        lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
        std::string rows;
        for (const uint32_t line : lines)
            rows += row(index, line, "");
        return "<tbody>\n" + rows + "</tbody>\n";
    }

    const Annotation& annotation_;
    std::span<const AnnotatedSource> sources_;
    double hottest_ = 0;  ///< the highest share of a line
};

}  // namespace

std::string annotated_html(const Annotation& annotation, std::span<const AnnotatedSource> sources,
                           const std::string& command) {
    return Page(annotation, sources).text(command);
}

}  // namespace op::pp
