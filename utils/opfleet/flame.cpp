// SPDX-License-Identifier: GPL-2.0-or-later
// opfleet flame: the call stacks of a selection for flame graphs, by the exporters and the page of opreport.
#include "fleet/fleet_profile.h"
#include "fleet/schema.h"
#include "fleet/slice_account.h"
#include "libop/base/counted.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libpp/export/exporter.h"
#include "libpp/page/write_page.h"
#include "utils/opfleet/answer.h"
#include "utils/opfleet/connection.h"
#include "utils/opfleet/selection_options.h"
#include "utils/opfleet/verbs.h"
#include "utils/shared/output.h"

namespace op::tool {
namespace {

constexpr std::string_view page_format = "html";

struct Options {
    ConnectionOptions connection;
    SelectionOptions selection;
    std::string format = "folded", output;
};

CommandSyntax syntax(Options& o) {
    CommandSyntax s;
    s.synopsis = "";
    s.options = o.connection.table();
    for (Option& option : o.selection.table())
        s.options.push_back(option);
    s.options.push_back({"format", 0, &o.format, "folded (the default), pprof or html", "FORMAT"});
    s.options.push_back({"output", 'o', &o.output, "write to a file, not to standard output", "FILE"});
    return s;
}

/// Null for the page. Throws a usage error.
const pp::Exporter* checked_exporter(const Options& o) {
    if (o.format == page_format) return nullptr;
    if (o.format == "folded" || o.format == "pprof") return pp::find_exporter(o.format);
    throw_usage("--format=" + printable(o.format) + ": not one of folded, pprof, html");
}

/// Lines on what the samples are of.
std::vector<std::string> facts_of(const fleet::Chosen& chosen, const fleet::SliceAccount& account) {
    std::vector<std::string> facts = {chosen.event.spec() + ", " + counted(account.hosts, "host") + ", " +
                                      counted(account.slices, "session") + ", " + chosen.from.text() +
                                      " to " + chosen.until.text()};
    for (const std::string& remark : fleet::account_remarks(account))
        facts.push_back(remark);
    return facts;
}

std::string page_of(const fleet::FleetProfile& built, const fleet::Chosen& chosen,
                    const std::vector<std::string>& facts, Tool& tool) {
    pp::PageProfiles profiles;
    profiles.sides = {&built.profile};
    profiles.events = {pp::event_names(built.profile.columns)};
    pp::PageRequest request;
    request.title = chosen.from == chosen.until
                        ? "fleet, " + chosen.from.text()
                        : "fleet, " + chosen.from.text() + " to " + chosen.until.text();
    for (const std::string& fact : facts)
        request.facts.push_back(printable(fact));
    pp::WrittenPage page = pp::write_page(profiles, request);
    if (page.folded > 0)
        tool.notes.warn("the page has boxes \"[N smaller]\" with " + std::to_string(page.folded) +
                        " samples: it has no room for all stacks");
    return std::move(page.html);
}

}  // namespace

int opfleet_flame(Tool& tool, int argc, char** argv) {
    Options o;
    const ParsedOptions parsed = parse_options(argc, argv, syntax(o));
    if (parsed.exit_status) return *parsed.exit_status;
    if (!parsed.words.empty()) throw_usage("flame takes no further words");
    const pp::Exporter* const exporter = checked_exporter(o);
    if (exporter != nullptr && !exporter->is_text) keep_from_terminal(o.output, "a profile");
    const fleet::Selection selection = o.selection.selection();
    fleet::Server server = o.connection.server();
    fleet::check_schema(server);
    const fleet::FleetImages images = fleet::FleetImages::read(server);
    const fleet::Chosen chosen = fleet::choose(server, selection, images);
    const auto facts = facts_of(chosen, fleet::account_of(server, chosen));
    fleet::FleetProfile built;
    fleet::build_fleet_profile(fleet::fetch_profile(server, chosen), chosen.event, images, built);
    built.info.start_time = static_cast<uint64_t>(chosen.from.begin());
    built.info.stop_time = static_cast<uint64_t>(chosen.until.begin() + fleet::Day::seconds);
    if (built.profile.samples.empty()) throw_input("there are no samples of that selection");
    if (built.profile.stacks.is_empty()) {
        if (o.format == "folded")
            throw_input("the server has no call stacks of that selection: record with --callgraph");
        tool.notes.warn(
            "the server has no call stacks of that selection: functions are shown without callers");
    }
    if (built.lost_stacks != 0)
        tool.notes.warn("the server does not have the whole stacks of " +
                        counted(built.lost_stacks, "sample") + "; push their sessions again");
    if (exporter == nullptr) {
        write_output(o.output, page_of(built, chosen, facts, tool));
        return 0;
    }
    write_output(o.output,
                 exporter->write(built.profile,
                                 {.info = &built.info, .demangle = pp::Demangle::none, .remarks = facts}));
    return 0;
}

}  // namespace op::tool
