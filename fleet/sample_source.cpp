// SPDX-License-Identifier: GPL-2.0-or-later
// A day whose partition is one part has each counter once: parts are merged by key.
#include "fleet/sample_source.h"

#include <algorithm>
#include <iterator>

#include "fleet/fleet_days.h"
#include "libop/base/text.h"

namespace op::fleet {
namespace {

/// The days of a table that are one part. None if the server does not say.
std::vector<Day> merged_days(Server& server, std::string_view table, const Chosen& chosen) {
    const Outcome outcome = server.try_query(
        "SELECT partition FROM system.parts WHERE active AND database = currentDatabase() AND table = '" +
        std::string(table) + "' GROUP BY partition HAVING count() = 1");
    std::vector<Day> days;
    if (outcome.verdict != Outcome::Verdict::done) return days;
    const Rows rows = Rows::parse(outcome.body, server.url().base());
    for (size_t row = 0; row < rows.size(); ++row)
        if (const auto day = day_of_partition(rows.text(row, 0));
            day && *day >= chosen.from && *day <= chosen.until)
            days.push_back(*day);
    std::ranges::sort(days);
    return days;
}

}  // namespace

std::string day_condition(const std::vector<Day>& days, bool is_in) {
    if (days.empty()) return "";
    return std::string(" AND day ") + (is_in ? "IN (" : "NOT IN (") +
           joined(days, ", ", [](Day day) { return "'" + day.text() + "'"; }) + ")";
}

std::string counters_text(std::string_view table, std::string_view columns, const Chosen& chosen,
                          const std::vector<Day>& merged, const std::vector<Day>& without) {
    const SampleTable kind = table == "samples" ? SampleTable::with_image : SampleTable::without_image;
    const std::string select = "SELECT " + std::string(columns) + " FROM " + std::string(table);
    const std::string condition = " WHERE " + chosen.condition(kind) + day_condition(without, false);
    std::vector<Day> plain;
    std::ranges::set_difference(merged, without, std::back_inserter(plain));
    const auto days = static_cast<size_t>(chosen.until.number() - chosen.from.number()) + 1;
    if (plain.empty()) return "(" + select + " FINAL" + condition + ")";
    if (plain.size() + without.size() == days) return "(" + select + condition + ")";
    return "(" + select + " FINAL" + condition + day_condition(plain, false) + " UNION ALL " + select +
           condition + day_condition(plain, true) + ")";
}

bool is_one_part(Server& server, std::string_view table) {
    const Outcome outcome = server.try_query(
        "SELECT count() FROM system.parts WHERE active AND database = currentDatabase() AND table = '" +
        std::string(table) + "'");
    if (outcome.verdict != Outcome::Verdict::done) return false;
    const Rows rows = Rows::parse(outcome.body, server.url().base());
    return rows.size() == 1 && rows.number(0, 0) == 1;
}

std::string chosen_counters(Server& server, std::string_view table, std::string_view columns,
                            const Chosen& chosen, const std::vector<Day>& without) {
    return counters_text(table, columns, chosen, merged_days(server, table, chosen), without);
}

}  // namespace op::fleet
