// SPDX-License-Identifier: GPL-2.0-or-later
// Heads of reports on functions.
#include "utils/opfleet/function_rows.h"

#include <cstdio>

#include "libop/base/counted.h"
#include "libop/base/text.h"

namespace op::tool {

CommandSyntax FunctionOptions::syntax(const char* synopsis) {
    CommandSyntax s;
    s.synopsis = synopsis;
    s.options = connection.table();
    for (auto more : {selection.table(), answer.table()})
        s.options.insert(s.options.end(), more.begin(), more.end());
    s.options.push_back({"limit", 0, &limit, "so many functions (50); 0 = all", "N"});
    return s;
}

FunctionTotals totals_of(const std::vector<fleet::FunctionCount>& counts) {
    FunctionTotals totals;
    for (const fleet::FunctionCount& count : counts) {
        totals.samples += count.samples;
        if (count.key.func == 0) totals.nameless += count.samples;
    }
    return totals;
}

std::string function_name(const std::map<uint64_t, std::string>& names, uint64_t func) {
    const auto at = names.find(func);
    return func == 0 || at == names.end() ? "(no symbols)" : at->second;
}

void add_selection(Answer& answer, const fleet::Chosen& chosen, const fleet::SliceAccount& account) {
    answer.facts.emplace_back("event", chosen.event.spec());
    answer.facts.emplace_back("from", chosen.from.text());
    answer.facts.emplace_back("until", chosen.until.text());
    answer.facts.emplace_back("hosts", account.hosts);
    answer.facts.emplace_back("slices", account.slices);
    answer.head.push_back(chosen.event.spec() + ", " + chosen.from.text() +
                          (chosen.from == chosen.until ? "" : " to " + chosen.until.text()) + ", " +
                          counted(account.hosts, "host") + ", " + counted(account.slices, "slice"));
}

std::vector<std::string> missing_remarks(const fleet::Chosen& chosen, const fleet::SliceAccount& account,
                                         const FunctionTotals& totals) {
    std::vector<std::string> lines = fleet::account_remarks(account);
    if (totals.nameless > 0) {
        char share[32];
        std::snprintf(share, sizeof share, "%.3g",
                      100 * static_cast<double>(totals.nameless) / static_cast<double>(totals.samples));
        lines.push_back(std::string(share) +
                        " % of the samples have no names; see opfleet images, opfleet symbolize");
    }
    if (!chosen.other_events.empty())
        lines.push_back(
            "other events, chosen by --event: " +
            joined(chosen.other_events, ", ", [](const fleet::FleetEvent& each) { return each.spec(); }));
    return lines;
}

}  // namespace op::tool
