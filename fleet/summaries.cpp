// SPDX-License-Identifier: GPL-2.0-or-later
// All rows of a summary have the version of its mark. The rows of former ones, which the server may not have
// merged away yet, have others; so no question needs FINAL, which took five times as long.
#include "fleet/summaries.h"

#include <map>
#include <set>

#include "fleet/sample_source.h"
#include "libop/base/text.h"

namespace op::fleet {
namespace {

std::string days_of(const Chosen& chosen) {
    return "day >= '" + chosen.from.text() + "' AND day <= '" + chosen.until.text() + "'";
}

/// The first column is a day, the second a number.
std::map<Day, uint64_t> numbers_by_day(Server& server, const std::string& query) {
    const Rows rows = server.query(query);
    std::map<Day, uint64_t> numbers;
    for (size_t row = 0; row < rows.size(); ++row)
        if (const auto day = parse_day(rows.text(row, 0))) numbers[*day] = rows.number(row, 1);
    return numbers;
}

/// The version of each complete summary: its mark is the row of event 0, with hits 1.
std::map<Day, uint64_t> complete_summaries(Server& server, const Chosen& chosen) {
    return numbers_by_day(server,
                          "SELECT toString(day), max(version) FROM function_days WHERE event = 0 AND " +
                              days_of(chosen) + " GROUP BY day HAVING argMax(hits, version) = 1");
}

/// The condition on rows of `function_days` to be of the summaries.
std::string summary_condition(const std::vector<DaySummary>& summaries) {
    if (summaries.size() == 1)
        return " AND day = '" + summaries[0].day.text() +
               "' AND version = " + std::to_string(summaries[0].version);
    return " AND (day, version) IN (" +
           joined(summaries, ", ",
                  [](const DaySummary& summary) {
                      return "('" + summary.day.text() + "', " + std::to_string(summary.version) + ")";
                  }) +
           ")";
}

}  // namespace

void find_summaries(Server& server, Chosen& chosen) {
    const auto complete = complete_summaries(server, chosen);
    if (complete.empty()) return;
    const auto accounts = numbers_by_day(server, "SELECT toString(day), sum(rows) FROM slices FINAL WHERE " +
                                                     days_of(chosen) + " GROUP BY day");
    // Rows that come twice, until the server merges them, only keep a day's samples in use.
    const auto rows = numbers_by_day(
        server, "SELECT toString(day), count() FROM samples WHERE " + days_of(chosen) + " GROUP BY day");
    for (const auto& [day, version] : complete) {
        const auto account = accounts.find(day);
        const auto there = rows.find(day);
        if (account != accounts.end() && (there == rows.end() || there->second < account->second))
            chosen.summarised.push_back({day, version});
    }
    chosen.is_all_summarised = chosen.summarised.size() == accounts.size();
}

void find_used_images(Server& server, Chosen& chosen) {
    if (!chosen.apps && !chosen.release_images) return;
    std::vector<std::string> parts;
    if (!chosen.is_all_summarised)
        parts.push_back("SELECT image FROM samples WHERE " + chosen.condition() +
                        day_condition(chosen.summarised_days(), false));
    if (!chosen.summarised.empty()) parts.push_back("SELECT image FROM " + summary_rows("image", chosen));
    const Rows rows =
        server.query("SELECT DISTINCT image FROM (" + joined(parts, " UNION ALL ") + ")", chosen.tables());
    std::set<uint64_t> images;
    for (size_t row = 0; row < rows.size(); ++row)
        images.insert(rows.number(row, 0));
    chosen.used_images.emplace(images.begin(), images.end());
}

std::string summary_rows(std::string_view columns, const Chosen& chosen, std::string_view more) {
    // Rows of functions that got another name have no samples; they are dropped after they replaced others.
    return "(SELECT " + std::string(columns) + ", hits FROM function_days WHERE " + chosen.condition() +
           summary_condition(chosen.summarised) + std::string(more) + " AND hits > 0)";
}

}  // namespace op::fleet
