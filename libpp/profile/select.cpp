// SPDX-License-Identifier: GPL-2.0-or-later
// Selects sample files by a profile specification.
#include "libpp/profile/select.h"

#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <list>
#include <set>

#include "libop/base/counted.h"
#include "libop/base/error.h"
#include "libop/base/path.h"
#include "libop/base/text.h"
#include "libop/session/event_label.h"

namespace op::pp {

namespace {

namespace fs = std::filesystem;

bool is_directory(const std::string& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

/// A pattern as typed, and as an absolute path.
void add_pattern(std::vector<std::string>& patterns, const std::string& text) {
    patterns.push_back(text);
    std::error_code error;
    const fs::path real = fs::canonical(text, error);
    const auto absolute = error ? find_absolute_path(text) : std::optional(real.string());
    if (absolute && absolute != text) patterns.push_back(*absolute);
}

std::vector<std::string> patterns_of(const std::vector<std::string>& texts) {
    std::vector<std::string> patterns;
    for (const auto& text : texts)
        add_pattern(patterns, text);
    return patterns;
}

bool any_matches(const std::vector<std::string>& patterns, const std::vector<std::string>& names) {
    return std::ranges::any_of(patterns, [&](const std::string& pattern) {
        return std::ranges::any_of(names, [&](const std::string& name) {
            return name == pattern || ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
        });
    });
}

template <class T>
bool is_among(const std::vector<T>& wanted, const T& value) {
    return wanted.empty() || std::ranges::find(wanted, value) != wanted.end();
}

/// A file recorded for all threads (or processes, CPUs) never matches a number.
bool number_matches(const std::vector<uint64_t>& wanted, const std::optional<uint32_t>& value) {
    return wanted.empty() || (value && is_among<uint64_t>(wanted, *value));
}

/// True if the samples, or one end of the calls, are in another image than the application's own.
bool is_dependent(const SampleName& name) {
    return name.image != name.app || (name.callee && *name.callee != name.app);
}

/// True if the samples are in a sample file of the session itself.
bool is_own_file(const SampleName& name, const std::string& samples_dir) {
    return name.image.kind == ImageName::Kind::file && name.image.name.starts_with(samples_dir);
}

std::string resolved_path(const std::string& path) {
    std::error_code error;
    const fs::path absolute = fs::weakly_canonical(path, error);
    return error ? path : absolute.string();
}

/// The sessions beside a path that leads to no session, sorted.
std::vector<std::string> sessions_beside(const fs::path& path) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator at(path.parent_path(), error), end; !error && at != end; at.increment(error))
        if (const std::string name = at->path().filename();
            !name.starts_with('.') && is_directory(at->path()))
            names.push_back(printable(name));
    std::ranges::sort(names);
    return names;
}

[[noreturn]] void throw_no_session(const std::string& session_dir, const std::string& name) {
    const std::string path = session_path(session_dir, name);
    std::string message = "No sample file found: there is no session " + path;
    const auto others = sessions_beside(path);
    if (is_directory(session_dir + system_session_dir + "/samples"))
        message += "; " + session_dir + " is an archive of oparchive: read it with archive:" + session_dir;
    else if (is_directory(name + "/samples"))
        message += "; " + name + " is a session directory: use --session-dir=" + name;
    else if (!others.empty() && name.find('/') == name.npos)
        message += others.size() == 1
                       ? "; there is session:" + others.front()
                       : "; there are sessions " + short_list(others) + ": name one with session:";
    else if (name == current_session)
        message += "; profile something first (operf), or name the session directory with --session-dir";
    throw_usage(message);
}

SessionReader open_session(const std::string& session_dir, const std::string& name) {
    const std::string path = session_path(session_dir, name);
    try {
        return SessionReader(path);
    } catch (const Error& error) {
        if (error.code() == ENOENT || error.code() == ENOTDIR) throw_no_session(session_dir, name);
        if (error.code() != EACCES) throw;
        throw Error(
            error.kind(),
            std::string(error.what()) +
                "; read it as the user that recorded it or as root; what root recorded may be read by "
                "the group oprofile, too",
            EACCES);
    }
}

/// A recording of operf --lazy-conversion that was not converted, beside the session; else empty.
std::string unconverted_beside(const SessionReader& session) {
    const fs::path samples = fs::path(session.path()).parent_path();
    for (const std::string end : {"", ".1"})
        if (const std::string path = samples / (lazy_recording + end); is_regular_file(path)) return path;
    return "";
}

/// Why a session might be empty, from its manifest, or from what lies beside it if it has none.
std::string empty_reason(const SessionReader& session) {
    Diagnostics unread;
    const auto info = session.info(unread);
    if (!info) {
        const std::string path = unconverted_beside(session);
        return path.empty() ? ""
                            : "; " + printable(path) +
                                  " holds samples that were not converted: see --lazy-conversion in operf(1)";
    }
    if (const uint64_t lost = info->ledger.lost())
        return "; " + (lost == 1 ? "the one sample" : "all " + std::to_string(lost) + " samples") + " of " +
               session.path() + (lost == 1 ? " was lost" : " were lost");
    std::vector<std::string> events;
    if (std::ranges::all_of(info->events, [](const RecordedEvent& e) { return e.time.is_without_counter(); }))
        return "; no event of " + session.path() + " was counted";
    for (const auto& event : info->events)
        events.push_back(event.label());
    return "; the events of " + session.path() + " (" + joined(events) +
           ") occurred fewer times than their count, or the recording was killed before it stored any "
           "sample: "
           "use a smaller count or profile for longer, unless the recorder reported another cause";
}

[[noreturn]] void throw_empty(const std::vector<SessionReader>& sessions) {
    std::string message = "No sample found: specify a session containing sample data";
    for (const auto& session : sessions)
        message += empty_reason(session);
    throw_usage(message);
}

/// A word of which the session has no image, and what may be meant: every word without a known tag is a path.
std::string hint_for(const std::string& word) {
    const std::string text = "; the session has no samples of '" + printable(word) + "'";
    const size_t colon = word.find(':');
    if (colon != word.npos && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == colon)
        return text + ", which begins with no known tag, so it was taken for a path";
    if (word.find('/') == word.npos && word.find_first_of("*?[") != word.npos)
        return text + ": a pattern is of whole paths, as '*/" + printable(word) + "'";
    if (word.find('/') != word.npos) return text;
    return text + ": for a part of a name use a pattern, as '*" + printable(word) + "*'";
}

/// The numbers in which the sample files seen differ.
struct SeenNumbers {
    std::set<uint64_t> tids, tgids, cpus;
};

/// Lists the existing numbers if no wanted one is among them.
std::string hint_for_numbers(const char* what, const std::vector<uint64_t>& wanted,
                             const std::set<uint64_t>& seen) {
    const auto is_seen = [&](uint64_t number) { return seen.contains(number); };
    if (wanted.empty() || seen.empty() || std::ranges::any_of(wanted, is_seen)) return "";
    std::vector<std::string> texts;
    for (const uint64_t number : seen)
        texts.push_back(std::to_string(number));
    return std::string("; the session has ") + what + " " + short_list(texts);
}

std::string hints_for_numbers(const ProfileSpec& spec, const SeenNumbers& seen) {
    std::string text;
    if (seen.tids.empty() && seen.tgids.empty() && (!spec.tids.empty() || !spec.tgids.empty()))
        text += "; tid: and tgid: need a session recorded with operf --separate-thread";
    if (seen.cpus.empty() && !spec.cpus.empty())
        text += "; cpu: needs a session recorded with operf --separate-cpu";
    return text + hint_for_numbers("processes", spec.tgids, seen.tgids) +
           hint_for_numbers("threads", spec.tids, seen.tids) + hint_for_numbers("CPUs", spec.cpus, seen.cpus);
}

[[noreturn]] void throw_no_match(size_t files, const std::set<std::string>& events,
                                 const std::string& hints) {
    throw_usage("No sample file found: the profile specification matches none of the " +
                counted(files, "sample file") +
                " (events recorded: " + joined(std::vector(events.begin(), events.end()), " ") + ")" + hints);
}

/// Collects the selected files of all sessions.
class Selector {
public:
    Selector(const ProfileSpec& spec, const SelectOptions& options, const ImageFinder& finder,
             Diagnostics& notes)
        : spec_(spec), filter_(spec, finder, options.is_exact), options_(options), notes_(notes) {}

    void add_session(const SessionReader& session) {
        const std::string& directory = directories_.emplace_back(resolved_path(session.path()));
        for (auto& path : session.list())
            if (auto name = parse_sample_path(path)) add(std::move(path), std::move(*name), directory);
        ++session_;
    }
    std::vector<SelectedFile> finish(const std::vector<SessionReader>& sessions) && {
        choose();
        if (without_program_ > 0)
            notes_.warn(counted(without_program_, "sample file") +
                        " left out: their application is anonymous memory, not a program");
        if (seen_ == 0) throw_empty(sessions);
        if (!has_samples_)
            throw_no_match(seen_, events_,
                           hints_for_images() + hints_for_numbers(spec_, numbers_) + hint_for_options());
        return std::move(files_);
    }

private:
    /// Those that no image has.
    std::vector<std::string> unknown_words() {
        std::vector<std::string> unknown;
        for (const auto* words : {&spec_.words, &spec_.images, &spec_.libraries, &spec_.excluded_images,
                                  &spec_.excluded_libraries})
            for (const auto& word : *words)
                if (!filter_.is_any_named(word, images_, notes_)) unknown.push_back(word);
        return unknown;
    }

    /// The words that no image has, and the images that there are.
    std::string hints_for_images() {
        std::string text;
        for (const std::string& word : unknown_words())
            text += hint_for(word);
        if (text.empty()) return "";
        std::set<std::string> names;
        for (const ImageName& image : images_)
            if (image.kind != ImageName::Kind::anon) names.insert(printable(image.display()));
        return text + "; it has samples of " + short_list(std::vector(names.begin(), names.end()));
    }

    std::string hint_for_options() const {
        return options_.exclude_dependent
                   ? "; --exclude-dependent leaves out samples in libraries and in the kernel"
                   : "";
    }

    void add(std::string path, SampleName name, const std::string& directory) {
        if (name.callee && !options_.callgraph) return;
        if (name.app.kind == ImageName::Kind::anon) {
            ++without_program_;
            return;
        }
        if (!name.callee) ++seen_;
        images_.insert({name.app, name.image});
        if (name.tid) numbers_.tids.insert(*name.tid);
        if (name.tgid) numbers_.tgids.insert(*name.tgid);
        if (name.cpu) numbers_.cpus.insert(*name.cpu);
        events_.insert(event_label(name.event, name.count));
        if (is_own_file(name, directory + "/")) {
            notes_.warn("samples in the profiler's own sample files left out: the sampling rate is too high");
            return;
        }
        if (options_.exclude_dependent && is_dependent(name)) return;
        candidates_.push_back({{session_, std::move(path), std::move(name)}, directory});
    }

    /// Chooses among the candidates, when all images are known.
    void choose() {
        if (!options_.is_exact)
            for (const std::string& word : unknown_words())
                filter_.match_base_names(word);
        for (Candidate& candidate : candidates_) {
            SelectedFile& file = candidate.file;
            if (!filter_.matches(file.name, candidate.directory, file.path, notes_)) continue;
            has_samples_ |= !file.name.callee;
            files_.push_back(std::move(file));
        }
    }

    struct Candidate {
        SelectedFile file;
        const std::string& directory;  ///< of the session, in directories_
    };

    const ProfileSpec& spec_;
    SampleFilter filter_;
    const SelectOptions& options_;
    Diagnostics& notes_;
    size_t session_ = 0;
    size_t seen_ = 0;             ///< files of samples, not of arcs
    bool has_samples_ = false;    ///< such a file is selected
    size_t without_program_ = 0;  ///< files left out
    SeenNumbers numbers_;
    std::set<ImageName> images_;
    std::set<std::string> events_;
    std::list<std::string> directories_;  ///< of the sessions
    std::vector<Candidate> candidates_;
    std::vector<SelectedFile> files_;
};

}  // namespace

SampleFilter::SampleFilter(const ProfileSpec& spec, const ImageFinder& finder, bool is_exact)
    : spec_(spec),
      finder_(finder),
      is_exact_(is_exact),
      words_(patterns_of(spec.words)),
      images_(patterns_of(spec.images)),
      excluded_(patterns_of(spec.excluded_images)),
      libraries_(patterns_of(spec.libraries)),
      excluded_libraries_(patterns_of(spec.excluded_libraries)),
      sample_files_(patterns_of(spec.sample_files)) {}

bool SampleFilter::matches(const SampleName& name, const std::string& directory, const std::string& path,
                           Diagnostics& notes) {
    return (sample_files_.empty() || any_matches(sample_files_, {path, directory + "/" + path})) &&
           is_among(spec_.events, name.event) && is_among(spec_.counts, name.count) &&
           is_among(spec_.unit_masks, name.unit_mask) && number_matches(spec_.tids, name.tid) &&
           number_matches(spec_.tgids, name.tgid) && number_matches(spec_.cpus, name.cpu) &&
           images_match(name, notes);
}

bool SampleFilter::is_any_named(const std::string& word, const std::set<ImageName>& images,
                                Diagnostics& notes) {
    const Patterns patterns = patterns_of({word});
    return std::ranges::any_of(
        images, [&](const ImageName& image) { return any_matches(patterns, names_of(image, notes)); });
}

void SampleFilter::match_base_names(const std::string& word) {
    if (word.find_first_of("/*?[") != word.npos) return;
    for (Patterns* const patterns : {&words_, &images_, &libraries_, &excluded_, &excluded_libraries_})
        if (std::ranges::find(*patterns, word) != patterns->end()) patterns->push_back("*/" + word);
}

bool SampleFilter::selects(const Patterns& patterns, const Names& names) const {
    if (!is_exact_) return any_matches(patterns, names);
    return std::ranges::find(patterns, names.front()) != patterns.end();
}

bool SampleFilter::images_match(const SampleName& name, Diagnostics& notes) {
    if (words_.empty() && images_.empty() && excluded_.empty() && libraries_.empty() &&
        excluded_libraries_.empty())
        return true;
    const Names& app = names_of(name.app, notes);
    const Names& library = names_of(name.image, notes);
    if (any_matches(excluded_, app) || any_matches(excluded_, library) ||
        any_matches(excluded_libraries_, library))
        return false;
    if (selects(words_, app) || selects(words_, library)) return true;
    if (!words_.empty() && images_.empty()) return false;
    return (images_.empty() || selects(images_, app)) && (libraries_.empty() || selects(libraries_, library));
}

const SampleFilter::Names& SampleFilter::names_of(const ImageName& image, Diagnostics& notes) {
    const auto [at, is_new] = names_.try_emplace(image);
    if (!is_new) return at->second;
    Names& names = at->second;  // the one in the session first
    names.push_back(image.display());
    if (image.kind == ImageName::Kind::kernel) names.push_back("/" + image.name);
    if (const std::string& path = finder_.path(image.name); path != image.name) names.push_back(path);
    if (image.kind == ImageName::Kind::anon && image.tgid != 0 && image.start != 0) {
        const std::string tgid =
            std::to_string(image.tgid);  // as reports show it, if its functions are known
        names.insert(names.end(), {"[jit] " + tgid, tgid + ".jo", "[jit]"});
    }
    if (image.kind != ImageName::Kind::anon)
        if (auto found = finder_.find(image.name, notes)) names.push_back(std::move(*found));
    return names;
}

std::string session_path(const std::string& session_dir, const std::string& name) {
    if (name.starts_with('.') || name.starts_with('/')) return name;
    return session_dir + "/samples/" + name;
}

std::vector<SessionReader> open_sessions(const ProfileSpec& spec, const std::string& session_dir) {
    std::vector<SessionReader> sessions;
    for (const auto& name : spec.sessions)
        sessions.push_back(open_session(session_dir, name));
    return sessions;
}

std::vector<SelectedFile> select_files(const std::vector<SessionReader>& sessions, const ProfileSpec& spec,
                                       const SelectOptions& options, const ImageFinder& finder,
                                       Diagnostics& notes) {
    Selector selector(spec, options, finder, notes);
    for (const auto& session : sessions)
        selector.add_session(session);
    return std::move(selector).finish(sessions);
}

}  // namespace op::pp
