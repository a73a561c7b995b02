// SPDX-License-Identifier: GPL-2.0-or-later
// opfleet retain: drops days that are too old, and as many as are too many for a disk.
#include <algorithm>
#include <limits>

#include "fleet/fleet_days.h"
#include "fleet/schema.h"
#include "libop/base/clock.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "utils/opfleet/connection.h"
#include "utils/opfleet/verbs.h"

namespace op::tool {
namespace {

constexpr uint64_t most_days = 36500;

struct Options {
    ConnectionOptions connection;
    std::string max_size;
    bool dry_run = false;
};

CommandSyntax syntax(Options& o) {
    CommandSyntax s;
    s.has_exact_names = true;
    s.synopsis = "[DAYSd] [--max-size=SIZE]";
    s.options = o.connection.table();
    s.options.push_back(
        {"max-size", 0, &o.max_size, "then drop days until no more is on the disk", "N[K|M|G|T]"});
    s.options.push_back({"dry-run", 0, &o.dry_run, "only list what would be dropped"});
    return s;
}

uint64_t days_in(const std::string& text) {
    const std::string_view number = std::string_view(text).substr(0, text.empty() ? 0 : text.size() - 1);
    const auto days = text.ends_with('d') ? parse_number(number) : std::nullopt;
    if (!days || *days == 0 || *days > most_days)
        throw_usage("\"" + printable(text) + "\" is no number of days to keep, from 1d to 36500d");
    return *days;
}

uint64_t bytes_in(const std::string& text) {
    constexpr std::string_view units = "KMGT";
    const size_t unit = text.empty() ? units.npos : units.find(text.back());
    const size_t shift = unit == units.npos ? 0 : 10 * (unit + 1);
    const auto bytes = parse_number(std::string_view(text).substr(0, text.size() - (shift ? 1 : 0)));
    if (!bytes || *bytes == 0 || *bytes > std::numeric_limits<uint64_t>::max() >> shift)
        throw_usage("--max-size=" + printable(text) + ": not a number of bytes, or of K, M, G or T");
    return *bytes << shift;
}

/// Today by the server's clock: with a wrong one here, nothing is dropped too soon.
fleet::Day today(fleet::Server& server) {
    return fleet::Day::of_time(static_cast<int64_t>(epoch_seconds()) - server.clock_ahead().value_or(0));
}

fleet::Day first_kept(fleet::Day today, uint64_t days) {
    return fleet::Day::of_time(today.begin() - static_cast<int64_t>(days) * fleet::Day::seconds);
}

std::string line_of(const fleet::FleetDay& day) {
    std::string text = day.day.text() + ": " + std::to_string(day.bytes) + " bytes, ";
    text += day.summarised ? "functions are kept" : "no summary";
    return text + "\n";
}

}  // namespace

int opfleet_retain(Tool& tool, int argc, char** argv) {
    Options o;
    const ParsedOptions parsed = parse_options(argc, argv, syntax(o));
    if (parsed.exit_status) return *parsed.exit_status;
    if (parsed.words.size() > 1 || (parsed.words.empty() && o.max_size.empty()))
        throw_usage("give the number of days to keep, as 30d, or --max-size");
    const auto days = parsed.words.empty() ? std::nullopt : std::optional(days_in(parsed.words[0]));
    const auto most_bytes = o.max_size.empty() ? std::nullopt : std::optional(bytes_in(o.max_size));
    fleet::Server server = o.connection.server();
    fleet::check_schema(server);
    const auto all = fleet::fleet_days(server);
    const uint64_t bytes = fleet::database_bytes(server);
    const auto kept_from = days ? std::optional(first_kept(today(server), *days)) : std::nullopt;
    const auto dropped = fleet::days_to_drop(all, kept_from, most_bytes, bytes);
    uint64_t left = bytes;
    for (const fleet::FleetDay& day : dropped) {
        if (!o.dry_run) fleet::drop_day(server, day.day);
        left -= std::min(left, day.bytes);
        write_stdout((o.dry_run ? "would drop " : "dropped ") + line_of(day));
    }
    if (dropped.empty()) write_stdout("nothing to drop\n");
    if (!most_bytes || left <= *most_bytes) return 0;
    tool.notes.warn("still " + std::to_string(left) +
                    " bytes are on the disk: the newest day, and what is kept for years, stay");
    return 1;
}

}  // namespace op::tool
