// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: whatever names a report has, its text does no harm to a terminal, JSON parses, XML and HTML
// have no element that harmless names would not have, and CSV has as many cells in each row. The input is
// names with NUL bytes between them; its size chooses the writer, as all of them take long.
#include <cstdint>

#include "libop/base/json.h"
#include "libpp/annotate/write_annotated.h"
#include "libpp/annotate/write_annotated_html.h"
#include "libpp/report/writer.h"
#include "tests/fuzz/hostile_profile.h"

namespace {

using namespace op;
using namespace op::pp;
using fuzz::require;

/// Cells of each row: RFC 4180, but a program must take none for a formula.
void check_csv(std::string_view text) {
    size_t cells = 1, expected = 0;
    bool quoted = false;
    char before = '\n';
    for (const char c : text) {
        const bool begins = !quoted && (before == '\n' || before == ',');
        require(!begins || std::string_view("=@+").find(c) == std::string_view::npos);
        if (c == '"') quoted = !quoted;
        if (!quoted && c == ',') ++cells;
        if (!quoted && c == '\n') {
            require(expected == 0 || cells == expected);
            expected = std::exchange(cells, 1);
        }
        before = c;
    }
    require(!quoted && (text.empty() || before == '\n'));
}

/// The characters that make elements and attributes. References to characters are no part of them.
size_t structure_of(std::string_view markup) {
    size_t found = 0;
    for (const char c : markup)
        found += c == '<' || c == '>' || c == '"';
    return found;
}

void check_markup(std::string_view hostile, std::string_view harmless) {
    fuzz::require_harmless(hostile, true);
    require(structure_of(hostile) == structure_of(harmless));
    for (size_t at = hostile.find('&'); at != hostile.npos; at = hostile.find('&', at + 1)) {
        const size_t end = hostile.find(';', at);
        require(end != hostile.npos && end - at <= 8);
    }
}

void check(const Writer& writer, const Report& hostile, const Report& harmless) {
    const std::string text = writer.write(hostile, {});
    if (writer.name == "xml") return check_markup(text, writer.write(harmless, {}));
    if (writer.name == "json") parse_json(text, "output", "report", {});
    if (writer.name == "csv") check_csv(text);
    fuzz::require_harmless(text, writer.name == "json");
    if (writer.fits_terminals) fuzz::require_harmless(writer.write(hostile, {.width = 60}));
}

ImageReport images_of(const fuzz::HostileProfile& made) {
    const auto name = [&](size_t i) { return shown_name(made.profile.images[i].name, i != 0); };
    ImageReport report;
    report.head = made.head;
    report.rows = {{name(0), {7}, {7}, {{name(0), {5}, {7}, {}}, {name(1), {2}, {7}, {}}}}};
    return report;
}

std::vector<Report> reports_of(const fuzz::HostileProfile& made) {
    ReportOptions options, details;
    options.long_names = options.debug_info = options.addresses = options.accumulated = true;
    details.details = true;
    std::vector<Report> reports;
    reports.emplace_back(images_of(made));
    reports.emplace_back(report_symbols(made.profile, made.head, options));
    reports.emplace_back(report_symbols(made.profile, made.head, details));
    reports.emplace_back(report_callgraph(made.profile, made.head, options));
    reports.emplace_back(report_call_tree(made.profile, made.head, options, false));
    reports.emplace_back(report_call_tree(made.profile, made.head, options, true));
    return reports;
}

std::string page_of(const fuzz::HostileProfile& made, const fuzz::Names& names) {
    ReportOptions options;
    options.debug_info = true;
    const Annotation annotation = annotate(made.profile, made.head, options);
    std::vector<AnnotatedSource> sources;
    for (const AnnotatedFile& file : annotation.files) {
        sources.push_back({&file, names[8]});
        fuzz::require_harmless(annotation_totals(annotation, file) + annotated_line_zero(annotation, file));
    }
    return annotated_html(annotation, sources, names[7]);
}

}  // namespace

extern "C" int fuzz_mutations();
extern "C" int fuzz_mutations() {
    return 100;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const fuzz::Names names({reinterpret_cast<const char*>(data), size}), plain = names.harmless();
    const fuzz::HostileProfile hostile(names), harmless(plain);
    const size_t choice = size % (writers().size() + 1);
    if (choice == writers().size()) {
        fuzz::require_harmless(page_of(hostile, names), true);
        return 0;
    }
    const Writer& writer = writers()[choice];
    const std::vector<Report> reports = reports_of(hostile), expected = reports_of(harmless);
    for (size_t i = 0; i < reports.size(); ++i)
        if (i < 4 ? i != 2 || !writer.is_by_application : writer.has_trees)
            check(writer, reports[i], expected[i]);
    return 0;
}
