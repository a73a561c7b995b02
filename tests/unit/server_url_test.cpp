// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/server_url.h"

#include <gtest/gtest.h>

#include "libop/base/error.h"

namespace op::fleet {
namespace {

std::string refusal(std::string_view text, bool may_be_plain = false) {
    try {
        parse_server_url(text, may_be_plain);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        return error.what();
    }
    return "";
}

}  // namespace

TEST(ServerUrl, has_user_host_port_and_database) {
    const ServerUrl url = parse_server_url("https://push@db.example:9443/fleet_1", false);
    EXPECT_EQ(url, (ServerUrl{true, "push", "db.example", 9443, "fleet_1"}));
    EXPECT_EQ(url.base(), "https://db.example:9443/");
    EXPECT_EQ(url.text(), "https://push@db.example:9443/fleet_1");
}

TEST(ServerUrl, what_is_left_out_has_a_default) {
    EXPECT_EQ(parse_server_url("https://h", false), (ServerUrl{true, "default", "h", 8443, "oprofile"}));
    EXPECT_EQ(parse_server_url("https://h/", false).database, "oprofile");
    EXPECT_EQ(parse_server_url("http://127.0.0.1", false).port, 8123);
}

TEST(ServerUrl, an_address_of_ipv6_is_in_brackets) {
    const ServerUrl url = parse_server_url("https://u@[2001:db8::1]:1/d", false);
    EXPECT_EQ(url.host, "2001:db8::1");
    EXPECT_EQ(url.text(), "https://u@[2001:db8::1]:1/d");
    EXPECT_EQ(parse_server_url(url.text(), false), url);
}

TEST(ServerUrl, plain_http_is_for_this_machine_or_on_request) {
    for (const char* text :
         {"http://localhost/d", "http://127.0.0.1:1/d", "http://127.9.9.9/d", "http://[::1]/d"})
        EXPECT_EQ(refusal(text), "") << text;
    for (const char* text : {"http://h/d", "http://127.0.0.1.example/d", "http://127.0.0.256/d",
                             "http://10.0.0.1/d", "http://localhost.example/d", "http://[::2]/d"}) {
        EXPECT_NE(refusal(text).find("plain http"), std::string::npos) << text;
        EXPECT_EQ(refusal(text, true), "") << text;
    }
}

TEST(ServerUrl, a_password_is_refused_and_not_repeated) {
    for (const char* text :
         {"https://u:secret@h/d", "https://u:secret@h:1/d", "u:secret@h", "https://:secret@h",
          "ftp://u:secret@h/", "https://u:secret:x@h", "https://u:a@secret@h/d"}) {
        EXPECT_NE(refusal(text), "") << text;
        EXPECT_EQ(refusal(text).find("secret"), std::string::npos) << text;
    }
}

TEST(ServerUrl, what_is_no_address_is_refused) {
    for (const char* text : {"",
                             "https://",
                             "https:///d",
                             "ftp://h/d",
                             "h/d",
                             "https://h:0/d",
                             "https://h:65536/d",
                             "https://h:/d",
                             "https://h:x/d",
                             "https://h/d;DROP",
                             "https://h/1d",
                             "https://h/d/e",
                             "https://h/d?x=1",
                             "https://a b/d",
                             "https://@h/d",
                             "https://u'@h/d",
                             "https://[::1/d",
                             "https://[]/d",
                             "https://[::1]x/d",
                             "https://h\n/d"})
        EXPECT_NE(refusal(text), "") << text;
}

}  // namespace op::fleet
