// SPDX-License-Identifier: GPL-2.0-or-later
// The content of the page; tests/e2e/html_test.sh tests how a browser shows it.
#include "libpp/annotate/write_annotated_html.h"

#include <gtest/gtest.h>

namespace op::pp {

namespace {

/// A file with samples: lines 2 (80 of 100) and 30 (5).
struct Sampled {
    AnnotatedFile file{"/src/a.c", {85}, {{2, {80}}, {30, {5}}}, {{"work(int)", 2, {85}}}};
    Annotation annotation;
    std::string source;

    Sampled() {
        annotation.totals = {100};
        annotation.head.columns = {{"E", 100, 0, {}, {}, {}}};
        for (int line = 1; line <= 40; ++line)
            source += "line " + std::to_string(line) + "\n";
    }
    std::string page(const std::optional<std::string>& text) const {
        const AnnotatedSource sources[] = {{&file, text}};
        return annotated_html(annotation, sources, "opannotate --html");
    }
};

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != text.npos;
}

size_t count(const std::string& text, std::string_view part) {
    size_t found = 0;
    for (size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size())
        ++found;
    return found;
}

}  // namespace

TEST(AnnotatedHtml, has_a_row_with_an_anchor_for_each_line) {
    const Sampled sampled;
    const std::string page = sampled.page(sampled.source);
    EXPECT_EQ(count(page, "<tr id=\"f1l"), 40u);
    EXPECT_TRUE(
        has(page,
            "<tr id=\"f1l40\"><td colspan=\"2\"></td><td class=\"line\"><a href=\"#f1l40\">40</a></td>"
            "<td class=\"text\">line 40</td></tr>\n"));
}

TEST(AnnotatedHtml, colours_lines_by_their_share_of_the_hottest) {
    const Sampled sampled;
    const std::string page = sampled.page(sampled.source);
    EXPECT_TRUE(
        has(page, "<tr id=\"f1l2\" class=\"h10\"><td class=\"h10\">80</td><td class=\"h10\">80.00</td>"));
    EXPECT_TRUE(has(page, "<tr id=\"f1l30\" class=\"h3\"><td class=\"h3\">5</td>"));
}

TEST(AnnotatedHtml, shows_inclusive_counts_and_folds_libraries) {
    Annotation annotation;
    annotation.totals = {100};
    annotation.head.columns = {{"E", 100, 0, {}, {}, {}}};
    annotation.is_inclusive = true;
    annotation.files = {{"/src/a.c", {5}, {{2, {5}}}, {}, {}, {80}, {{2, {5}}, {30, {80}}}},
                        {"/usr/include/b.h", {75}, {}, {}, {}, {75}, {{1, {75}}}, SourceOrigin::library}};
    const AnnotatedSource sources[] = {{&annotation.files[0], std::nullopt},
                                       {&annotation.files[1], std::nullopt}};
    const std::string page = annotated_html(annotation, sources, "opannotate --html");
    EXPECT_TRUE(
        has(page, "<td>5</td><td>5.00</td><td>80</td><td>80.00</td><td class=\"text\"><a href=\"#f1\">"));
    EXPECT_TRUE(has(page, "<a href=\"#f1l30\">30</a> <a href=\"#f1l2\">2</a>")) << "hottest lines";
    EXPECT_TRUE(has(page, "<tr id=\"f1l30\" class=\"h10\"><td></td><td></td><td class=\"h10\">80</td>"));
    EXPECT_EQ(count(page, "<details>"), 1u);
    EXPECT_TRUE(has(page,
                    "</h2>\n<p class=\"none\">The source is not found: its functions and lines with "
                    "samples.</p>\n<details>"));
}

TEST(AnnotatedHtml, leaves_out_what_is_far_from_samples_in_a_library) {
    Sampled sampled;
    sampled.annotation.is_inclusive = true;
    sampled.annotation.files = {{"/src/own.c", {5}, {}, {}, {}, {80}}};
    sampled.file.origin = SourceOrigin::library;
    sampled.file.inclusive_total = sampled.file.totals;
    sampled.file.inclusive = sampled.file.lines;
    const std::string page = sampled.page(sampled.source);
    EXPECT_EQ(count(page, "<tr id=\"f1l"), 21u);
    EXPECT_EQ(count(page, "<tbody class=\"far\">"), 0u);
    EXPECT_EQ(count(page, "<tr class=\"gap\">"), 2u);
    EXPECT_TRUE(has(page, ">… 15 lines</td></tr>\n</tbody>\n<tbody>\n<tr id=\"f1l24\">"));
    EXPECT_EQ(count(page, "<tbody"), count(page, "</tbody>"));
}

TEST(AnnotatedHtml, names_functions_where_they_begin) {
    const Sampled sampled;
    EXPECT_TRUE(has(sampled.page(sampled.source),
                    "line 2<span class=\"of\">work(int): 85 (85.00 %)</span></td></tr>"));
}

TEST(AnnotatedHtml, indexes_files_with_links_to_them_and_their_hottest_lines) {
    const Sampled sampled;
    EXPECT_TRUE(has(sampled.page(sampled.source),
                    "<td>85</td><td>85.00</td><td class=\"text\"><a href=\"#f1\">/src/a.c</a></td>"
                    "<td><a href=\"#f1l2\">2</a> <a href=\"#f1l30\">30</a></td>"));
}

TEST(AnnotatedHtml, folds_what_is_far_from_samples) {
    const Sampled sampled;
    const std::string page = sampled.page(sampled.source);
    // Lines 1 to 8, 24 to 36 are near; 15 and 4 lines are not.
    EXPECT_EQ(count(page, "<tbody class=\"far\">"), 2u);
    EXPECT_TRUE(has(page, ">… 15 lines</td></tr>\n</tbody>\n<tbody class=\"far\">\n<tr id=\"f1l9\">"));
    EXPECT_TRUE(has(page, ">… 4 lines</td></tr>\n</tbody>\n<tbody class=\"far\">\n<tr id=\"f1l37\">"));
    EXPECT_EQ(count(page, "<tbody"), count(page, "</tbody>"));
}

TEST(AnnotatedHtml, lists_what_is_known_of_a_source_that_is_not_there) {
    const Sampled sampled;
    const std::string page = sampled.page(std::nullopt);
    EXPECT_EQ(count(page, "<tr id=\"f1l"), 2u);
    EXPECT_TRUE(has(page, "not found"));
    EXPECT_TRUE(has(page, "work(int): 85"));
}

TEST(AnnotatedHtml, loses_no_samples_beyond_the_end_of_the_file_or_without_a_line) {
    Sampled sampled;
    sampled.file.lines[0] = {1};
    const std::string page = sampled.page("one line");
    for (const char* row :
         {"<tr id=\"f1l0\" class", "<tr id=\"f1l1\">", "<tr id=\"f1l2\" class", "<tr id=\"f1l30\" class"})
        EXPECT_TRUE(has(page, row)) << row;
    EXPECT_EQ(count(page, "<tr id=\"f1l"), 4u);
}

TEST(AnnotatedHtml, has_cells_for_every_column) {
    Sampled sampled;
    sampled.annotation.totals = {100, 10};
    sampled.annotation.head.columns.push_back({"F", 7, 0, {}, {}, {}});
    sampled.file = {"/src/a.c", {85, 10}, {{2, {80, 0}}, {30, {5, 10}}}, {{"work(int)", 2, {85, 10}}}};
    const std::string page = sampled.page(sampled.source);
    EXPECT_TRUE(has(page, "<th scope=\"col\">E:100</th><th scope=\"col\">%</th><th scope=\"col\">F:7</th>"));
    EXPECT_TRUE(has(page, "<td class=\"h9\">80</td><td class=\"h9\">80.00</td><td></td><td></td>"));
    EXPECT_TRUE(has(page, "<td class=\"h3\">5</td><td class=\"h3\">5.00</td><td class=\"h10\">10</td>"));
}

TEST(AnnotatedHtml, lets_nothing_foreign_become_markup) {
    Sampled sampled;
    const std::string evil = "<script>alert(1)</script>\"' onload=x &amp; \xff\xc0\xbc\x1b[2J";
    sampled.file.path = "/src/" + evil;
    const std::string name = evil;
    sampled.file.symbols[0].name = name;
    sampled.annotation.head.columns[0].event = evil;
    sampled.annotation.head.cpu_name = evil;
    const AnnotatedSource sources[] = {{&sampled.file, evil + "\r\n" + evil + std::string("\0\n", 2)}};
    const std::string page = annotated_html(sampled.annotation, sources, evil);
    EXPECT_FALSE(has(page, "<script"));
    EXPECT_FALSE(has(page, "\xff"));
    EXPECT_FALSE(has(page, "\xc0"));
    EXPECT_FALSE(has(page, "\r"));
    EXPECT_FALSE(has(page, "\x1b"));
    EXPECT_FALSE(has(page, std::string_view("\0", 1)));
    EXPECT_GE(count(page, "&lt;script&gt;alert(1)&lt;/script&gt;&quot;' onload=x &amp;amp;"), 6u);
}

TEST(AnnotatedHtml, needs_nothing_from_elsewhere) {
    const Sampled sampled;
    const std::string page = sampled.page(sampled.source);
    for (const char* part : {"http:", "https:", "src=", "url(", "@import", "<link", "<script"})
        EXPECT_FALSE(has(page, part)) << part;
    EXPECT_TRUE(has(page, "default-src 'none'"));
}

TEST(AnnotatedHtml, has_a_note_if_there_is_nothing) {
    Sampled sampled;
    EXPECT_TRUE(
        has(annotated_html(sampled.annotation, {}, "opannotate --html"), "No source file has samples."));
}

}  // namespace op::pp
