// SPDX-License-Identifier: GPL-2.0-or-later
// Walks a session's directory and reads its manifest and sample files.
#include "libop/session/session_files.h"

#include <fcntl.h>
#include <limits.h>

#include <algorithm>
#include <cerrno>

#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/kept_images.h"
#include "libop/session/ledger.h"
#include "libop/session/sample_path.h"

namespace op {

namespace {

// Three images' paths and the fields around them. Longer ones no profiler makes, and opening a directory
// takes time in proportion to its depth.
constexpr size_t longest_path = 4 * PATH_MAX;

class Walk {
public:
    Walk(const Fd& dir, const std::string& label, const std::function<bool(std::string_view)>& is_wanted,
         size_t limit)
        : dir_(dir), label_(label), is_wanted_(is_wanted), limit_(limit) {}

    std::vector<std::string> run() {
        visit("");
        while (!pending_.empty() && found_.size() < limit_) {
            const std::string path = std::move(pending_.back());
            pending_.pop_back();
            visit(path);
        }
        std::sort(found_.begin(), found_.end());
        return std::move(found_);
    }

private:
    /// `at` is a directory's path, empty for the one the walk begins in.
    void visit(const std::string& at) {
        const std::string prefix = at.empty() ? "" : at + "/", label = label_ + "/" + at;
        Fd dir = open_below(dir_, at.empty() ? "." : at, O_RDONLY | O_DIRECTORY);
        if (!dir && errno == ENOENT) return;
        if (!dir) throw_system("cannot read directory " + printable(label));
        for (const DirectoryEntry& entry : read_directory(std::move(dir), label)) {
            // stats/, manifest and whatever else is ours or a stranger's: a sample's path begins with a tag
            if (prefix.empty() && session_part(entry.name) != SessionPart::samples) continue;
            std::string path = prefix + entry.name;
            if (path.size() > longest_path) continue;
            if (entry.is_directory)
                pending_.push_back(std::move(path));
            else if (entry.is_regular && found_.size() < limit_ && is_wanted_(path))
                found_.push_back(std::move(path));
        }
    }

    const Fd& dir_;
    const std::string& label_;
    const std::function<bool(std::string_view)>& is_wanted_;
    const size_t limit_;
    std::vector<std::string> pending_, found_;
};

/// A file of ours beside the sample files, or one of that name left half-written.
bool is_side_file(const DirectoryEntry& entry) {
    const std::string_view name = entry.name;
    const auto is_of = [&](std::string_view ours) {
        return name == ours || name.starts_with("." + std::string(ours) + ".");
    };
    return entry.is_regular &&
           (is_of(manifest_name) || is_of(kallsyms_name) || name.starts_with(fleet_prefix));
}

bool is_side_directory(std::string_view name) {
    return name == statistics_dir || name == kept_images_dir || name == stacks_dir;
}

/// True if there are only directories below the directory `at`, however deep.
bool holds_no_file(const Fd& dir, const std::string& at, const std::string& label) {
    std::vector<std::string> pending{at};
    while (!pending.empty()) {
        const std::string path = std::move(pending.back());
        pending.pop_back();
        Fd below = open_below(dir, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        if (!below) throw_system("cannot read directory " + printable(label + "/" + path));
        for (const DirectoryEntry& entry : read_directory(std::move(below), label + "/" + path)) {
            if (!entry.is_directory) return false;
            pending.push_back(path + "/" + entry.name);
        }
    }
    return true;
}

}  // namespace

SessionPart session_part(std::string_view name) {
    if (name.starts_with('{')) return SessionPart::samples;
    if (name == manifest_name) return SessionPart::manifest;
    if (name == kallsyms_name) return SessionPart::kallsyms;
    if (name == statistics_dir) return SessionPart::statistics;
    if (name == stacks_dir) return SessionPart::stacks;
    if (name == kept_images_dir) return SessionPart::kept_images;
    return name.starts_with(fleet_prefix) ? SessionPart::fleet : SessionPart::unknown;
}

bool holds_only_leavings(const Fd& dir, const std::string& label) {
    for (const DirectoryEntry& entry : read_directory(open_below(dir, ".", O_RDONLY | O_DIRECTORY), label)) {
        if (is_side_file(entry) || (entry.is_directory && is_side_directory(entry.name))) continue;
        if (!entry.is_directory || !holds_no_file(dir, entry.name, label)) return false;
    }
    return true;
}

std::vector<std::string> list_sample_files(const Fd& dir, const std::string& label, size_t limit) {
    return list_session_files(
        dir, label, [](std::string_view path) { return parse_sample_path(path).has_value(); }, limit);
}

std::vector<std::string> list_session_files(const Fd& dir, const std::string& label,
                                            const std::function<bool(std::string_view)>& is_wanted,
                                            size_t limit) {
    return Walk(dir, label, is_wanted, limit).run();
}

SampleFileContent read_sample_file(const Fd& dir, const std::string& path, const std::string& label,
                                   Diagnostics& notes) {
    const std::string name = printable(label + "/" + path);
    const auto bytes = read_file_below(dir, path, name, sample_file_limit);
    if (!bytes) throw_system("cannot open " + name, ENOENT);
    return parse_sample_file(as_bytes(*bytes), name, notes);
}

HeldSamples count_held_samples(const Fd& dir, const std::string& label, Diagnostics& notes) {
    HeldSamples held;
    for (const std::string& path : list_sample_files(dir, label)) {
        try {
            const uint64_t total = read_sample_file(dir, path, label, notes).total;
            uint64_t& sum = parse_sample_path(path)->callee ? held.arcs : held.samples;
            sum = add_saturating(sum, total);
        } catch (const Error& error) {
            notes.warn(std::string(error.what()) + "; its samples are not counted");
        }
    }
    return held;
}

std::optional<SessionInfo> read_manifest(const Fd& dir, const std::string& label, Diagnostics& notes) {
    const std::string path = printable(label) + "/" + manifest_name;
    try {
        const auto text = read_file_below(dir, manifest_name, path, side_file_limit);
        if (text) return parse_session_info(*text, path);
    } catch (const Error& error) {
        notes.warn(std::string(error.what()) + "; the session is read without it");
    }
    return std::nullopt;
}

}  // namespace op
