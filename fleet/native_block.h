// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of numbers as ClickHouse reads them in its format Native: column after column. Packed by gzip they
// take a fifth less than row after row.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fleet/row_binary.h"
#include "fleet/schema.h"

namespace op::fleet {

/// The same rows in one block; none if a column of the table has values of several lengths. Throws an
/// internal error if the rows are not as long as the table's.
std::optional<std::string> native_block(const Table& table, const RowBinary& rows);

}  // namespace op::fleet
