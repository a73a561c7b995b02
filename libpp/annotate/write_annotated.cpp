// SPDX-License-Identifier: GPL-2.0-or-later
// The classic text of annotated listings.
#include "libpp/annotate/write_annotated.h"

#include <algorithm>
#include <charconv>

#include "libop/base/counted.h"
#include "libop/base/text.h"
#include "libop/session/ledger.h"
#include "libpp/profile/percent.h"
#include "libpp/report/write_text.h"

namespace op::pp {

namespace {

constexpr size_t count_width = 6;
constexpr size_t cell_width = count_width + 1 + 7;  ///< of a count and its share
/// The number of calls shown for an inlined line.
constexpr size_t calls_shown = 4;
/// The number of versions shown for a function that was compiled several times.
constexpr size_t versions_shown = 8;

/// "   400 54.8697" a column.
std::string counts_text(const Counts& counts, const Counts& totals) {
    std::string text;
    for (size_t i = 0; i < counts.size(); ++i) {
        const std::string count = std::to_string(counts[i]);
        text.append(count.size() < count_width ? count_width - count.size() : 0, ' ');
        text += count + " " + format_percent(percent_of(counts[i], totals[i]));
    }
    return text;
}

/// The columns before each line; `counts` is null for a line without samples.
std::string prefix(const Counts* counts, const Counts& totals) {
    const std::string gap(2 * (totals.size() - 1), ' ');
    if (counts) return counts_text(*counts, totals) + gap + " :";
    return std::string(totals.size() * cell_width, ' ') + gap + " :";
}

/// The columns before each line of a listing with inclusive counts: for each event the line's own samples,
/// then the inclusive ones; blank where there are none.
std::string inclusive_prefix(const Counts* own, const Counts* inclusive, const Counts& totals) {
    std::string text;
    for (size_t i = 0; i < totals.size(); ++i)
        for (const Counts* counts : {own, inclusive}) {
            if (!text.empty()) text += ' ';
            const bool is_shown = counts && (*counts)[i] > 0;
            text += is_shown ? counts_text({(*counts)[i]}, {totals[i]}) : std::string(cell_width, ' ');
        }
    return text + " :";
}

/// A comment must not end within a name.
std::string comment_safe(std::string_view text) {
    std::string safe = printable(text);
    for (size_t at = 0; (at = safe.find("*/", at)) != safe.npos;)
        safe.replace(at, 2, "* /");
    return safe;
}

std::string commented(std::string_view text) {
    std::string result;
    while (!text.empty())
        result += " * " + comment_safe(take_line(text)) + "\n";
    return result;
}

/// " (2 versions: COUNTS at ADDRESS; COUNTS at ADDRESS)"; empty if there is one.
std::string versions_text(const AnnotatedSymbol& symbol, const Counts& totals) {
    if (symbol.versions.empty()) return "";
    const auto shown = std::span(symbol.versions).first(std::min(symbol.versions.size(), versions_shown));
    std::string text = " (" + counted(symbol.versions.size(), "version") + ": " +
                       joined(shown, "; ", [&](const CodeVersion& version) {
                           return counts_text(version.counts, totals) + " at " + hex(version.address.value());
                       });
    if (symbol.versions.size() > versions_shown)
        text += "; and " + std::to_string(symbol.versions.size() - versions_shown) + " more";
    return text + ")";
}

/// " /* NAME total: COUNTS */", or several symbols with the sum of all.
std::string symbol_comment(std::span<const AnnotatedSymbol> symbols, const Counts& totals) {
    if (symbols.empty()) return "";
    if (symbols.size() == 1)
        return " /* " + comment_safe(symbols[0].name) + " total: " + counts_text(symbols[0].counts, totals) +
               versions_text(symbols[0], totals) + " */";
    std::string text = " /* ";
    Counts sum(totals.size());
    for (const AnnotatedSymbol& symbol : symbols) {
        text += comment_safe(symbol.name) + " " + counts_text(symbol.counts, totals) +
                versions_text(symbol, totals) + ", ";
        for (size_t i = 0; i < sum.size(); ++i)
            sum[i] = add_saturating(sum[i], symbol.counts[i]);
    }
    return text + "total: " + counts_text(sum, totals) + " */";
}

/// " /* inlined into NAME at FILE:LINE COUNTS */" of a line; the calls with most samples, and how many
/// others.
std::string calls_comment(const AnnotatedFile& file, uint32_t line, const Counts& totals) {
    const auto at = file.calls.find(line);
    if (at == file.calls.end() || at->second.empty()) return "";
    const auto& calls = at->second;
    const auto call_text = [&](const InlinedCall& call) {
        std::string text = comment_safe(call.caller);
        if (!call.file.empty())
            text += " at " + comment_safe(base_name(call.file)) + ":" + std::to_string(call.line);
        return text + " " + counts_text(call.counts, totals);
    };
    const auto shown = std::span(calls).first(std::min(calls.size(), calls_shown));
    std::string text = " /* inlined into " + joined(shown, ", ", call_text);
    if (calls.size() > calls_shown) text += ", " + counted(calls.size() - calls_shown, "other");
    return text + " */";
}

const Counts* find(const std::map<uint32_t, Counts>& lines, uint32_t line) {
    const auto at = lines.find(line);
    return at == lines.end() ? nullptr : &at->second;
}

/// The columns before a line of a file.
std::string line_prefix(const Annotation& annotation, const AnnotatedFile& file, uint32_t line) {
    const Counts* const own = find(file.lines, line);
    if (!annotation.is_inclusive) return prefix(own, annotation.totals);
    return inclusive_prefix(own, find(file.inclusive, line), annotation.totals);
}

/// The columns before a symbol without its source: all its samples, with what is inlined into it.
std::string symbol_prefix(const Annotation& annotation, const Counts& counts) {
    if (!annotation.is_inclusive) return prefix(&counts, annotation.totals);
    return inclusive_prefix(nullptr, &counts, annotation.totals);
}

/// The columns before a file's totals.
std::string file_prefix(const Annotation& annotation, const AnnotatedFile& file) {
    if (!annotation.is_inclusive) return counts_text(file.totals, annotation.totals);
    const std::string text = inclusive_prefix(&file.totals, &file.inclusive_total, annotation.totals);
    return text.substr(0, text.size() - 2);
}

/// The address that a line of a disassembly begins with: "  401126:\t...".
std::optional<LinkAddress> address_of(std::string_view line) {
    const size_t colon = line.find(':');
    const size_t first = line.find_first_not_of(' ');
    if (colon == line.npos || first == line.npos || first > colon || line.substr(colon + 1, 1) != "\t")
        return std::nullopt;
    uint64_t address = 0;
    const auto [end, error] = std::from_chars(line.data() + first, line.data() + colon, address, 16);
    if (error != std::errc{} || end != line.data() + colon) return std::nullopt;
    return LinkAddress{address};
}

bool is_symbol_line(std::string_view line) {
    return line.ends_with(">:") && line.find(" <") != line.npos;
}

/// The samples of each instruction of a listing.
std::map<LinkAddress, Counts> by_instruction(const AnnotatedCode& code, std::string_view text) {
    std::vector<LinkAddress> instructions;
    while (!text.empty())
        if (const auto address = address_of(take_line(text))) instructions.push_back(*address);
    std::map<LinkAddress, Counts> sums;
    for (const auto& [address, counts] : code.by_address) {
        const auto next = std::ranges::upper_bound(instructions, address);
        if (next == instructions.begin()) continue;
        Counts& sum = sums[*std::prev(next)];
        sum.resize(counts.size());
        for (size_t i = 0; i < sum.size(); ++i)
            sum[i] = add_saturating(sum[i], counts[i]);
    }
    return sums;
}

}  // namespace

std::string annotation_banner(const Annotation& annotation, const std::string& command,
                              const std::vector<std::string>& meaning) {
    std::string text =
        "/* \n * Command line: " + comment_safe(command) + "\n * \n * Interpretation of command line:\n";
    for (const auto& line : meaning)
        text += " * " + comment_safe(line) + "\n";
    return text + " * \n" + commented(banner_text(annotation.head)) + " */\n";
}

std::string annotation_totals(const Annotation& annotation, const AnnotatedFile& file) {
    return "/* \n * Total samples for file : \"" + comment_safe(file.path) + "\"\n * \n * " +
           file_prefix(annotation, file) + "\n */\n";
}

std::string annotation_aside(const Annotation& annotation, std::span<const AnnotatedFile* const> files) {
    if (files.empty()) return "";
    std::string text =
        "/* \n * Files of packages and libraries; the lines that lead to them have their samples, too.\n"
        " * --include-file=NAME lists one.\n * \n";
    for (const AnnotatedFile* const file : files)
        text += " * " + file_prefix(annotation, *file) + " : " + comment_safe(file->path) + "\n";
    return text + " */\n";
}

std::string annotated_line_zero(const Annotation& annotation, const AnnotatedFile& file) {
    if (!find(file.lines, 0)) return "\n";
    return "<credited to line zero> " + line_prefix(annotation, file, 0) + "\n";
}

std::string annotated_lines(const Annotation& annotation, const AnnotatedFile& file,
                            std::optional<std::string_view> source) {
    const auto symbols_at = [&](uint32_t line) {
        const auto first = std::ranges::lower_bound(file.symbols, line, {}, &AnnotatedSymbol::line);
        const auto end = std::ranges::upper_bound(file.symbols, line, {}, &AnnotatedSymbol::line);
        return std::span<const AnnotatedSymbol>(first, end);
    };
    std::string text;
    if (!source) {
        for (const AnnotatedSymbol& symbol : file.symbols)
            text += symbol_prefix(annotation, symbol.counts) +
                    symbol_comment({&symbol, 1}, annotation.totals) + "\n";
        return text;
    }
    std::string_view rest = *source;
    for (uint32_t line = 1; !rest.empty(); ++line) {
        text += line_prefix(annotation, file, line);
        text += take_line(rest);
        text += symbol_comment(symbols_at(line), annotation.totals);
        text += calls_comment(file, line, annotation.totals) + "\n";
    }
    return text;
}

std::string annotated_code(const Annotation& annotation, const AnnotatedCode& code, std::string_view text) {
    const auto sums = by_instruction(code, text);
    const AnnotatedSymbol whole{code.name, 0, code.counts};
    std::string result;
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        if (is_symbol_line(line)) {
            result += printable(line) + symbol_comment({&whole, 1}, annotation.totals) + "\n";
            continue;
        }
        const auto address = address_of(line);
        const auto at = address ? sums.find(*address) : sums.end();
        result += prefix(at == sums.end() ? nullptr : &at->second, annotation.totals);
        result += line;
        result += '\n';
    }
    return result;
}

}  // namespace op::pp
