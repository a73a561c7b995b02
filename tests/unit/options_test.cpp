// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/shared/options.h"

#include <gtest/gtest.h>

#include "libop/base/error.h"
#include "utils/report_options.h"

namespace op::tool {

namespace {

using Words = std::vector<std::string>;

struct Targets {
    bool flag = false;
    std::string text;
    std::vector<std::string> list;
    std::optional<uint64_t> number;

    ParsedOptions parse(Words words, bool stop_at_first_word = false) {
        CommandSyntax syntax;
        syntax.synopsis = "[WORD...]";
        syntax.options = {{"flag", 'f', &flag, "a flag"},
                          {"text", 't', &text, "a text", "TEXT"},
                          {"list", 'l', &list, "a list", "LIST"},
                          {"number", 'n', &number, "a number", "N"}};
        syntax.stop_at_first_word = stop_at_first_word;
        words.insert(words.begin(), "tool");
        std::vector<char*> argv;
        for (auto& word : words)
            argv.push_back(word.data());
        argv.push_back(nullptr);
        return parse_options(static_cast<int>(words.size()), argv.data(), syntax);
    }
};

}  // namespace

TEST(Options, may_be_anywhere_and_in_every_spelling) {
    Targets t;
    const auto parsed = t.parse({"one", "-ft", "x", "--list=a,b", "two", "--list", "c\\,d", "-n0x10"});
    EXPECT_FALSE(parsed.exit_status);
    EXPECT_EQ(parsed.words, (Words{"one", "two"}));
    EXPECT_TRUE(t.flag);
    EXPECT_EQ(t.text, "x");
    EXPECT_EQ(t.list, (Words{"a", "b", "c,d"}));
    EXPECT_EQ(t.number, 16u);
}

TEST(Options, may_be_given_by_the_beginning_of_their_name_that_no_other_has) {
    Targets t;
    EXPECT_EQ(t.parse({"--fl", "--te=x=y", "--num", "3", "--", "--fl", "--li"}).words,
              (Words{"--fl", "--li"}));
    EXPECT_TRUE(t.flag);
    EXPECT_EQ(t.text, "x=y");
    EXPECT_EQ(t.number, 3u);
    testing::internal::CaptureStderr();
    EXPECT_EQ(Targets{}.parse({"--ve", "--version"}).exit_status, 0);
    EXPECT_EQ(Targets{}.parse({"--u", "--xy"}).exit_status, 0) << "--usage comes first";
    EXPECT_EQ(Targets{}.parse({"--f", "--x"}).exit_status, 1);
    EXPECT_TRUE(testing::internal::GetCapturedStderr().starts_with("tool: --x: "));
}

TEST(Options, are_not_completed_where_names_have_to_be_exact_or_may_lack_a_dash) {
    bool info = false;
    std::string servers;
    CommandSyntax syntax;
    syntax.synopsis = "";
    syntax.options = {{"debug-info", 0, &info, "lines"}, {"debuginfod", 0, &servers, "servers", "URL"}};
    const auto status = [&](std::string word) {
        char name[] = "tool";
        char* argv[] = {name, word.data(), nullptr};
        testing::internal::CaptureStderr();
        const ParsedOptions parsed = parse_options(2, argv, syntax);
        testing::internal::GetCapturedStderr();
        return parsed.exit_status.value_or(0);
    };
    EXPECT_EQ(status("--debuginfo=x"), 1);
    EXPECT_EQ(status("--debug-i"), 0);
    EXPECT_TRUE(info);
    syntax.has_exact_names = true;
    EXPECT_EQ(status("--debug-i"), 1);
    EXPECT_EQ(servers, "");
}

TEST(Options, after_two_dashes_are_words) {
    Targets t;
    EXPECT_EQ(t.parse({"--", "-f"}).words, Words{"-f"});
    EXPECT_FALSE(t.flag);
}

TEST(Options, after_the_profiled_command_are_its_own) {
    Targets t;
    EXPECT_EQ(t.parse({"--fl", "ls", "-n", "--te"}, true).words, (Words{"ls", "-n", "--te"}));
    EXPECT_TRUE(t.flag);
}

TEST(Options, a_bad_one_is_explained_in_one_line_that_names_the_help) {
    for (const Words& words : {Words{"-z"}, Words{"--flag=1"}, Words{"--text"}}) {
        Targets t;
        testing::internal::CaptureStderr();
        EXPECT_EQ(t.parse(words).exit_status, 1);
        const std::string said = testing::internal::GetCapturedStderr();
        EXPECT_TRUE(said.starts_with("tool: " + words[0] + ": ")) << said;
        EXPECT_TRUE(said.ends_with("; see tool --help\n")) << said;
        EXPECT_EQ(said.find('\n'), said.size() - 1) << said;
    }
}

TEST(Options, help_usage_and_version_end_well) {
    for (const char* word : {"--help", "-?", "-h", "--usage", "--version", "-v"}) {
        Targets t;
        testing::internal::CaptureStdout();
        EXPECT_EQ(t.parse({word}).exit_status, 0) << word;
        EXPECT_NE(testing::internal::GetCapturedStdout(), "") << word;
    }
}

TEST(Options, a_number_must_be_one) {
    Targets t;
    EXPECT_THROW(t.parse({"-n", "many"}), Error);
    EXPECT_THROW(t.parse({"-n", "-1"}), Error);
}

TEST(Threshold, is_a_percentage) {
    EXPECT_EQ(parse_threshold(""), 0);
    EXPECT_EQ(parse_threshold("0.5"), 0.5);
    EXPECT_EQ(parse_threshold("100"), 100);
    for (const char* text : {"-1", "100.1", "nan", "many", "5%", "1e3"})
        EXPECT_THROW(parse_threshold(text), Error) << text;
}

}  // namespace op::tool
