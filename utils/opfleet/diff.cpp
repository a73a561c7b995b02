// SPDX-License-Identifier: GPL-2.0-or-later
// opfleet diff: what a release changed, host by host.
#include <cstdio>

#include "fleet/function_counts.h"
#include "fleet/function_diff.h"
#include "fleet/schema.h"
#include "fleet/slice_account.h"
#include "fleet/summaries.h"
#include "libop/base/counted.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "utils/opfleet/answer.h"
#include "utils/opfleet/connection.h"
#include "utils/opfleet/function_rows.h"
#include "utils/opfleet/selection_options.h"
#include "utils/opfleet/verbs.h"

namespace op::tool {
namespace {

/// Functions that are compared: each of them on each host is a number in memory.
constexpr size_t most_compared = 2000;

/// One release.
struct Side {
    std::string release;
    fleet::Chosen chosen;
    fleet::SliceAccount account;
    std::vector<fleet::FunctionCount> functions;
};

class Comparison {
public:
    Comparison(fleet::Server& server, fleet::Selection selection, const std::vector<std::string>& releases)
        : server_(server),
          images_(fleet::FleetImages::read(server)),
          files_(images_),
          before_(side(selection, releases[0])) {
        selection.event = before_.chosen.event.spec();
        after_ = side(selection, releases[1]);
    }

    Answer answer(uint64_t limit) {
        const auto functions = fleet::functions_of_both(before_.functions, after_.functions, most_compared);
        const auto diff = fleet::compare(fleet::count_by_host(server_, before_.chosen, files_, functions),
                                         fleet::count_by_host(server_, after_.chosen, files_, functions));
        Answer answer;
        answer.kind = "diff";
        add_head(answer, diff);
        add_rows(answer, diff, limit == 0 ? diff.changes.size() : limit);
        return answer;
    }

private:
    Side side(fleet::Selection selection, const std::string& release) {
        selection.releases = {release};
        Side side;
        side.release = release;
        side.chosen = fleet::choose(server_, selection, images_);
        fleet::find_summaries(server_, side.chosen);
        fleet::find_used_images(server_, side.chosen);
        side.account = fleet::account_of(server_, side.chosen);
        side.functions = fleet::count_functions(server_, side.chosen, files_);
        return side;
    }

    void add_side(Answer& answer, const Side& side, const char* key, size_t hosts) const {
        const FunctionTotals totals = totals_of(side.functions);
        answer.facts.emplace_back(
            key, Json{{"release", side.release}, {"hosts", hosts}, {"samples", totals.samples}});
        answer.head.push_back(side.release + ": " + counted(hosts, "host") + ", " +
                              counted(totals.samples, "sample"));
        for (const std::string& line : missing_remarks(side.chosen, side.account, totals))
            answer.remarks.push_back(side.release + ": " + line);
    }

    void add_head(Answer& answer, const fleet::FunctionDiff& diff) const {
        char points[32];
        std::snprintf(points, sizeof points, "%.2g", 100 * diff.visible_at_1_percent);
        answer.facts.emplace_back("event", before_.chosen.event.spec());
        answer.facts.emplace_back("tested", diff.tested);
        answer.facts.emplace_back("over_hosts", diff.is_over_hosts);
        answer.facts.emplace_back("visible_points_at_1_percent", 100 * diff.visible_at_1_percent);
        answer.head.push_back(before_.chosen.event.spec() + ", shares as means over hosts");
        add_side(answer, before_, "before", diff.hosts_before);
        add_side(answer, after_, "after", diff.hosts_after);
        answer.head.push_back(
            "* marks changes that are more than chance; of these, 5 % at most are expected to be wrong (" +
            counted(diff.tested, "function") + " tested)");
        answer.head.push_back("the smallest change that this comparison could show: " + std::string(points) +
                              " percentage points, at a share of 1 %");
        if (!diff.is_over_hosts)
            answer.remarks.push_back(
                "a release has samples of one host only, so how hosts differ is not known: the marks are for "
                "these hosts");
    }

    void add_rows(Answer& answer, const fleet::FunctionDiff& diff, uint64_t limit) {
        answer.columns = {{"significant", ""},
                          {"mark", " "},
                          {"percent_before", "% before"},
                          {"percent_after", "% after"},
                          {"points", "points"},
                          {"p", "p", 4},
                          {"visible_points", "visible", 4},
                          {"samples_before", "samples before"},
                          {"samples", "samples"},
                          {"image", ""},
                          {"image_name", "image name"},
                          {"symbol", "symbol name"}};
        const auto names = fleet::function_names(
            server_, fleet::functions_of_both(before_.functions, after_.functions, most_compared));
        for (const fleet::FunctionChange& change : diff.changes) {
            if (answer.rows.size() >= limit) break;
            const std::string& path = files_.path(change.key.file);
            answer.rows.push_back({change.is_significant, std::string(change.is_significant ? "*" : ""),
                                   100 * change.share_before, 100 * change.share_after,
                                   100 * change.difference(),
                                   change.probability ? Cell(*change.probability) : Cell(),
                                   100 * change.visible, change.samples_before, change.samples_after, path,
                                   std::string(base_name(path)), function_name(names, change.key.func)});
        }
    }

    fleet::Server& server_;
    fleet::FleetImages images_;
    fleet::FunctionFiles files_;
    Side before_, after_;
};

/// The two releases: of the option and of the words behind it.
std::vector<std::string> two_releases(const FunctionOptions& o, const std::vector<std::string>& words) {
    std::vector<std::string> releases = o.selection.releases;
    releases.insert(releases.end(), words.begin(), words.end());
    if (releases.size() != 2) throw_usage("give two releases: --release BEFORE AFTER");
    return releases;
}

}  // namespace

int opfleet_diff(Tool& tool, int argc, char** argv) {
    FunctionOptions o;
    const ParsedOptions parsed = parse_options(argc, argv, o.syntax("--release BEFORE AFTER [OPTION...]"));
    if (parsed.exit_status) return *parsed.exit_status;
    o.answer.checked_format();
    const auto releases = two_releases(o, parsed.words);
    const fleet::Selection selection = o.selection.selection();
    fleet::Server server = o.connection.server();
    fleet::check_schema(server);
    show_answer(tool, o.answer, Comparison(server, selection, releases).answer(o.most()));
    return 0;
}

}  // namespace op::tool
