// SPDX-License-Identifier: GPL-2.0-or-later
// The tests of the window need Qt's event loop.
#include <gtest/gtest.h>

#include <QApplication>

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    const QApplication application(argc, argv);
    return RUN_ALL_TESTS();
}
