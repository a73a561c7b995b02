// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "libop/base/error.h"

using namespace std::literals;

namespace op {

namespace {

Json parsed(std::string_view text, const JsonLimits& limits = {}) {
    return parse_json(text, "file", "list", limits);
}

std::string fault(std::string_view text, const JsonLimits& limits = {}) {
    try {
        parsed(text, limits);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        return error.what();
    }
    return "";
}

std::string line(Json value) {
    return json_text(std::move(value), {.indent = -1});
}

}  // namespace

TEST(Json, every_kind_survives_a_round_trip) {
    const std::string text =
        R"({"a":[],"b":{},"c":null,"d":true,"e":-9223372036854775808,"f":18446744073709551615,"g":0.1,"h":"\"\n"})";
    EXPECT_EQ(line(parsed(text)), text);
}

TEST(Json, values_are_read_by_kind) {
    const Json json = parsed(R"({"n": -1, "u": 7, "x": 1.5, "t": "s", "b": false, "l": [1]})");
    EXPECT_EQ(json.find("n")->unsigned_number(), std::nullopt);
    EXPECT_EQ(json.find("n")->number(), -1);
    EXPECT_EQ(json.find("u")->unsigned_number(), 7u);
    EXPECT_EQ(json.find("x")->unsigned_number(), std::nullopt);
    EXPECT_EQ(json.find("x")->number(), 1.5);
    EXPECT_EQ(*json.find("t")->if_string(), "s");
    EXPECT_FALSE(*json.find("b")->if_bool());
    EXPECT_EQ(json.find("l")->if_array()->size(), 1u);
    EXPECT_EQ(json.find("l")->if_object(), nullptr);
    EXPECT_EQ(json.find("none"), nullptr);
    EXPECT_EQ(json.find("t")->find("x"), nullptr) << "a string has no members";
}

TEST(Json, members_keep_their_order_and_null_takes_up_what_is_put_into_it) {
    Json json = {{"b", 1}, {"a", Json::object()}};
    json["a"]["z"] = "x";
    json["a"].add("y", true);
    json["list"].add(1u);
    json["list"].add(Json()).add("x");
    EXPECT_EQ(line(json), R"({"b":1,"a":{"z":"x","y":true},"list":[1,["x"]]})");
}

TEST(Json, text_is_indented_by_level_and_sorted_on_demand) {
    const Json json = {{"b", Json::Array{1, "x"}}, {"a", {{"d", 1.0}, {"c", Json()}}}};
    EXPECT_EQ(json_text(json, {.indent = 1, .indent_character = '\t', .sorts_members = true}),
              "{\n\t\"a\": {\n\t\t\"c\": null,\n\t\t\"d\": 1.0\n\t},\n\t\"b\": [\n\t\t1,\n\t\t\"x\"\n\t]\n}");
}

TEST(Json, the_last_member_of_a_name_wins) {
    EXPECT_EQ(line(parsed(R"({"b":1,"a":2,"b":3,"a":4,"b":5})")), R"({"a":4,"b":5})");
}

TEST(Json, invalid_utf8_and_infinite_numbers_are_replaced) {
    EXPECT_EQ(line("a\xff\xc3"), "\"a\xef\xbf\xbd\xef\xbf\xbd\"");
    EXPECT_EQ(line(std::nan("")), "null");
    EXPECT_EQ(line(std::numeric_limits<double>::infinity()), "null");
}

TEST(Json, characters_that_a_terminal_obeys_are_escaped) {
    EXPECT_EQ(json_text(Json("\x1b\x7f\u009b\u202ee"), {.indent = -1}), "\"\\u001b\\u007f\\u009b\\u202ee\"");
    EXPECT_EQ(json_text(Json("\u00e9\u20ac\U0001f600"), {.indent = -1}), "\"\u00e9\u20ac\U0001f600\"");
}

TEST(Json, damage_is_an_input_error_with_its_place) {
    EXPECT_EQ(fault("[1,]"), "file: invalid JSON at byte 4");
    EXPECT_EQ(fault("[1]x"), "file: invalid JSON at byte 4");
    EXPECT_EQ(fault("[1]\0"sv), "file: invalid JSON at byte 4");
    EXPECT_EQ(fault("\"\xff\""), "file: invalid JSON at byte 2");
    EXPECT_EQ(fault("[1e999]"), "file: invalid JSON, a number is out of range");
    EXPECT_NE(fault(""), "");
}

TEST(Json, limits_are_kept) {
    EXPECT_EQ(fault("[1, 2]", {.bytes = 6}), "");
    EXPECT_EQ(fault("[1, 2]", {.bytes = 5}), "file: too large for a list");
    EXPECT_EQ(fault("[1, 2]", {.values = 3}), "");
    EXPECT_EQ(fault("[1, 2]", {.values = 2}), "file: too large for a list");
    EXPECT_EQ(fault("[[1]]", {.depth = 2}), "");
    EXPECT_EQ(fault("[[1]]", {.depth = 1}), "file: nested too deeply for a list");
    EXPECT_EQ(fault("{\"a\":{\"b\":1}}", {.depth = 1}), "file: nested too deeply for a list");
    EXPECT_EQ(fault(std::string(1 << 20, '[')), "file: nested too deeply for a list");
}

}  // namespace op
