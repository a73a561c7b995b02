// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/row_binary.h"

#include <gtest/gtest.h>

#include <vector>

using namespace std::literals;

namespace op::fleet {

TEST(RowBinary, numbers_are_little_endian) {
    RowBinary row;
    row.add_u8(0xfe);
    row.add_u16(0x0102);
    row.add_u32(0x01020304);
    row.add_u64(0x0102030405060708);
    row.add_i64(-2);
    row.add_f64(1.0);
    EXPECT_EQ(row.bytes(),
              "\xfe\x02\x01\x04\x03\x02\x01\x08\x07\x06\x05\x04\x03\x02\x01\xfe\xff\xff\xff\xff\xff\xff\xff"
              "\0\0\0\0\0\0\xf0\x3f"sv);
}

TEST(RowBinary, strings_are_any_bytes_after_their_length) {
    RowBinary row;
    row.add_string("a\0'\n"sv);
    row.add_string("");
    row.add_string(std::string(300, 'x'));
    EXPECT_EQ(row.bytes(), "\x04"s + "a\0'\n"s + "\0\xac\x02"s + std::string(300, 'x'));
}

TEST(RowBinary, a_list_has_its_length_before_it) {
    RowBinary row;
    const std::vector<std::string> texts = {"a", "bc"};
    row.add_strings(texts);
    row.add_strings({});
    EXPECT_EQ(row.bytes(), "\x02\x01"s + "a\x02" + "bc" + "\0"s);
}

TEST(RowBinary, dates_are_days_and_times_are_seconds_within_their_type) {
    RowBinary row;
    row.add_date(Day(0x4f2a));
    row.add_time(-5);
    row.add_time(int64_t{1} << 40);
    EXPECT_EQ(row.bytes(), "\x2a\x4f\0\0\0\0\xff\xff\xff\xff"sv);
}

TEST(RowBinary, counts_its_rows_until_it_is_cleared) {
    RowBinary rows;
    rows.add_u8(1);
    rows.end_row();
    rows.end_row();
    EXPECT_EQ(rows.rows(), 2u);
    rows.clear();
    EXPECT_EQ(rows.rows(), 0u);
    EXPECT_EQ(rows.bytes(), "");
}

}  // namespace op::fleet
