// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the unit tests with a umask of their own: modes of files are claims of some, and what is private is
// not trusted.
#include <gtest/gtest.h>
#include <sys/stat.h>

int main(int argc, char** argv) {
    ::umask(022);
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
