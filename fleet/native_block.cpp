// SPDX-License-Identifier: GPL-2.0-or-later
// A block (ClickHouse's documentation, "Native"): the numbers of columns and rows, then of each column its
// name, its type and its values. Over HTTP a block has no BlockInfo before that.
#include "fleet/native_block.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "libop/base/error.h"

namespace op::fleet {
namespace {

/// Bytes of a value; 0 if that is not always the same.
size_t size_of(std::string_view type) {
    constexpr std::array<std::pair<std::string_view, size_t>, 5> sizes = {
        {{"Date", 2}, {"UInt8", 1}, {"UInt16", 2}, {"UInt32", 4}, {"UInt64", 8}}};
    const auto found = std::ranges::find(sizes, type, &std::pair<std::string_view, size_t>::first);
    return found == sizes.end() ? 0 : found->second;
}

}  // namespace

std::optional<std::string> native_block(const Table& table, const RowBinary& rows) {
    size_t row_size = 0;
    for (const TableColumn& column : table.columns) {
        const size_t size = size_of(column.type);
        if (size == 0) return std::nullopt;
        row_size += size;
    }
    const std::string_view bytes = rows.bytes();
    if (bytes.size() != rows.rows() * row_size) throw Error(ErrorKind::internal, "rows of another table");
    RowBinary head;
    head.add_length(table.columns.size());
    head.add_length(rows.rows());
    std::string block(head.bytes());
    block.reserve(block.size() + bytes.size() + table.columns.size() * 32);
    size_t begin = 0;
    for (const TableColumn& column : table.columns) {
        RowBinary name;
        name.add_string(column.name);
        name.add_string(column.type);
        block += name.bytes();
        const size_t size = size_of(column.type);
        for (size_t at = begin; at < bytes.size(); at += row_size)
            block.append(bytes, at, size);
        begin += size;
    }
    return block;
}

}  // namespace op::fleet
