// SPDX-License-Identifier: GPL-2.0-or-later
// The place of the files of tests/fixtures while the tests run.
#pragma once

#include <cstdlib>
#include <string>

namespace op::test {

/// Path of a file in tests/fixtures; make sets srcdir.
inline std::string fixture(const std::string& name) {
    const char* source = std::getenv("srcdir");
    return std::string(source ? source : ".") + "/tests/fixtures/" + name;
}

}  // namespace op::test
