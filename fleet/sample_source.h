// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of counters with each counter once, as what a query selects from.
#pragma once

#include <string>
#include <string_view>

#include "fleet/selection.h"
#include "fleet/server.h"

namespace op::fleet {

/// "(SELECT columns FROM table ...)" with the rows of the selection, of each counter the greatest. The server
/// merges rows on the way, which takes time, unless it has merged all of a day already. `table` is `samples`
/// or `stack_samples`. Days in `without`, which are sorted, are left out. Throws as Server::query().
std::string chosen_counters(Server& server, std::string_view table, std::string_view columns,
                            const Chosen& chosen, const std::vector<Day>& without = {});

/// True if the server has merged all rows of a table without partitions, so that no key is there twice.
bool is_one_part(Server& server, std::string_view table);

/// The text of chosen_counters(), where `merged` are the days without rows to merge, of a table that
/// partition by day.
std::string counters_text(std::string_view table, std::string_view columns, const Chosen& chosen,
                          const std::vector<Day>& merged, const std::vector<Day>& without = {});

/// " AND day IN ('2026-11-25', ...)", or NOT IN; nothing without days.
std::string day_condition(const std::vector<Day>& days, bool is_in);

}  // namespace op::fleet
