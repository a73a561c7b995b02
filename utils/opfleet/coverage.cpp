// SPDX-License-Identifier: GPL-2.0-or-later
// opfleet hosts, images and coverage: what the server has, and what it lacks.
#include "fleet/coverage.h"

#include <algorithm>

#include "fleet/schema.h"
#include "fleet/symbol_store.h"
#include "libop/base/counted.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "utils/opfleet/answer.h"
#include "utils/opfleet/connection.h"
#include "utils/opfleet/selection_options.h"
#include "utils/opfleet/verbs.h"

namespace op::tool {
namespace {

/// A host that lost more than this part of its samples is named.
constexpr double lossy_share = 0.01;

struct Options {
    ConnectionOptions connection;
    SelectionOptions selection;
    AnswerOptions answer;
    std::optional<uint64_t> limit;
};

/// What a verb has to say, once the server is known to have the tables.
using MakeAnswer = Answer (*)(fleet::Server& server, const Options& options);

int answer_verb(Tool& tool, int argc, char** argv, bool has_samples, MakeAnswer make) {
    Options o;
    CommandSyntax s;
    s.synopsis = "";
    s.options = o.connection.table();
    for (auto more : {has_samples ? o.selection.table() : o.selection.slice_table(), o.answer.table()})
        s.options.insert(s.options.end(), more.begin(), more.end());
    s.options.push_back({"limit", 0, &o.limit, "so many rows (all)", "N"});
    const ParsedOptions parsed = parse_options(argc, argv, s);
    if (parsed.exit_status) return *parsed.exit_status;
    if (!parsed.words.empty()) throw_usage("no further words are expected");
    o.answer.checked_format();
    o.selection.selection();
    fleet::Server server = o.connection.server();
    fleet::check_schema(server);
    Answer answer = make(server, o);
    if (o.limit && answer.rows.size() > *o.limit) answer.rows.resize(*o.limit);
    show_answer(tool, o.answer, answer);
    return 0;
}

double percent(uint64_t part, uint64_t whole) {
    return whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

std::string days_text(const fleet::Chosen& chosen) {
    return chosen.from.text() + (chosen.from == chosen.until ? "" : " to " + chosen.until.text());
}

Answer hosts_answer(fleet::Server& server, const Options& o) {
    const fleet::Chosen chosen = fleet::choose_slices(server, o.selection.selection());
    auto hosts = fleet::read_hosts(server, chosen);
    fleet::verify_slices(server, chosen, hosts);
    Answer answer;
    answer.kind = "hosts";
    answer.facts = {{"from", chosen.from.text()}, {"until", chosen.until.text()}, {"hosts", hosts.size()}};
    answer.head = {days_text(chosen) + ", " + counted(hosts.size(), "host")};
    answer.columns = {{"host", "host"},
                      {"first", "first day"},
                      {"last", "last day"},
                      {"slices", "slices"},
                      {"unsealed", "open"},
                      {"unverified", "unverified"},
                      {"hours", "hours", 1},
                      {"samples", "samples"},
                      {"lost_percent", "lost %", 3},
                      {"clock_ahead_s", "clock ahead s", 0},
                      {"kernel", "kernel"},
                      {"cpu", "processor"},
                      {"tool", ""}};
    for (const auto& [number, host] : hosts)
        answer.rows.push_back(
            {host.name, host.first.text(), host.last.text(), host.slices, host.unsealed, host.unverified,
             static_cast<double>(host.wall_ms) / 3.6e6, host.sampled - host.lost, 100 * host.lost_share(),
             static_cast<double>(host.clock_ahead_ms) / 1e3, host.kernel, host.cpu_type, host.tool});
    std::ranges::sort(answer.rows, {},
                      [](const std::vector<Cell>& row) { return std::get<std::string>(row[0]); });
    return answer;
}

std::string state_text(const fleet::SymbolState& state) {
    if (state.state == "done" && state.reason.empty()) return "";
    return state.state == "unobtainable" || state.state == "done" ? state.reason : state.state;
}

/// Rows of images, most samples first.
void add_images(Answer& answer, fleet::Server& server, const fleet::FleetImages& images,
                const std::vector<fleet::ImageSamples>& counts) {
    const auto states = fleet::symbol_states(server);
    answer.columns = {{"samples", "samples"},
                      {"percent", "%", 2},
                      {"named_percent", "named %", 2},
                      {"hosts", "hosts"},
                      {"release", "release"},
                      {"build_id", "build-id"},
                      {"quality", ""},
                      {"image", "image"},
                      {"package", "package"},
                      {"package_version", "version"},
                      {"paths", ""},
                      {"remark", "remark"}};
    uint64_t all = 0;
    for (const fleet::ImageSamples& count : counts)
        all += count.samples;
    for (const fleet::ImageSamples& count : counts) {
        const fleet::FleetImage* const known = images.find(count.image);
        const fleet::FleetImage image =
            known ? *known : fleet::FleetImage{.paths = {images.path(count.image)}};
        const auto at = states.find(count.image);
        const fleet::SymbolState state = at == states.end() ? fleet::SymbolState{} : at->second;
        answer.rows.push_back({count.samples, percent(count.samples, all),
                               percent(count.samples - count.nameless, count.samples), count.hosts,
                               image.release, image.build_id, uint64_t{static_cast<uint8_t>(state.quality)},
                               image.path(), image.package, image.package_version, image.paths,
                               state_text(state)});
    }
}

Answer images_answer(fleet::Server& server, const Options& o) {
    const auto images = fleet::FleetImages::read(server);
    const fleet::Chosen chosen = fleet::choose(server, o.selection.selection(), images);
    const auto counts = fleet::count_images(server, chosen);
    Answer answer;
    answer.kind = "images";
    answer.facts = {
        {"event", chosen.event.spec()}, {"from", chosen.from.text()}, {"until", chosen.until.text()}};
    answer.head = {chosen.event.spec() + ", " + days_text(chosen) + ", " + counted(counts.size(), "image")};
    add_images(answer, server, images, counts);
    return answer;
}

/// Lines and facts on hosts.
class HostCoverage {
public:
    HostCoverage(fleet::Server& server, const fleet::Chosen& chosen)
        : last_(chosen.until), hosts_(fleet::read_hosts(server, chosen)) {
        fleet::verify_slices(server, chosen, hosts_);
        fleet::Day newest;
        for (const auto& [number, host] : hosts_)
            newest = std::max(newest, host.last);
        last_ = newest;
    }

    void add(Answer& answer) const {
        std::vector<std::string> late, lossy, open, unverified;
        for (const auto& [number, host] : hosts_) {
            if (host.last < last_) late.push_back(host.name + " (" + host.last.text() + ")");
            if (host.lost_share() > lossy_share) lossy.push_back(host.name);
            if (host.unsealed > 0) open.push_back(host.name);
            if (host.unverified > 0) unverified.push_back(host.name);
        }
        answer.facts.emplace_back("hosts", hosts_.size());
        answer.facts.emplace_back("last_day", last_.text());
        answer.facts.emplace_back("pushed", hosts_.size() - late.size());
        answer.head.push_back(counted(hosts_.size(), "host") + ", " +
                              std::to_string(hosts_.size() - late.size()) + " of them with samples of " +
                              last_.text());
        add_list(answer, "late", "late, with the last day there is", std::move(late));
        add_list(answer, "lossy", "lost more than 1 % of their samples", std::move(lossy));
        add_list(answer, "open", "with slices that are not complete", std::move(open));
        add_list(answer, "unverified", "with slices whose rows differ from their account",
                 std::move(unverified));
    }

private:
    static void add_list(Answer& answer, const char* key, const std::string& what,
                         std::vector<std::string> names) {
        std::ranges::sort(names);
        if (!names.empty())
            answer.remarks.push_back(counted(names.size(), "host") + " " + what + ": " + short_list(names));
        answer.facts.emplace_back(key, std::move(names));
    }

    fleet::Day last_;
    std::map<uint64_t, fleet::HostSlices> hosts_;
};

Answer coverage_answer(fleet::Server& server, const Options& o) {
    const auto images = fleet::FleetImages::read(server);
    const fleet::Chosen chosen = fleet::choose(server, o.selection.selection(), images);
    auto counts = fleet::count_images(server, chosen);
    std::ranges::stable_sort(counts, std::ranges::greater{}, &fleet::ImageSamples::nameless);
    uint64_t samples = 0, nameless = 0;
    for (const fleet::ImageSamples& count : counts) {
        samples += count.samples;
        nameless += count.nameless;
    }
    Answer answer;
    answer.kind = "coverage";
    answer.facts = {{"event", chosen.event.spec()},
                    {"from", chosen.from.text()},
                    {"until", chosen.until.text()},
                    {"samples", samples},
                    {"nameless", nameless}};
    answer.head = {chosen.event.spec() + ", " + days_text(chosen) + ", " + counted(samples, "sample") + ", " +
                   std::to_string(nameless) + " without names"};
    HostCoverage(server, chosen).add(answer);
    add_images(answer, server, images, counts);
    return answer;
}

}  // namespace

int opfleet_hosts(Tool& tool, int argc, char** argv) {
    return answer_verb(tool, argc, argv, false, hosts_answer);
}

int opfleet_images(Tool& tool, int argc, char** argv) {
    return answer_verb(tool, argc, argv, true, images_answer);
}

int opfleet_coverage(Tool& tool, int argc, char** argv) {
    return answer_verb(tool, argc, argv, true, coverage_answer);
}

}  // namespace op::tool
