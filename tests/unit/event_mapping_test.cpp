// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/events/event_mapping.h"

#include <gtest/gtest.h>

#include "tests/unit/faults.h"

namespace op {

namespace {

std::string fault(const char* text) {
    return test::fault(ErrorKind::input, [&] { parse_event_mappings(text, "m"); });
}

}  // namespace

TEST(EventMapping, a_line_is_an_event_with_three_registers) {
    const auto mappings = parse_event_mappings(
        "# comment\nevent:0x1 mmcr0:0xFFFFFFFFFFFFFFFF mmcr1:0x2 mmcra:0x0 # more\n", "m");
    ASSERT_EQ(mappings.size(), 1u);
    EXPECT_EQ(mappings.at(1), (EventMapping{UINT64_MAX, 2, 0}));
    EXPECT_EQ(to_text(mappings.at(1)), "mmcr0:0xffffffffffffffff mmcr1:0x2 mmcra:0x0");
}

TEST(EventMapping, faults_are_reported_with_their_line) {
    EXPECT_EQ(fault("event:0x1 mmcr0:0x1 mmcr1:0x2\n"), "m:1: no tag 'mmcra:'");
    EXPECT_EQ(fault("event:0x1 mmcr0:1 mmcr1:0x2 mmcra:0x0\n"),
              "m:1: '1' is no hexadecimal number of 64 bits, 0xNN");
    EXPECT_EQ(fault("event:0x1 mmcr0:0x1 mmcr1:0x2 mmcra:0x0\nevent:0x1 mmcr0:0x1 mmcr1:0x2 mmcra:0x0\n"),
              "m:2: event 0x1 has a mapping already");
}

}  // namespace op
