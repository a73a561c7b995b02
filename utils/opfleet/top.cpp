// SPDX-License-Identifier: GPL-2.0-or-later
// opfleet top: the functions with most samples on all hosts.
#include <algorithm>

#include "fleet/function_counts.h"
#include "fleet/schema.h"
#include "fleet/slice_account.h"
#include "fleet/summaries.h"
#include "libop/base/counted.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libpp/profile/statistics.h"
#include "utils/opfleet/answer.h"
#include "utils/opfleet/connection.h"
#include "utils/opfleet/function_rows.h"
#include "utils/opfleet/selection_options.h"
#include "utils/opfleet/verbs.h"

namespace op::tool {
namespace {

/// Makes the answer.
class Top {
public:
    Top(fleet::Server& server, const fleet::Selection& selection)
        : server_(server),
          images_(fleet::FleetImages::read(server)),
          files_(images_),
          chosen_(fleet::choose(server, selection, images_)) {
        fleet::find_summaries(server, chosen_);
        fleet::find_used_images(server, chosen_);
        account_ = fleet::account_of(server, chosen_);
    }

    Answer answer(uint64_t limit) {
        std::vector<fleet::FunctionCount> counts = fleet::count_functions(server_, chosen_, files_);
        const FunctionTotals totals = totals_of(counts);
        const size_t all = counts.size();
        if (limit != 0 && counts.size() > limit) counts.resize(limit);
        Answer answer;
        answer.kind = "top";
        add_head(answer, totals, all);
        add_rows(answer, counts, totals);
        return answer;
    }

private:
    void add_head(Answer& answer, const FunctionTotals& totals, size_t functions) const {
        add_selection(answer, chosen_, account_);
        answer.facts.emplace_back("samples", totals.samples);
        answer.facts.emplace_back("functions", functions);
        answer.head.push_back(counted(totals.samples, "sample") + " in " + counted(functions, "function"));
        answer.remarks = missing_remarks(chosen_, account_, totals);
    }

    void add_rows(Answer& answer, const std::vector<fleet::FunctionCount>& counts,
                  const FunctionTotals& totals) {
        const bool has_cores = fleet::average_cores(0, chosen_.event, account_).has_value();
        answer.columns = {{"samples", "samples"},
                          {"percent", "%"},
                          {"percent_low", "low %"},
                          {"percent_high", "high %"},
                          {"cores", has_cores ? "cores" : "", 3},
                          {"hosts", "hosts"},
                          {"builds", "builds"},
                          {"image", ""},
                          {"image_name", "image name"},
                          {"symbol", "symbol name"}};
        if (counts.empty()) return;
        const auto names = fleet::function_names(server_, counts);
        auto spread = fleet::spread_functions(server_, chosen_, files_, counts);
        for (const fleet::FunctionCount& count : counts) {
            const pp::Part part{static_cast<double>(count.samples), static_cast<double>(totals.samples)};
            const pp::Interval interval = pp::share_interval(part);
            const auto cores = fleet::average_cores(count.samples, chosen_.event, account_);
            const std::string& path = files_.path(count.key.file);
            answer.rows.push_back({count.samples, 100 * part.share(), 100 * interval.low, 100 * interval.high,
                                   cores ? Cell(*cores) : Cell(), spread[count.key].hosts,
                                   spread[count.key].builds, path, std::string(base_name(path)),
                                   function_name(names, count.key.func)});
        }
    }

    fleet::Server& server_;
    fleet::FleetImages images_;
    fleet::FunctionFiles files_;
    fleet::Chosen chosen_;
    fleet::SliceAccount account_;
};

}  // namespace

int opfleet_top(Tool& tool, int argc, char** argv) {
    FunctionOptions o;
    const ParsedOptions parsed = parse_options(argc, argv, o.syntax(""));
    if (parsed.exit_status) return *parsed.exit_status;
    if (!parsed.words.empty()) throw_usage("top takes no further words");
    o.answer.checked_format();
    const fleet::Selection selection = o.selection.selection();
    fleet::Server server = o.connection.server();
    fleet::check_schema(server);
    show_answer(tool, o.answer, Top(server, selection).answer(o.most()));
    return 0;
}

}  // namespace op::tool
