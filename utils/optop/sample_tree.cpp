// SPDX-License-Identifier: GPL-2.0-or-later
// Asks the kernel about directories, of which a session has a few for each sample file, else looks at their
// times.
#include "utils/optop/sample_tree.h"

#include <fcntl.h>

#include <utility>

#include "libop/base/clock.h"
#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/sample_path.h"
#include "libop/session/session_files.h"

namespace op::tool {

namespace {

constexpr unsigned looks_between_all = 15;
/// Of a path; no profiler makes longer ones.
constexpr size_t longest_path = 16384;
/// The clock of file systems ticks every 10 ms at most.
constexpr int64_t tick = 100'000'000;  // ns

int64_t now() noexcept {
    timespec time{};
    ::clock_gettime(CLOCK_REALTIME, &time);
    return nanoseconds(time);
}

}  // namespace

bool SampleTree::is_unchanged(const Fd& dir, const Directory& known, bool is_all) const {
    if (known.watch != DirectoryWatch::none) return !watch_.has_changed(known.watch);
    if (is_all) return false;
    struct stat st {};
    const char* const path = known.path.empty() ? "." : known.path.c_str();
    return known.is_settled && ::fstatat(dir.get(), path, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           nanoseconds(st.st_mtim) == nanoseconds(known.changed);
}

/// False if the directory is gone, which it may be while it is read.
bool SampleTree::visit(const Fd& dir, Directory& directory, std::vector<std::string>& found) {
    try {
        read(dir, directory, found);
        return true;
    } catch (const Error& error) {
        if (!is_gone(error.code())) throw;
        directory.watch = DirectoryWatch::none;
        directory.is_settled = false;
        return false;
    }
}

/// Directories in it that are new are added to the list.
void SampleTree::read(const Fd& dir, Directory& directory, std::vector<std::string>& found) {
    const std::string prefix = directory.path.empty() ? "" : directory.path + "/";
    Fd opened = open_below(dir, directory.path.empty() ? "." : directory.path, O_RDONLY | O_DIRECTORY);
    const std::string label = label_ + "/" + directory.path;
    struct stat st {};
    if (!opened || ::fstat(opened.get(), &st) != 0) throw_system("cannot read directory " + printable(label));
    directory.watch = watch_.add(opened);  // before it is read
    directory.changed = st.st_mtim;
    directory.is_settled = now() - nanoseconds(st.st_mtim) > tick;
    for (const DirectoryEntry& entry : read_directory(std::move(opened), label)) {
        if (prefix.empty() && session_part(entry.name) != SessionPart::samples) continue;
        std::string path = prefix + entry.name;
        if (path.size() > longest_path) continue;
        if (entry.is_directory) {
            if (directories_.size() < limit_ && known_directories_.insert(path).second)
                directories_.push_back({std::move(path), {}, false});
        } else if (entry.is_regular && files_.size() < limit_ && parse_sample_path(path) &&
                   files_.insert(path).second) {
            found.push_back(std::move(path));
        }
    }
}

std::vector<std::string> SampleTree::find_new(const Fd& dir) {
    std::vector<std::string> found;
    const bool is_all = looks_++ % looks_between_all == 0;
    watch_.update();
    size_t kept = 0;
    for (size_t i = 0; i < directories_.size(); ++i) {  // which grows meanwhile
        Directory directory = std::move(directories_[i]);
        if (is_unchanged(dir, directory, is_all)) {
            directories_[kept++] = std::move(directory);
        } else if (visit(dir, directory, found) || directory.path.empty()) {
            directories_[kept++] = std::move(directory);
        } else {
            known_directories_.erase(directory.path);
        }
    }
    directories_.resize(kept);
    return found;
}

}  // namespace op::tool
