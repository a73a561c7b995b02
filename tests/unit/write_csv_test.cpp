// SPDX-License-Identifier: GPL-2.0-or-later
// Names that a spreadsheet would take for formulas; whole reports are in tests/golden/opreport.
#include <gtest/gtest.h>

#include "libpp/report/writer.h"

namespace op::pp {

namespace {

/// Of 9 samples of 9: n / (n + z^2), as for every share of all samples.
constexpr const char* bounds_of_9 = "70.085495,100.000000";

ReportHead headless() {
    ReportHead head;
    head.is_shown = false;
    head.columns = {{"CPU_CLK_UNHALTED", 100000, 0, {}, {}, {}}};
    return head;
}

SymbolReport symbol_named(std::string_view name) {
    SymbolReport report;
    report.head = headless();
    report.columns.images = {"/bin/demo"};
    report.totals = {9};
    report.rows = {{0, 0, LinkAddress{0x400100}, name, std::nullopt}};
    report.counts = {9};
    return report;
}

std::string write_csv(const Report& report) {
    return find_writer("csv")->write(report, {});
}

}  // namespace

TEST(CsvWriter, names_that_begin_like_formulas_follow_an_apostrophe) {
    const auto line = [](const std::string& cell) {
        return "/bin/demo,/bin/demo," + cell + ",0x400100,9," + bounds_of_9 + "\n";
    };
    EXPECT_EQ(write_csv(symbol_named("=1+1")), line("'=1+1"));
    EXPECT_EQ(write_csv(symbol_named("@SUM(A1)")), line("'@SUM(A1)"));
    EXPECT_EQ(write_csv(symbol_named("+[Class method]")), line("'+[Class method]"));
    EXPECT_EQ(write_csv(symbol_named("-[Class method]")), line("'-[Class method]"));
    EXPECT_EQ(write_csv(symbol_named("=A1,\"x\"")), line("\"'=A1,\"\"x\"\"\"")) << "in quotes as well";
    EXPECT_EQ(write_csv(symbol_named("\t=1")), line("?=1"));
    EXPECT_EQ(write_csv(symbol_named("\r=1")), line("?=1"));
}

TEST(CsvWriter, other_names_are_written_as_they_are) {
    for (const char* const name : {"work", "operator=", "operator-", "'quoted'", "a=b", ""})
        EXPECT_EQ(write_csv(symbol_named(name)),
                  "/bin/demo,/bin/demo," + std::string(name) + ",0x400100,9," + bounds_of_9 + "\n");
}

TEST(CsvWriter, names_of_images_and_source_files_are_guarded_too) {
    SymbolReport report = symbol_named("work");
    report.columns.images = {"=image"};
    report.columns.has_lines = true;
    report.rows[0].line = SourceLine{"-file.c", 7};
    EXPECT_EQ(write_csv(report),
              std::string("'=image,'=image,work,0x400100,'-file.c,7,9,") + bounds_of_9 + "\n");
    ImageReport images;
    images.head = headless();
    images.rows = {{"@app", {3}, {3}, {}}};
    EXPECT_EQ(write_csv(images), "'@app,'@app,3,43.850297,100.000000\n");
}

TEST(CsvWriter, differences_remain_numbers) {
    SymbolReport report = symbol_named("=work");
    report.differences = {{Difference::Kind::changed, -12.5, 1e-9, {-20, -5}, true, -12}};
    report.counts_before = {10};
    report.totals_before = {10};
    EXPECT_EQ(
        write_csv(report),
        "/bin/demo,/bin/demo,'=work,0x400100,9,10,-12.500000,-12.000000,-20.000000,-5.000000,1e-09,true\n");
}

}  // namespace op::pp
