// SPDX-License-Identifier: GPL-2.0-or-later
// What is known of the sessions of a report.
#include "utils/session_overview.h"

#include <string>
#include <vector>

#include "libop/base/text.h"
#include "libop/session/session_statistics.h"
#include "libpp/report/write_text.h"
#include "utils/load_profile.h"

namespace op::tool {

namespace {

std::string overview(const SessionReader& session, Diagnostics& notes) {
    std::string text = "directory: " + printable(session.path()) + "\n";
    const auto info = session.info(notes);
    if (!info) return text + "no manifest that can be read: another tool may have recorded it\n\n";
    if (!info->host.empty())
        text +=
            "host: " + printable(joined(std::vector{info->host, info->kernel_release, info->machine}, " ")) +
            "\n";
    return text + account_text(*info);
}

/// Of the sessions of one profile; then the head of a report on what is selected of them, with all notes.
std::string overview(LoadedProfile& loaded, const pp::ReportOptions& options, Diagnostics& notes) {
    std::string text;
    for (const SessionReader& session : loaded.opened().sessions)
        text += overview(session, notes);
    loaded.profile();
    text += pp::banner_text(loaded.head(options));
    for (const std::string& note : notes.take())
        text += "Note: " + printable(note) + "\n";
    return text;
}

}  // namespace

void print_sessions(const ReportCommandOptions& o, const pp::ProfileWords& words, const Outside& outside,
                    Tool& tool) {
    LoadOptions load;
    load.select.callgraph = true;  // for what was lost of the stacks
    load.may_differ_in_several = true;
    const auto print = [&](const std::vector<std::string>& of) {
        LoadedProfile loaded(o.common, of, load, outside, tool);
        write_stdout(overview(loaded, o.report, tool.notes));
    };
    print(words.first);
    if (words.second) {
        write_stdout("\n");
        tool.notes.start_over();  // runs of one program have the same notes
        print(*words.second);
    }
}

}  // namespace op::tool
