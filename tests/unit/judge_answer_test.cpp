// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "fleet/server.h"

namespace op::fleet {
namespace {

using enum Outcome::Verdict;

Outcome judged(int status, std::string body, bool has_to_be_empty = true) {
    HttpAnswer answer;
    answer.status = status;
    answer.body = std::move(body);
    return judge_answer(std::move(answer), has_to_be_empty);
}

constexpr const char* too_many_parts =
    "Code: 252, e.displayText() = DB::Exception: Too many parts (300), e.what() = DB::Exception\n";

}  // namespace

TEST(JudgeAnswer, an_empty_200_is_done) {
    EXPECT_EQ(judged(200, "").verdict, done);
}

TEST(JudgeAnswer, an_insert_must_have_an_empty_answer) {
    EXPECT_EQ(judged(200, too_many_parts).verdict, again);
    EXPECT_EQ(judged(200, too_many_parts).code, 252);
    EXPECT_EQ(judged(200, "welcome to the hotel's network").verdict, refused);
}

TEST(JudgeAnswer, a_query_may_end_in_an_error_after_its_rows) {
    EXPECT_EQ(judged(200, "a\n1\n", false).body, "a\n1\n");
    EXPECT_EQ(judged(200, std::string("a\n1\n") + too_many_parts, false).verdict, again);
    EXPECT_EQ(judged(200, "a\n1\nCode: 241. DB::Exception: Memory limit\n", false).code, 241);
    EXPECT_EQ(judged(200, "a\nCode: of conduct\n", false).verdict, done);
}

TEST(JudgeAnswer, busy_servers_are_asked_again) {
    for (const int status : {429, 502, 503, 504})
        EXPECT_EQ(judged(status, "<html>").verdict, again) << status;
    for (const char* code : {"202", "241", "252", "159", "209", "210", "242", "243", "999"})
        EXPECT_EQ(judged(500, std::string("Code: ") + code + ". DB::Exception: x").verdict, again) << code;
}

TEST(JudgeAnswer, a_disk_that_is_full_there_is_waited_for) {
    for (const char* text :
         {"Code: 75, e.displayText() = DB::Exception: Cannot write to file x, errno: 28, strerror: No space "
          "left on device",
          "Code: 1001. DB::Exception: std::filesystem::filesystem_error: No space left on device",
          "Code: 243, e.displayText() = DB::Exception: Cannot reserve 1.00 MiB, not enough space"})
        EXPECT_EQ(judged(500, text).verdict, again) << text;
    EXPECT_EQ(judged(500, "<html>No space left on device").verdict, refused) << "no error of ClickHouse";
}

TEST(JudgeAnswer, what_a_person_has_to_mend_is_refused) {
    for (const int status : {301, 302, 400, 401, 403, 404, 413, 500})
        EXPECT_EQ(judged(status, "").verdict, refused) << status;
    EXPECT_EQ(judged(404, "Code: 60, e.displayText() = DB::Exception: no table").code, 60);
    EXPECT_EQ(judged(500, "Code: 16. DB::Exception: no such column").verdict, refused);
}

TEST(JudgeAnswer, no_answer_is_asked_again_unless_that_is_useless) {
    HttpAnswer answer;
    answer.failure = "connection refused";
    EXPECT_EQ(judge_answer(answer, true).verdict, again);
    answer.is_final = true;
    EXPECT_EQ(judge_answer(answer, true).verdict, refused);
    EXPECT_EQ(judge_answer(answer, true).message, "connection refused");
}

TEST(JudgeAnswer, messages_are_one_short_printable_line) {
    EXPECT_EQ(judged(500, too_many_parts).message, "Code: 252 Too many parts (300)");
    EXPECT_EQ(judged(503, "a\x1b[2Jb\nc").message, "HTTP status 503: a?[2Jb");
    EXPECT_LT(judged(503, std::string(100000, 'x')).message.size(), 500u);
}

TEST(JudgeAnswer, the_server_may_ask_for_time) {
    HttpAnswer answer;
    answer.status = 429;
    answer.retry_after = 7;
    EXPECT_EQ(judge_answer(answer, true).retry_after, 7u);
}

TEST(ServerVersion, is_parsed_as_servers_report_it) {
    EXPECT_EQ(parse_server_version("18.16.1"), (ServerVersion{18, 16, 1}));
    EXPECT_EQ(parse_server_version("26.7.3.1-stable"), (ServerVersion{26, 7, 3}));
    EXPECT_EQ(parse_server_version("19.14"), (ServerVersion{19, 14, 0}));
    EXPECT_EQ(parse_server_version("x.1"), std::nullopt);
    EXPECT_EQ(parse_server_version("19"), std::nullopt);
    EXPECT_LT(*parse_server_version("18.16.1"), *parse_server_version("19.1.6"));
}

}  // namespace op::fleet
