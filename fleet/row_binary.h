// SPDX-License-Identifier: GPL-2.0-or-later
// Rows as ClickHouse reads them in its format RowBinary: the values of a row one after the other, without
// names, types or separators. Numbers are little-endian.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "fleet/day.h"

namespace op::fleet {

/// A number whose bytes in memory are in little-endian order, from one of this machine, and back. No loop
/// where they are that anyway: every row of every push is made of these.
template <class Number>
Number little_endian(Number value) {
    if constexpr (std::endian::native == std::endian::little) return value;
    Number swapped = 0;
    for (size_t i = 0; i < sizeof value; ++i)
        swapped = static_cast<Number>(swapped << 8 | (value >> 8 * i & 0xff));
    return swapped;
}

/// A growing body of rows. Whoever adds values follows the columns of the table.
class RowBinary {
public:
    void add_u8(uint8_t value) { add_number(value); }
    void add_u16(uint16_t value) { add_number(value); }
    void add_u32(uint32_t value) { add_number(value); }
    void add_u64(uint64_t value) { add_number(value); }
    void add_i64(int64_t value) { add_number(static_cast<uint64_t>(value)); }
    void add_f64(double value);
    /// A length: LEB128, unsigned.
    void add_length(uint64_t value);
    /// Any bytes.
    void add_string(std::string_view bytes);
    void add_strings(std::span<const std::string> texts);
    void add_date(Day day) { add_u16(day.number()); }
    /// Seconds since the epoch. What a DateTime cannot hold (before 1970, from 2106 on) is its nearest value.
    void add_time(int64_t epoch_seconds);

    /// Adds the whole rows of another body.
    void append(const RowBinary& rows) {
        bytes_ += rows.bytes_;
        rows_ += rows.rows_;
    }
    /// Ends a row.
    void end_row() { ++rows_; }
    uint64_t rows() const { return rows_; }
    std::string_view bytes() const { return bytes_; }
    void clear();

private:
    template <class Number>
    void add_number(Number value) {
        char bytes[sizeof value];
        value = little_endian(value);
        std::memcpy(bytes, &value, sizeof value);
        bytes_.append(bytes, sizeof value);
    }

    std::string bytes_;
    uint64_t rows_ = 0;
};

}  // namespace op::fleet
