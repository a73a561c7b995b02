// SPDX-License-Identifier: GPL-2.0-or-later
// The encoding of values in RowBinary (ClickHouse's documentation, "RowBinary").
#include "fleet/row_binary.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace op::fleet {

void RowBinary::add_length(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
}

void RowBinary::add_f64(double value) {
    add_u64(std::bit_cast<uint64_t>(value));
}

void RowBinary::add_string(std::string_view bytes) {
    add_length(bytes.size());
    bytes_ += bytes;
}

void RowBinary::add_strings(std::span<const std::string> texts) {
    add_length(texts.size());
    for (const std::string& text : texts)
        add_string(text);
}

void RowBinary::add_time(int64_t epoch_seconds) {
    add_u32(
        static_cast<uint32_t>(std::clamp<int64_t>(epoch_seconds, 0, std::numeric_limits<uint32_t>::max())));
}

void RowBinary::clear() {
    bytes_.clear();
    rows_ = 0;
}

}  // namespace op::fleet
