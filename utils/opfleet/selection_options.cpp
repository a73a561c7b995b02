// SPDX-License-Identifier: GPL-2.0-or-later
// Options become a selection.
#include "utils/opfleet/selection_options.h"

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::tool {

fleet::Day day_of_option(const char* option, const std::string& text) {
    const auto day = fleet::parse_day(text);
    if (!day) throw_usage(std::string("--") + option + "=" + printable(text) + ": not a day like 2026-11-25");
    return *day;
}

std::vector<Option> SelectionOptions::slice_table() {
    return {{"from", 0, &from, "the first day, in UTC (default: the first there is)", "YYYY-MM-DD"},
            {"until", 0, &until, "the last day (default: the last there is)", "YYYY-MM-DD"},
            {"day", 0, &day, "this day alone", "YYYY-MM-DD"},
            {"host", 0, &hosts, "samples of these hosts; wildcards are allowed", "NAME,..."}};
}

std::vector<Option> SelectionOptions::table() {
    std::vector<Option> rows = slice_table();
    rows.push_back(
        {"event", 0, &event, "of this event (default: the one with most samples)", "NAME[:COUNT...]"});
    rows.push_back(
        {"app", 0, &apps, "on behalf of these programs: paths, or names without a '/'", "NAME,..."});
    rows.push_back({"image", 0, &images, "in these binaries", "NAME,..."});
    rows.push_back(
        {"release", 0, &releases, "in the binaries of a release, or on behalf of them", "NAME,..."});
    return rows;
}

fleet::Selection SelectionOptions::selection() const {
    if (!day.empty() && (!from.empty() || !until.empty()))
        throw_usage("--day is --from and --until in one: give one of both");
    fleet::Selection s{{}, {}, event, apps, images, hosts, releases};
    if (!from.empty()) s.from = day_of_option("from", from);
    if (!until.empty()) s.until = day_of_option("until", until);
    if (!day.empty()) s.from = s.until = day_of_option("day", day);
    if (s.from && s.until && *s.until < *s.from)
        throw_usage("--until=" + until + " is before --from=" + from);
    return s;
}

}  // namespace op::tool
