// SPDX-License-Identifier: GPL-2.0-or-later
// The message of an action that must fail.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "libop/base/error.h"

namespace op::test {

/// The message of the op::Error that `action` throws, which must be of `kind`; empty if it throws none.
template <class Action>
std::string fault(ErrorKind kind, Action action) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
        return error.what();
    }
    return "";
}

inline bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != text.npos;
}

}  // namespace op::test
