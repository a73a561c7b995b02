// SPDX-License-Identifier: GPL-2.0-or-later
// What is known of the sessions of a report.
#include "utils/session_overview.h"

#include <vector>

#include "libop/base/text.h"
#include "libop/session/session_statistics.h"
#include "libpp/report/write_text.h"

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

}  // namespace

std::string session_overview(LoadedProfile& loaded, const pp::ReportOptions& options, Diagnostics& notes) {
    std::string text;
    for (const SessionReader& session : loaded.opened().sessions)
        text += overview(session, notes);
    loaded.profile();
    text += pp::banner_text(loaded.head(options));
    for (const std::string& note : notes.take())
        text += "Note: " + printable(note) + "\n";
    return text;
}

}  // namespace op::tool
