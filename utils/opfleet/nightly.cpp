// SPDX-License-Identifier: GPL-2.0-or-later
// opfleet nightly: merges the rows of complete days and adds them up by function.
#include "fleet/fleet_days.h"
#include "fleet/schema.h"
#include "libop/base/clock.h"
#include "libop/base/counted.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "utils/opfleet/connection.h"
#include "utils/opfleet/verbs.h"

namespace op::tool {
namespace {

/// Hosts that have not completed a day after so many more are not waited for.
constexpr int64_t waited_days = 3;

struct Options {
    ConnectionOptions connection;
};

CommandSyntax syntax(Options& o) {
    CommandSyntax s;
    s.synopsis = "";
    s.options = o.connection.table();
    return s;
}

/// Why a day is left for later; empty if it is not.
std::string why_later(const fleet::FleetDay& day, fleet::Day today) {
    if (day.day >= today) return "it is not over";
    const int64_t age = int64_t{today.number()} - day.day.number();
    if (day.sealed == day.slices || age > waited_days) return "";
    return counted(day.slices - day.sealed, "session") + " of " + std::to_string(day.slices) +
           " may still grow";
}

std::string outcome_of(fleet::Summary summary) {
    switch (summary) {
        case fleet::Summary::made:
            return "merged, functions added up";
        case fleet::Summary::unchanged:
            return "nothing new";
        case fleet::Summary::withheld:
            return "left as it is: samples of some of its sessions are missing, because they were dropped or "
                   "a "
                   "push was cut off";
    }
    return "";
}

}  // namespace

int opfleet_nightly(Tool& tool, int argc, char** argv) {
    Options o;
    const ParsedOptions parsed = parse_options(argc, argv, syntax(o));
    if (parsed.exit_status) return *parsed.exit_status;
    if (!parsed.words.empty()) throw_usage("nightly takes no further words");
    fleet::Server server = o.connection.server();
    fleet::check_schema(server);
    const int64_t now = static_cast<int64_t>(epoch_seconds()) - server.clock_ahead().value_or(0);
    bool is_good = true;
    for (const fleet::FleetDay& day : fleet::fleet_days(server)) {
        const std::string later = why_later(day, fleet::Day::of_time(now));
        std::string outcome = later.empty() ? "failed" : "left for later: " + later;
        if (later.empty())
            is_good &= tool.attempt([&] {
                fleet::merge_day(server, day.day);
                outcome = outcome_of(fleet::summarise_day(server, day));
            });
        write_stdout(day.day.text() + ": " + outcome + "\n");
    }
    return is_good ? 0 : 1;
}

}  // namespace op::tool
