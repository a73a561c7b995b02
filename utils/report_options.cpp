// SPDX-License-Identifier: GPL-2.0-or-later
// What the report commands have in common.
#include "utils/report_options.h"
#include "libpp/symbols/joined_kallsyms.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <utility>

#include "libop/base/error.h"
#include "libop/base/path.h"
#include "libop/base/text.h"
#include "libop/control/control.h"
#include "libpp/profile/session_notes.h"

namespace op::tool {

namespace {

constexpr std::string_view verbose_classes[] = {"all",   "debug", "bfd",  "level1",
                                                "sfile", "stats", "arcs", "xml"};
constexpr std::string_view whole_names = "full";
constexpr const char* archived_session_dir = system_session_dir;
/// How long a report waits for a running daemon to bring its samples into the files.
constexpr std::chrono::milliseconds flush_deadline{2000};

/// Throws an input error that names what is missing, the directory or what makes it an archive.
void check_archive(const std::string& dir) {
    std::error_code error;
    if (!std::filesystem::exists(dir, error) && !error)
        throw_input("archive:" + printable(dir) + ": no such directory");
    const std::string samples = dir + archived_session_dir + "/samples";
    const bool is_there = std::filesystem::exists(samples, error);
    if (error)
        throw_refused("archive:" + printable(dir) + " cannot be read",
                      "read it as its owner or as root, or change its mode", error.value());
    if (!is_there)
        throw_input(printable(dir) + " is not an archive made by oparchive: there is no " +
                    printable(samples));
}

struct SessionDir {
    std::string path;
    std::string shown_default = {};  ///< of the samples, as users are shown it; empty = the user named one
};

SessionDir find_session_dir(const CommonOptions& options, const pp::ProfileSpec& spec) {
    if (!spec.archive.empty()) {
        check_archive(spec.archive);
        return {.path = spec.archive + archived_session_dir};
    }
    if (!options.session_dir.empty()) return {.path = options.session_dir};
    const std::string dir = default_session_dir();
    // The classic default ends in a slash, which shows in the message; scripts know it that way.
    const std::string shown = dir.starts_with('/') ? dir + "/" : absolute_path(dir);
    return {.path = dir, .shown_default = shown + "/samples/"};
}

/// True if the account is the last one, of all samples.
bool is_accounted(const SessionReader& session, const SessionInfo& info) {
    std::error_code error;
    const bool has_lock = std::filesystem::exists(session.path() + "/../../lock", error);
    return info.ledger.sampled() > 0 && !info.unfinished && !has_lock;
}

}  // namespace

std::vector<Option> CommonOptions::table() {
    return {
        {"session-dir", 0, &session_dir, "directory that holds samples/", "DIR"},
        {"image-path", 'p', &image_paths, "further directories searched, recursively, for binaries",
         "DIR,..."},
        {"root", 'R', &root, "prefix of the recorded paths of binaries", "DIR"},
        {"vmlinux", 0, &vmlinux, "kernel image with symbols, for samples in the kernel", "FILE"},
        {"trust-path", 0, &trust_path,
         "use a binary's symbols even if it is not the build that was profiled"},
        {"debuginfod", 0, &debuginfod,
         "servers asked for binaries and debug files by build-id, instead of those in DEBUGINFOD_URLS",
         "URL..."},
        {"no-sandbox", 0, &no_sandbox, "read foreign files with all rights (see SANDBOX in the manual)"},
        {"threshold", 't', &threshold, "leave out what has a smaller share, in percent", "PERCENT"},
        {"verbose", 'V', &verbose, "say more: all, debug, bfd, level1, sfile, stats, arcs, xml", "LIST"},
    };
}

void CommonOptions::check() const {
    for (const auto& word : verbose)
        if (std::ranges::find(verbose_classes, word) == std::end(verbose_classes))
            throw_usage("--verbose=" + word +
                        ": not one of all, debug, bfd, level1, sfile, stats, arcs, xml");
}

bool CommonOptions::is_verbose(std::string_view what) const {
    return std::ranges::any_of(verbose,
                               [&](const std::string& word) { return word == what || word == "all"; });
}

bool CommonOptions::are_notes_few() const {
    return ::isatty(STDERR_FILENO) && !notes_all && !is_verbose("all");
}

size_t CommonOptions::most_missing() const {
    constexpr size_t a_person_reads = 2;
    return are_notes_few() ? a_person_reads : SIZE_MAX;
}

double parse_threshold(const std::string& text) {
    if (text.empty()) return 0;
    double value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0 && value <= 100))
        throw_usage("--threshold=" + text + ": must be a number from 0 to 100");
    return value;
}

pp::Demangle parse_demangle(const std::string& text) {
    if (text == "none") return pp::Demangle::none;
    if (text == "normal" || text == whole_names) return pp::Demangle::normal;
    if (text == "smart") return pp::Demangle::smart;
    throw_usage("--demangle=" + text + ": must be none, normal, smart or full");
}

std::vector<Option> DemangleOptions::table() {
    return {
        {"demangle", 'D', &how, "C++ names: none, normal, smart or full; alone: smart", "HOW", &is_given},
        {"smart-demangle", 0, &smart, "the same as --demangle=smart"},
        {"no-demangle", 0, &none, "the same as --demangle=none"},
    };
}

pp::Demangle DemangleOptions::mode(std::vector<std::string>& words) const {
    std::string value = how.value_or("");
    if (value.find_first_of("/:") != value.npos) words.insert(words.begin(), std::exchange(value, ""));
    const bool is_smart = smart || (is_given && value.empty());
    if (none && (is_smart || (!value.empty() && value != "none")))
        throw_usage("--no-demangle and --" + std::string(smart ? "smart-demangle" : "demangle") +
                    " exclude each other");
    if (none) return pp::Demangle::none;
    if (smart && !value.empty() && value != "smart")
        throw_usage("--smart-demangle and --demangle=" + value + " exclude each other");
    if (is_smart) return pp::Demangle::smart;
    return value.empty() ? pp::Demangle::normal : parse_demangle(value);
}

bool DemangleOptions::is_full() const {
    return how == whole_names;
}

std::string OpenedSessions::kallsyms(Diagnostics& notes) const {
    std::vector<pp::SessionKallsyms> all;
    for (const auto& session : sessions) {
        Diagnostics known;  // of its manifest
        all.push_back({session.kallsyms(notes), session.info(known).value_or(SessionInfo{})});
    }
    return pp::join_kallsyms(std::move(all), info.value_or(SessionInfo{}));
}

bool flush_daemon_of(const CommonOptions& options, const std::vector<std::string>& words) {
    const auto spec = pp::parse_profile_spec(words);
    const SessionDir dir = find_session_dir(options, spec);
    return !spec.archive.empty() || flush_recording_daemon(dir.path, flush_deadline);
}

OpenedSessions open_specified_sessions(const CommonOptions& options, const std::vector<std::string>& words,
                                       Tool& tool) {
    auto spec = pp::parse_profile_spec(words);
    SessionDir dir = find_session_dir(options, spec);
    if (!dir.shown_default.empty() && !options.is_dir_in_head)
        tool.say_once("Using " + printable(dir.shown_default) + " for samples directory.");
    auto sessions = pp::open_sessions(spec, dir.path);
    std::vector<std::vector<RecordedEvent>> events;
    std::optional<SessionInfo> joined;
    bool are_accounted = true;
    for (const auto& session : sessions) {
        const auto info = session.info(tool.notes);
        pp::note_losses(session, info ? &*info : nullptr, tool.notes);
        events.push_back(info ? info->events : std::vector<RecordedEvent>{});
        are_accounted &= info && is_accounted(session, *info);
        if (info && joined) joined->merge(*info);
        if (info && !joined) joined = info;
    }
    pp::ImageSearch search{spec.archive, options.root, options.image_paths};
    for (const auto& session : sessions)
        search.sessions.push_back(session.path());
    if (joined)
        for (const auto& [name, image] : joined->images)
            if (!image.path.empty()) search.paths.emplace(name, image.path);
    pp::ImageFinder finder(std::move(search), joined ? joined->kernel_release : "");
    std::optional<uint64_t> accounted;
    if (joined && are_accounted) accounted = joined->ledger.stored();
    return {std::move(spec), std::move(sessions), std::move(events),           std::move(joined),
            accounted,       std::move(finder),   std::move(dir.shown_default)};
}

}  // namespace op::tool
