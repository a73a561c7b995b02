// SPDX-License-Identifier: GPL-2.0-or-later
// opfleet show: the sessions of a host and day become session directories on this machine.
#include <algorithm>

#include "fleet/fetch.h"
#include "fleet/restore.h"
#include "fleet/schema.h"
#include "libop/base/counted.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "utils/opfleet/connection.h"
#include "utils/opfleet/verbs.h"

namespace op::tool {
namespace {

struct Options {
    ConnectionOptions connection;
    std::string session_dir;
};

CommandSyntax syntax(Options& o) {
    CommandSyntax s;
    s.synopsis = "HOST DAY --session-dir=DIR";
    s.options = o.connection.table();
    s.options.push_back({"session-dir", 0, &o.session_dir, "where the sessions are made", "DIR"});
    return s;
}

/// Names for the sessions: each its own; of several the later ones get -2, -3 ... behind it.
std::vector<std::string> session_names(const std::vector<fleet::PushedSlice>& slices) {
    std::vector<std::string> names;
    for (const fleet::PushedSlice& slice : slices) {
        std::string name = slice.session;
        for (unsigned n = 2; std::ranges::find(names, name) != names.end(); ++n)
            name = slice.session + "-" + std::to_string(n);
        names.push_back(std::move(name));
    }
    return names;
}

fleet::Day day_of(const std::string& text) {
    const auto day = fleet::parse_day(text);
    if (!day) throw_usage(printable(text) + " is no day, as 2026-11-25");
    return *day;
}

void show(Tool& tool, fleet::Server& server, const SessionWriter& writer, const fleet::PushedSlice& slice,
          const std::string& name) {
    const fleet::FetchedSlice fetched = fleet::fetch_slice(server, slice);
    fleet::restore_session(writer, fetched, name, tool.notes);
    if (!slice.is_sealed)
        tool.notes.warn(
            "session " + printable(name) +
            " was being recorded when it was pushed: it may have grown, and its call stacks and kernel "
            "symbols are not there yet");
    write_stdout(printable(writer.samples_path() + "/" + name) + ": " + counted(slice.samples, "sample") +
                 "\n");
}

}  // namespace

int opfleet_show(Tool& tool, int argc, char** argv) {
    Options o;
    const ParsedOptions parsed = parse_options(argc, argv, syntax(o));
    if (parsed.exit_status) return *parsed.exit_status;
    if (parsed.words.size() != 2) throw_usage("give a host and a day: opfleet show HOST 2026-11-25");
    if (o.session_dir.empty()) throw_usage("give the directory for the sessions: --session-dir=DIR");
    const std::string& host = parsed.words[0];
    const fleet::Day day = day_of(parsed.words[1]);
    fleet::Server server = o.connection.server();
    fleet::check_schema(server);
    const auto slices = fleet::find_slices(server, host, day);
    if (slices.empty())
        throw_input(server.url().text() + " has nothing of host " + printable(host) + " on " + day.text() +
                    "; opfleet hosts lists what it has");
    const SessionWriter writer(o.session_dir, true, tool.notes);
    const auto names = session_names(slices);
    bool is_good = true;
    for (size_t i = 0; i < slices.size(); ++i)
        is_good &= tool.attempt([&] { show(tool, server, writer, slices[i], names[i]); });
    return is_good ? 0 : 1;
}

}  // namespace op::tool
