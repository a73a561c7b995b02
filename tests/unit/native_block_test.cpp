// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/native_block.h"

#include <gtest/gtest.h>

#include "libop/base/error.h"

namespace op::fleet {
namespace {

using namespace std::string_literals;

const Table table = {"t", {{"a", "UInt8"}, {"b", "UInt16"}}, "", "", "a"};

}  // namespace

TEST(NativeBlock, has_the_values_of_each_column_together) {
    RowBinary rows;
    for (const uint8_t n : {1, 2, 3}) {
        rows.add_u8(n);
        rows.add_u16(static_cast<uint16_t>(0x100 + n));
        rows.end_row();
    }
    EXPECT_EQ(native_block(table, rows),
              "\x02\x03"
              "\x01"
              "a\x05UInt8\x01\x02\x03"
              "\x01"
              "b\x06UInt16\x01\x01\x02\x01\x03\x01"s);
}

TEST(NativeBlock, is_for_tables_of_numbers) {
    const RowBinary none;
    EXPECT_TRUE(native_block(schema_table("samples"), none));
    EXPECT_TRUE(native_block(schema_table("stack_samples"), none));
    EXPECT_TRUE(native_block(schema_table("stacks"), none));
    EXPECT_FALSE(native_block(schema_table("images"), none));
}

TEST(NativeBlock, refuses_rows_of_another_length) {
    RowBinary rows;
    rows.add_u8(1);
    rows.end_row();
    EXPECT_THROW(native_block(table, rows), Error);
}

}  // namespace op::fleet
