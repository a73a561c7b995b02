// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/selection.h"

#include <gtest/gtest.h>

namespace op::fleet {
namespace {

Chosen two_days() {
    Chosen chosen;
    chosen.from = *parse_day("2026-11-24");
    chosen.until = *parse_day("2026-11-25");
    return chosen;
}

TEST(Chosen, without_words_is_a_condition_on_days_and_event) {
    Chosen chosen = two_days();
    EXPECT_EQ(chosen.condition(), "day >= '2026-11-24' AND day <= '2026-11-25'");
    chosen.event.number = 18446744073709551615U;
    EXPECT_EQ(chosen.condition(),
              "day >= '2026-11-24' AND day <= '2026-11-25' AND event = 18446744073709551615");
    EXPECT_TRUE(chosen.tables().empty());
}

TEST(Chosen, refers_to_tables_that_go_along) {
    Chosen chosen = two_days();
    chosen.apps = {1, 2};
    chosen.images = {3};
    chosen.hosts = {4};
    chosen.release_images = {5};
    const std::string days = "day >= '2026-11-24' AND day <= '2026-11-25'";
    const std::string hosts = " AND host IN (SELECT value FROM chosen_hosts)";
    EXPECT_EQ(chosen.slice_condition(), days + hosts);
    EXPECT_EQ(chosen.condition(), days + hosts +
                                      " AND app IN (SELECT value FROM chosen_apps)"
                                      " AND image IN (SELECT value FROM chosen_images)"
                                      " AND (app IN (SELECT value FROM chosen_release_images)"
                                      " OR image IN (SELECT value FROM chosen_release_images))");
    EXPECT_EQ(chosen.condition(SampleTable::without_image),
              days + hosts +
                  " AND app IN (SELECT value FROM chosen_apps)"
                  " AND app IN (SELECT value FROM chosen_release_images)");
    std::vector<std::string> names;
    for (const InputTable& table : chosen.tables())
        names.push_back(table.name + ":" + std::to_string(table.rows.rows()));
    EXPECT_EQ(names, (std::vector<std::string>{"chosen_apps:2", "chosen_images:1", "chosen_hosts:1",
                                               "chosen_release_images:1"}));
}

TEST(FleetEvent, matches_the_beginning_of_its_specification) {
    const FleetEvent event{7, "CYCLES", 100000, 1, true, false};
    EXPECT_EQ(event.spec(), "CYCLES:100000:1:1:0");
    for (const char* words : {"", "CYCLES", "CYCLES:100000", "CYCLES:100000:1:1:0"})
        EXPECT_TRUE(event.matches(words)) << words;
    for (const char* words : {"CYC", "CYCLES:1", "cycles", "CYCLES:100000:1:1:0:", "CYCLES'"})
        EXPECT_FALSE(event.matches(words)) << words;
}

TEST(InputTable, has_hostile_words_in_its_body_only) {
    const std::vector<std::string> hostile = {"it's",
                                              "\\'",
                                              "a\"b",
                                              std::string("x\0y", 3),
                                              "line\nfeed\t",
                                              std::string(16384, '\''),
                                              "'); DROP TABLE samples --"};
    const InputTable table = input_strings("words", hostile);
    EXPECT_EQ(table.structure, "value String");
    RowBinary expected;
    for (const std::string& word : hostile)
        expected.add_string(word);
    EXPECT_EQ(table.rows.bytes(), expected.bytes());
    EXPECT_EQ(table.rows.rows(), hostile.size());
}

}  // namespace
}  // namespace op::fleet
