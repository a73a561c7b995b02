// SPDX-License-Identifier: GPL-2.0-or-later
// Requests to a child process.
#include "utils/shared/helper.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "libop/base/error.h"

namespace op::tool {

TEST(Helper, answers_every_request_in_a_process_of_its_own) {
    Diagnostics notes;
    Helper helper(
        [n = 0](std::string_view request) mutable {
            return std::to_string(++n) + ":" + std::to_string(::getppid()) + ":" + std::string(request);
        },
        notes);
    const std::string parent = std::to_string(::getpid());
    EXPECT_EQ(helper.ask("a"), "1:" + parent + ":a");
    EXPECT_EQ(helper.ask(""), "2:" + parent + ":");
}

TEST(Helper, carries_any_bytes_of_any_length) {
    Diagnostics notes;
    Helper helper([](std::string_view request) { return std::string(request.rbegin(), request.rend()); },
                  notes);
    std::string text(3'000'000, '\0');
    text.back() = '\n';
    EXPECT_EQ(helper.ask(text), std::string(text.rbegin(), text.rend()));
}

TEST(Helper, error_of_the_child_is_thrown_with_its_kind_and_code) {
    Diagnostics notes;
    Helper helper([](std::string_view) -> std::string { throw_system("cannot write x", ENOSPC); }, notes);
    try {
        helper.ask("x");
        FAIL() << "nothing thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::system);
        EXPECT_EQ(error.code(), ENOSPC);
        EXPECT_STREQ(error.what(), "cannot write x: No space left on device");
    }
}

TEST(Helper, notes_of_the_child_are_added_here_also_with_an_error) {
    Diagnostics notes;
    notes.warn("before");
    Helper helper(
        [&notes](std::string_view request) -> std::string {
            notes.warn("about " + std::string(request));
            notes.warn("always");
            if (request == "y") throw_input("no y");
            return "*";
        },
        notes);
    notes.take();
    EXPECT_EQ(helper.ask("x"), "*");
    EXPECT_EQ(notes.take(), (std::vector<std::string>{"about x", "always"}));
    EXPECT_THROW(helper.ask("y"), Error);
    EXPECT_EQ(notes.take(), std::vector<std::string>{"about y"});
}

TEST(Helper, that_is_gone_is_an_error_and_no_signal) {
    Diagnostics notes;
    Helper helper([](std::string_view) -> std::string { ::_exit(0); }, notes);
    for (int i = 0; i < 2; ++i)
        EXPECT_THROW(helper.ask("x"), Error);
}

}  // namespace op::tool
