// SPDX-License-Identifier: GPL-2.0-or-later
// oparchive: copies a session with all that reports on it need, so that it can be read on another machine.
// Layout: doc/FORMATS.md, "Archive".
#include <sys/stat.h>

#include <cerrno>
#include <set>
#include <string>

#include "libop/base/access_policy.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "utils/archive_inventory.h"
#include "utils/archive_session.h"
#include "utils/load_profile.h"
#include "utils/shared/tree_writer.h"

namespace op::tool {
namespace {

struct Options {
    CommonOptions common;
    std::string output;
    bool list = false, exclude_dependent = false, sources = false;
};

CommandSyntax syntax(Options& o) {
    CommandSyntax s;
    s.synopsis = "--output-directory=DIR [PROFILE SPECIFICATION...]";
    s.options = {
        {"output-directory", 'o', &o.output, "where the archive is made", "DIR"},
        {"list-files", 'l', &o.list, "only list the files that belong in it"},
        {"exclude-dependent", 'x', &o.exclude_dependent, "only samples in the application's own image"},
        {"include-sources", 0, &o.sources, "also the source files that samples lie in"},
    };
    for (const auto& option : o.common.table())
        if (const std::string_view name = option.long_name; name != "threshold") s.options.push_back(option);
    return s;
}

/// Calls `take` with the files of the sessions, and then with the selected sample files and the symbols of
/// their run-time code.
void take_files(LoadedProfile& loaded, const TakeSessionFile& take) {
    Diagnostics& notes = loaded.samples().notes();
    for (const SessionReader& session : loaded.opened().sessions)
        take_session_files(session, notes, take);
    for (const auto& file : loaded.files())
        take_sample_file(loaded.opened().sessions[file.session], file.path, notes, take);
    for (const auto& [session, path] : loaded.run_time_code().files())
        take_sample_file(loaded.opened().sessions[session], path, notes, take);
}

/// The words that name sessions, each after a blank: an archive of another session than `current` needs them.
std::string session_words(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words)
        if (word.starts_with("session:")) text += " " + printable(word);
    return text;
}

void list(const ArchiveItems& items, LoadedProfile& loaded) {
    std::string text;
    for (const auto& [item, state] : items)
        text += printable(item.source) + "\n";
    std::set<std::string> paths;  // several sessions have one log
    take_files(loaded, [&](const SessionFile& each) { paths.insert(each.path); });
    for (const std::string& path : paths)
        text += printable(path) + "\n";
    write_stdout(text);
}

/// True if nothing else can be written either.
bool leaves_no_room(const Error& error) {
    return error.code() == ENOSPC || error.code() == EDQUOT;
}

/// The mode bits that the archive may have, also by the umask from now on. Like what root records, what root
/// archives is for root's group at most: kernel addresses, binaries that others may not read.
mode_t allowed_modes() {
    if (!own_access_policy().is_strict) return 0777;
    ::umask(::umask(0777) | S_IWGRP | S_IRWXO);
    return 0750;
}

int oparchive(Tool& tool, int argc, char** argv) {
    Options o;
    const ParsedOptions parsed = parse_options(argc, argv, syntax(o));
    if (parsed.exit_status) return *parsed.exit_status;
    o.common.check();
    if (!o.list && o.output.empty())
        throw_usage("give the directory to make the archive in: --output-directory=DIR");
    LoadOptions load;
    load.select = {.exclude_dependent = o.exclude_dependent, .callgraph = true};
    load.merge = pp::parse_merge(std::vector<std::string>{"all"});
    const mode_t allowed = allowed_modes();
    const Outside outside(
        o.common, {.profiles = {parsed.words}, .output_dir = o.list ? "" : o.output, .keeps_times = !o.list},
        tool);
    LoadedProfile loaded(o.common, parsed.words, load, outside, tool);
    for (const SessionReader& session : loaded.opened().sessions)
        check_session_place(session);
    const ArchiveItems items = find_archive_items(loaded, {o.common.trust_path, o.sources});
    if (o.list) {
        list(items, loaded);
        return 0;
    }
    TreeWriter archive(o.output, allowed);
    for (const auto& each : items)
        tool.attempt(
            [&] {
                const auto& [item, state] = each;
                archive.copy(state.open_again(item.source), printable(item.source), item.target);
            },
            leaves_no_room);
    take_files(loaded, [&](const SessionFile& each) {
        archive.copy(each.file, printable(each.path), each.target, each.size);
    });
    write_stderr("archived: read it with archive:" + printable(o.output) + session_words(parsed.words) +
                 "; the session lies in " + printable(o.output) + system_session_dir + "\n");
    return 0;
}

}  // namespace
}  // namespace op::tool

int main(int argc, char** argv) {
    return op::tool::run(argc, argv, op::tool::oparchive);
}
