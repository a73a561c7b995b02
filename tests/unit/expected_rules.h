// SPDX-License-Identifier: GPL-2.0-or-later
// x86-64 code with the unwind rule that is expected at each of its instructions.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "daemon/unwind/unwind_rule.h"

namespace op::collect::test {

struct Instruction {
    std::vector<int> bytes;
    std::optional<int> cfa;      ///< rsp + this before it; none = not known, or it has a frame
    std::optional<int> fp = {};  ///< rsp + this is where the caller's rbp is; none = still in rbp
};

/// At each instruction of the function `find_rule` gives what is expected there.
inline void expect_rules(UnwindRule (*find_rule)(std::span<const std::byte> code, size_t at),
                         const std::vector<Instruction>& function) {
    std::vector<std::byte> code;
    for (const Instruction& each : function)
        for (const int byte : each.bytes)
            code.push_back(static_cast<std::byte>(byte));
    size_t at = 0;
    for (const Instruction& each : function) {
        const UnwindRule rule = find_rule(code, at);
        EXPECT_EQ(rule.cfa, each.cfa ? CfaFrom::sp : CfaFrom::no_info) << "at " << at;
        if (each.cfa) {
            EXPECT_EQ(rule.cfa_offset, *each.cfa) << "at " << at;
            EXPECT_EQ(rule.ra, SavedAt::cfa);
            EXPECT_EQ(rule.ra_offset, -8);
            EXPECT_EQ(rule.fp, each.fp ? SavedAt::sp : SavedAt::same) << "at " << at;
            EXPECT_EQ(rule.fp_offset, each.fp.value_or(0)) << "at " << at;
        }
        at += each.bytes.size();
    }
}

}  // namespace op::collect::test
