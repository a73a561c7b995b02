// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "fleet/http.h"

namespace op::fleet {
namespace {

HttpAnswer head_of(std::initializer_list<std::string_view> lines) {
    HttpAnswer answer;
    for (const std::string_view line : lines)
        take_header(line, 1000, answer);
    return answer;
}

}  // namespace

TEST(HttpText, dates_are_seconds_since_the_epoch) {
    EXPECT_EQ(parse_http_date("Thu, 01 Jan 1970 00:00:00 GMT"), 0);
    EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), 784111777);
    EXPECT_EQ(parse_http_date("Tue, 25 Nov 2025 00:00:00 GMT"), 1764028800);
}

TEST(HttpText, refuses_what_is_no_date) {
    for (const char* text :
         {"", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 CET",
          "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT"})
        EXPECT_EQ(parse_http_date(text), std::nullopt) << text;
}

TEST(HttpText, date_and_retry_after_are_taken_from_the_head) {
    EXPECT_EQ(head_of({"DATE:  Sun, 06 Nov 1994 08:49:37 GMT\r\n"}).date, 784111777);
    EXPECT_EQ(head_of({"retry-after: 120\r\n"}).retry_after, 120u);
    EXPECT_EQ(head_of({"Retry-After: 99999999999\r\n"}).retry_after, 86400u);
    EXPECT_EQ(head_of({"Retry-After: soon\r\n"}).retry_after, std::nullopt);
    EXPECT_EQ(head_of({"X: 1\r\n", "nonsense", ""}).retry_after, std::nullopt);
}

TEST(HttpText, a_retry_after_that_is_a_date_counts_from_the_servers_clock) {
    EXPECT_EQ(head_of({"Date: Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After: Sun, 06 Nov 1994 08:50:37 GMT"})
                  .retry_after,
              60u);
    EXPECT_EQ(head_of({"Retry-After: Thu, 01 Jan 1970 00:16:50 GMT"}).retry_after, 10u);
    EXPECT_EQ(head_of({"Retry-After: Thu, 01 Jan 1970 00:00:00 GMT"}).retry_after, 0u);
}

TEST(HttpText, everything_special_is_escaped) {
    EXPECT_EQ(percent_encoded("aZ9-._~"), "aZ9-._~");
    EXPECT_EQ(percent_encoded("a b&c=\n\xff/"), "a%20b%26c%3d%0a%ff%2f");
}

}  // namespace op::fleet
