// SPDX-License-Identifier: GPL-2.0-or-later
// Requests to a child process.
#include "utils/shared/helper.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "libop/base/error.h"

namespace op::tool {

TEST(Helper, answers_every_request_in_a_process_of_its_own) {
    Helper helper([n = 0](std::string_view request) mutable {
        return std::to_string(++n) + ":" + std::to_string(::getppid()) + ":" + std::string(request);
    });
    const std::string parent = std::to_string(::getpid());
    EXPECT_EQ(helper.ask("a"), "1:" + parent + ":a");
    EXPECT_EQ(helper.ask(""), "2:" + parent + ":");
}

TEST(Helper, carries_any_bytes_of_any_length) {
    Helper helper([](std::string_view request) { return std::string(request.rbegin(), request.rend()); });
    std::string text(3'000'000, '\0');
    text.back() = '\n';
    EXPECT_EQ(helper.ask(text), std::string(text.rbegin(), text.rend()));
}

TEST(Helper, error_of_the_child_is_thrown_with_its_kind_and_code) {
    Helper helper([](std::string_view) -> std::string { throw_system("cannot write x", ENOSPC); });
    try {
        helper.ask("x");
        FAIL() << "nothing thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::system);
        EXPECT_EQ(error.code(), ENOSPC);
        EXPECT_STREQ(error.what(), "cannot write x: No space left on device");
    }
}

TEST(Helper, that_is_gone_is_an_error_and_no_signal) {
    Helper helper([](std::string_view) -> std::string { ::_exit(0); });
    for (int i = 0; i < 2; ++i)
        EXPECT_THROW(helper.ask("x"), Error);
}

}  // namespace op::tool
