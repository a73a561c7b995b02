// SPDX-License-Identifier: GPL-2.0-or-later
// The days that a server has: their size and state, merging, summarising and dropping them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/server.h"

namespace op::fleet {

/// A day of the tables that retention is about: those cut by day.
struct FleetDay {
    Day day;
    uint64_t bytes = 0;  ///< on the server's disk
    uint64_t parts = 0;  ///< in which the samples are; 1 = they are merged
    uint64_t slices = 0, sealed = 0;
    uint64_t versions = 0;  ///< the sum of those of its accounts: any push makes it greater
    std::optional<uint64_t>
        summarised;  ///< the version of its summary in `function_days`, if that is complete
};

/// The days that have samples or files, the oldest first. Throws as Server::query().
std::vector<FleetDay> fleet_days(Server& server);
/// The bytes of all tables on the server's disk. Throws as Server::query().
uint64_t database_bytes(Server& server);
/// The day of a partition that is called YYYYMMDD; none for other names.
std::optional<Day> day_of_partition(std::string_view name);

/// Drops a day from the tables that are cut by day. What it did by a summary stays. Throws as
/// Server::query().
void drop_day(Server& server, Day day);

/// The days to drop, the oldest first, so that what began before `first_kept` goes, and then so many that no
/// more than `most_bytes` of `all_bytes` stay. The newest day stays in any case.
std::vector<FleetDay> days_to_drop(const std::vector<FleetDay>& days, std::optional<Day> first_kept,
                                   std::optional<uint64_t> most_bytes, uint64_t all_bytes);

/// Merges the rows of a day as far as it is in several parts. Throws as Server::query().
void merge_day(Server& server, Day day);

/// What became of a summary.
enum class Summary : uint8_t {
    made,
    unchanged,  ///< nothing that it is made of has changed since it was made
    withheld,   ///< the server has fewer samples than the accounts: dropped, or not all pushed
};
/// Adds up a day by function into `function_days`, from ranges of images with about `rows_at_once` rows. A
/// summary that is there is replaced. Throws as Server::query(); then the day is not marked as summarised.
Summary summarise_day(Server& server, const FleetDay& day, uint64_t rows_at_once = 2'000'000);

}  // namespace op::fleet
