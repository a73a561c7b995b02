// SPDX-License-Identifier: GPL-2.0-or-later
// The page of a profile: its title, the facts about the recording, and writing it.
#include "utils/profile_page.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "libop/base/text.h"
#include "libpp/export/exporter.h"
#include "libpp/page/write_page.h"
#include "libpp/report/stack_shares.h"
#include "libpp/report/write_text.h"
#include "utils/page_code.h"

namespace op::tool {

namespace {

/// What was profiled: the command, else the only application.
std::string page_title(const pp::Profile& profile, const std::string& command) {
    if (!command.empty()) return command;
    std::set<std::string> applications;
    for (const pp::StackSamples& samples : profile.samples)
        applications.insert(pp::shown_name(profile.images[samples.app].name, false));
    return applications.size() == 1 ? *applications.begin()
                                    : std::to_string(applications.size()) + " applications";
}

/// The lines above a report, with the remarks on how events were counted and what was lost, and the notes.
void add_facts(std::vector<std::string>& facts, const pp::ReportHead& head, const std::string& side) {
    std::vector<std::string> lines;
    const std::string text = pp::banner_text(head);
    for (std::string_view rest = text; !rest.empty();)
        lines.emplace_back(take_line(rest));
    for (const std::string& line : lines) {
        const std::string fact = printable(side.empty() ? line : side + ": " + line);
        if (!line.empty() && std::ranges::find(facts, fact) == facts.end()) facts.push_back(fact);
    }
}

std::string code_rule(double share) {
    char text[128];
    std::snprintf(text, sizeof text,
                  "The page has those of functions with %g %% of the samples and more, if their files were "
                  "at hand.",
                  share);
    return text;
}

void note_want_of_room(const pp::WrittenPage& page, Diagnostics& notes) {
    const std::string remedy = ": a larger --html-size shows more";
    if (page.folded > 0)
        notes.warn("the page has boxes \"[N smaller]\" with " + std::to_string(page.folded) + " samples" +
                   remedy);
    if (!page.has_sources)
        notes.warn("the page has no room for sources and instructions" + remedy);
    else if (!page.has_instructions)
        notes.warn("the page has no room for instructions" + remedy);
}

/// True if each side has enough sessions to test what sessions differ in, and the page has room for them.
bool compares_sessions(const std::vector<LoadedProfile*>& loaded) {
    if (loaded.size() < 2) return false;
    size_t columns = 0;
    for (LoadedProfile* const one : loaded) {
        const pp::Profile& whole = one->profile();
        if (one->session_count() < pp::least_sessions) return false;
        for (const pp::Profile& session : one->session_profiles()) {
            columns += session.columns.size();
            if (session.stacks.is_empty() != whole.stacks.is_empty()) return false;
        }
    }
    return columns <= most_page_columns;
}

void add_sessions(std::vector<const pp::Profile*>& sides, LoadedProfile& loaded) {
    for (const pp::Profile& session : loaded.session_profiles())
        sides.push_back(&session);
}

}  // namespace

void write_profile_page(const std::vector<LoadedProfile*>& loaded, const ProfilePageOptions& options,
                        Outside& outside, Tool& tool) {
    pp::PageProfiles profiles;
    const bool has_sessions = compares_sessions(loaded);
    const double share = options.has_threshold ? options.report.threshold : page_code_share;
    LoadedProfile& last = *loaded.back();
    pp::PageRequest request{.title = "",
                            .sides = options.sides,
                            .code_rule = code_rule(share),
                            .demangle = options.report.demangle,
                            .size = options.size};
    std::vector<pp::ReportHead> heads;
    for (LoadedProfile* const one : loaded) {
        const size_t before = profiles.sides.size();
        const pp::Profile& whole = one->profile();
        heads.push_back(one->head(options.report));
        if (has_sessions) {
            profiles.coded.push_back(&whole);
            add_sessions(profiles.sides, *one);
        } else
            profiles.sides.push_back(&whole);
        if (has_sessions) request.sessions.push_back(profiles.sides.size() - before);
        profiles.events.resize(profiles.sides.size(), pp::event_names(one->profile().columns));
        request.weights.resize(profiles.sides.size(), heads.back().weights);
    }
    if (loaded.size() > 1) check_comparable(heads.front(), heads.back());
    const auto& info = last.opened().info;
    request.title = page_title(last.profile(), info ? info->command : "");
    if (last.has_stacks())
        request.stacks = pp::stack_shares_text(
            pp::stack_shares(last.profile(), last.profile().stacks, options.report.demangle));
    request.code = page_code(loaded, {share, options.report.demangle});
    for (size_t side = 0; side < heads.size(); ++side)
        add_facts(request.facts, heads[side], loaded.size() > 1 ? options.sides[side] : "");
    for (const std::string& note : tool.notes.warnings())
        request.facts.push_back("note: " + printable(note));
    const pp::WrittenPage page = pp::write_page(profiles, request);
    note_want_of_room(page, tool.notes);
    tool.print_notes();
    outside.write(page.html);
}

}  // namespace op::tool
