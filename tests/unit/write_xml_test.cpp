// SPDX-License-Identifier: GPL-2.0-or-later
// The layout to the letter; whole reports are in tests/golden/opreport, their schema in
// tests/e2e/xml_test.sh.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "libop/events/cpu_model.h"
#include "libpp/report/writer.h"
#include "libpp/report/xml_document.h"

namespace op::pp {

namespace {

ReportHead head(std::vector<ProfileClass> columns) {
    ReportHead result;
    result.cpu_type = "i386/core_2";
    result.cpu_speed_mhz = 2394.049;
    result.columns = std::move(columns);
    result.request.command = "opreport -X";
    return result;
}

ProfileClass plain() {
    return {"CPU_CLK_UNHALTED", 100000, 0, {}, {}, {}};
}

SymbolReport symbols() {
    SymbolReport report;
    report.head = head({plain()});
    report.columns.images = {"/bin/demo", "/lib/libdemo.so"};
    report.totals = {10};
    report.rows = {{0, 0, LinkAddress{0x400100}, "work", std::nullopt},
                   {1, 0, LinkAddress{0x200}, "hot", std::nullopt}};
    report.counts = {9, 1};
    return report;
}

std::string write_xml(const Report& report) {
    return find_writer("xml")->write(report, {});
}

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != text.npos;
}

}  // namespace

TEST(XmlWriter, is_by_application_and_in_the_table) {
    ASSERT_NE(find_writer("xml"), nullptr);
    EXPECT_TRUE(find_writer("xml")->is_by_application);
    EXPECT_FALSE(find_writer("xml")->is_for_people);
}

TEST(XmlWriter, puts_tags_and_texts_on_lines_of_their_own) {
    EXPECT_EQ(write_xml(symbols()),
              "<?xml version=\"1.0\" ?>\n"
              "<profile  schemaversion=\"3.1\" cputype=\"i386\" processor=\"core_2\" mhz=\"2394.05\" "
              "title=\"opreport -X \">\n"
              "<options/>\n"
              "<setup>\n"
              "<eventsetup  id=\"0\" eventname=\"CPU_CLK_UNHALTED\" unitmask=\"0\" setupcount=\"100000\"/>\n"
              "</setup>\n"
              "\n"
              "<binary  name=\"/bin/demo\">\n"
              "<count>\n9\n</count>\n"
              "<symbol  idref=\"0\">\n<count>\n9\n</count>\n</symbol>\n"
              "<module  name=\"/lib/libdemo.so\">\n"
              "<count>\n1\n</count>\n"
              "<symbol  idref=\"1\">\n<count>\n1\n</count>\n</symbol>\n"
              "</module>\n"
              "</binary>\n"
              "<symboltable>\n"
              "<symboldata  id=\"0\" name=\"work\" startingaddr=\"00400100\"/>\n"
              "<symboldata  id=\"1\" name=\"hot\" startingaddr=\"00000200\"/>\n"
              "</symboltable>\n"
              "</profile>\n");
}

TEST(XmlWriter, image_reports_have_modules_without_symbols) {
    ImageReport report{head({plain()}), {}};
    report.rows = {{"/bin/demo", {7}, {7}, {{"/bin/demo", {5}, {7}, {}}, {"/lib/l", {2}, {7}, {}}}}};
    const std::string text = write_xml(report);
    EXPECT_TRUE(
        has(text,
            "<binary  name=\"/bin/demo\">\n<count>\n5\n</count>\n<module  name=\"/lib/l\">\n<count>\n2\n"
            "</count>\n</module>\n</binary>\n<symboltable>\n</symboltable>\n"));
}

TEST(XmlWriter, records_the_request) {
    SymbolReport report = symbols();
    report.head.request = {.command = "opreport",
                           .sessions = {"a", "b"},
                           .image_paths = {"/p"},
                           .merge = {"lib"},
                           .include_symbols = {"x"},
                           .exclude_symbols = {"<y>"},
                           .debug_info = true,
                           .details = true,
                           .exclude_dependent = true};
    EXPECT_TRUE(
        has(write_xml(report),
            "<options  session=\"a,b\" debuginfo=\"true\" details=\"true\" imagepath=\"/p\" merge=\"lib\" "
            "excludedependent=\"true\" excludesymbols=\"&lt;y&gt;\" includesymbols=\"x\"/>\n"));
}

TEST(XmlWriter, remarks_follow_the_events) {
    SymbolReport report = symbols();
    report.head.remarks = {"E:1 ran 50 % of <all>", "another"};
    EXPECT_TRUE(has(write_xml(report),
                    "setupcount=\"100000\"/>\n<remark  text=\"E:1 ran 50 % of &lt;all&gt;\"/>\n<remark  "
                    "text=\"another\"/>\n</setup>\n"));
    report.head.is_timer = true;
    EXPECT_TRUE(has(write_xml(report), "<timersetup  rtcinterrupts=\"100000\"/>\n<remark  text=\"E:1 "));
}

TEST(XmlWriter, unknown_speeds_and_cpu_types_are_no_obstacle) {
    SymbolReport report = symbols();
    report.head.cpu_type.clear();
    for (const double mhz : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
        report.head.cpu_speed_mhz = mhz;
        EXPECT_TRUE(has(write_xml(report), "cputype=\"unknown\" mhz=\"0.00\""));
    }
    report.head.cpu_speed_mhz = 1e308;
    EXPECT_TRUE(has(write_xml(report), ".00\" title"));
}

TEST(XmlColumns, one_class_without_a_unit_mask_needs_no_name) {
    const ReportHead one = head({plain()});
    const XmlColumns columns(one);
    EXPECT_EQ(columns.classes_element(), "");
    const std::array<uint64_t, 1> counts{3};
    EXPECT_EQ(columns.counts(counts.data(), columns.all()), "<count>\n3\n</count>\n");
    EXPECT_EQ(columns.counts(counts.data(), columns.all(), true), "<count  class=\"\">\n3\n</count>\n");
}

TEST(XmlColumns, a_unit_mask_makes_a_class) {
    ReportHead one = head({plain()});
    one.columns[0].unit_mask = 65;
    EXPECT_EQ(XmlColumns(one).classes_element(),
              "<classes>\n<class  name=\"c0\" mask=\"65\"/>\n</classes>\n");
}

TEST(XmlColumns, classes_are_combinations_of_cpu_and_event) {
    const ReportHead several =
        head({{"A", 10, 0, {}, {}, 0}, {"A", 20, 0, {}, {}, 0}, {"A", 20, 0, {}, {}, 3}});
    const XmlColumns columns(several);
    EXPECT_EQ(columns.separated_cpus(), 2u);
    EXPECT_EQ(columns.classes_element(),
              "<classes>\n<class  name=\"c0\" cpu=\"0\" event=\"0\"/>\n<class  name=\"c1\" cpu=\"0\" "
              "event=\"1\"/>\n"
              "<class  name=\"c2\" cpu=\"3\" event=\"1\"/>\n</classes>\n");
    const std::array<uint64_t, 3> counts{1, 0, 2};
    EXPECT_EQ(columns.counts(counts.data(), columns.all()),
              "<count  class=\"c0\">\n1\n</count>\n<count  class=\"c2\">\n2\n</count>\n");
}

TEST(XmlColumns, threads_of_a_process_share_classes) {
    const ReportHead threads =
        head({{"A", 10, 0, 7, 7, {}}, {"A", 10, 0, 7, 8, {}}, {"A", 10, 0, 9, {}, {}}});
    const XmlColumns columns(threads);
    ASSERT_TRUE(columns.has_threads());
    ASSERT_EQ(columns.processes().size(), 2u);
    const auto& process = columns.processes().at(7);
    EXPECT_EQ(process.threads.at(8), View{1});
    const std::array<uint64_t, 3> counts{1, 2, 4};
    EXPECT_EQ(columns.counts(counts.data(), process.columns), "<count>\n3\n</count>\n");
}

TEST(XmlColumns, the_timer_has_a_setup_of_its_own) {
    ReportHead timer = head({{"TIMER", 1000, 0, {}, {}, {}}});
    timer.cpu_type = "timer";
    timer.is_timer = true;
    EXPECT_EQ(XmlColumns(timer).setup_element(),
              "<setup>\n<timersetup  rtcinterrupts=\"1000\"/>\n</setup>\n");
    timer.columns.push_back({"TIMER", 2000, 0, {}, {}, {}});
    EXPECT_EQ(XmlColumns(timer).setup_element(),
              "<setup>\n<eventsetup  id=\"0\" eventname=\"TIMER\" unitmask=\"0\" setupcount=\"1000\"/>\n"
              "<eventsetup  id=\"1\" eventname=\"TIMER\" unitmask=\"0\" setupcount=\"2000\"/>\n</setup>\n");
}

}  // namespace op::pp
