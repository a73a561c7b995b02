// SPDX-License-Identifier: GPL-2.0-or-later
// The messages of system errors.
#include "libop/base/error.h"

#include <gtest/gtest.h>

namespace op {
namespace {

template <class Throw>
std::string message_of(const Throw& throws) {
    try {
        throws();
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing was thrown";
}

}  // namespace

TEST(Error, of_too_many_open_files_has_the_remedy) {
    EXPECT_EQ(message_of([] { throw_system("cannot open x", EMFILE); }),
              "cannot open x: Too many open files; raise the limit (ulimit -n)");
    EXPECT_EQ(message_of([] { throw_refused("cannot open x", "run as root", EMFILE); }),
              "cannot open x: Too many open files; raise the limit (ulimit -n)");
}

TEST(Error, of_a_refusal_has_the_remedy_that_it_is_given) {
    EXPECT_EQ(message_of([] { throw_refused("cannot open x", "run as root", EACCES); }),
              "cannot open x: Permission denied; run as root");
    EXPECT_EQ(message_of([] { throw_refused("cannot open x", "run as root", ENOENT); }),
              "cannot open x: No such file or directory");
    EXPECT_EQ(message_of([] { throw_system("cannot open x", EACCES); }), "cannot open x: Permission denied");
}

}  // namespace op
