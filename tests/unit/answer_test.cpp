// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/opfleet/answer.h"

#include <gtest/gtest.h>

#include "libop/base/error.h"
#include "utils/opfleet/selection_options.h"

using namespace std::literals;

namespace op::tool {
namespace {

Answer example() {
    Answer answer;
    answer.kind = "top";
    answer.facts = {{"event", "CYCLES"}};
    answer.head = {"CYCLES on 2 hosts"};
    answer.remarks = {"1 slice is not complete"};
    answer.columns = {{"samples", "samples"}, {"percent", "%", 2}, {"hidden", ""}, {"name", "function"}};
    answer.rows = {{uint64_t{10}, 66.66666666, uint64_t{1}, "f(int, char)"s},
                   {uint64_t{5}, std::monostate{}, true, "=1+\"\n\x1b"s}};
    return answer;
}

TEST(Answer, as_text_has_its_remarks_above_the_table) {
    EXPECT_EQ(answer_text(example(), AnswerFormat::text),
              "CYCLES on 2 hosts\n"
              "1 slice is not complete\n"
              "samples      %  function\n"
              "     10  66.67  f(int, char)\n"
              "      5      -  =1+\"??\n");
}

TEST(Answer, as_csv_is_quoted_and_no_formula) {
    EXPECT_EQ(answer_text(example(), AnswerFormat::csv),
              "samples,percent,hidden,name\n"
              "10,66.6667,1,\"f(int, char)\"\n"
              "5,,true,\"'=1+\"\"??\"\n");
}

TEST(Answer, as_json_has_facts_remarks_and_named_cells) {
    const Json json = parse_json(answer_text(example(), AnswerFormat::json), "test", "answer", {});
    EXPECT_EQ(*json.find("kind")->if_string(), "top");
    EXPECT_EQ(*json.find("event")->if_string(), "CYCLES");
    EXPECT_EQ(json.find("remarks")->if_array()->size(), 1u);
    const Json::Array& rows = *json.find("rows")->if_array();
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].find("samples")->unsigned_number(), 10u);
    EXPECT_EQ(rows[0].find("percent")->number(), 66.6667);
    EXPECT_EQ(*rows[1].find("name")->if_string(), "=1+\"\n\x1b");
}

TEST(Answer, without_rows_has_the_heads_of_its_columns) {
    Answer answer = example();
    answer.rows.clear();
    EXPECT_EQ(answer_text(answer, AnswerFormat::csv), "samples,percent,hidden,name\n");
    EXPECT_TRUE(answer_text(answer, AnswerFormat::text).ends_with("samples  %  function\n"));
    EXPECT_NE(answer_text(answer, AnswerFormat::json).find("\"rows\": []"), std::string::npos);
}

TEST(AnswerOptions, refuse_an_unknown_format) {
    AnswerOptions options;
    EXPECT_EQ(options.checked_format(), AnswerFormat::text);
    options.format = "xml";
    EXPECT_THROW(options.checked_format(), Error);
}

TEST(SelectionOptions, have_days_that_there_are) {
    SelectionOptions options;
    EXPECT_FALSE(options.selection().from);
    options.day = "2026-11-25";
    const fleet::Selection one = options.selection();
    EXPECT_EQ(one.from->text(), "2026-11-25");
    EXPECT_EQ(one.until->text(), "2026-11-25");
    options.from = "2026-11-24";
    EXPECT_THROW(options.selection(), Error);  // both
    options.day = "";
    options.until = "2026-11-23";
    EXPECT_THROW(options.selection(), Error);  // the wrong way round
    options.until = "2026-02-30";
    EXPECT_THROW(options.selection(), Error);
    options.until = "'; DROP TABLE samples --";
    EXPECT_THROW(options.selection(), Error);
}

}  // namespace
}  // namespace op::tool
