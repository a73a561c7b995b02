// SPDX-License-Identifier: GPL-2.0-or-later
// Owners and modes along paths.
#include "utils/shared/file_access.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "libop/base/text.h"

namespace op::tool {

namespace {

constexpr int most_links = 40;  // as the kernel follows

/// Follows a path part by part.
class Way {
public:
    Way(const std::string& path, uid_t owner) : owner_(owner) { push(path); }

    /// The place that it leads to; an empty Fd if somebody else can change that, or it leads nowhere.
    Fd follow() {
        while (!parts_.empty()) {
            const std::string part = std::move(parts_.back());
            parts_.pop_back();
            if (!part.empty() && part != "." && !step(part)) return {};
        }
        return std::move(at_);
    }

private:
    void push(std::string_view path) {
        if (path.starts_with('/')) at_.reset(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
        const auto parts = split(path, '/');
        parts_.insert(parts_.end(), parts.rbegin(), parts.rend());
    }
    bool is_trusted(uid_t uid) const { return uid == 0 || uid == owner_; }

    bool step(const std::string& part) {
        struct stat st {};
        if (!at_ || ::fstat(at_.get(), &st) != 0 || !is_trusted(st.st_uid)) return false;
        if ((st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX)) return false;
        Fd next = open_at(at_, part.c_str(), O_PATH);
        if (!next || ::fstat(next.get(), &st) != 0) return false;
        if (S_ISLNK(st.st_mode)) return is_trusted(st.st_uid) && push_link(next);
        at_ = std::move(next);
        return true;
    }
    bool push_link(const Fd& link) {
        char target[PATH_MAX + 1] = {};
        if (++links_ > most_links || ::readlinkat(link.get(), "", target, PATH_MAX) < 0) return false;
        push(target);
        return true;
    }

    uid_t owner_;
    Fd at_;
    std::vector<std::string> parts_;  ///< the next one last
    int links_ = 0;
};

/// True if it is one of the directories named.
bool is_any(const struct stat& dir, std::span<const std::string> named) {
    return std::ranges::any_of(named, [&](const std::string& each) {
        struct stat st {};
        return !each.empty() && ::stat(each.c_str(), &st) == 0 && is_same_file(st, dir);
    });
}

}  // namespace

std::string resolved_path(const Fd& file) {
    std::error_code error;
    const std::string path =
        std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file.get()), error);
    struct stat st {
    }, now{};
    const bool is_there = ::fstat(file.get(), &st) == 0 && ::lstat(path.c_str(), &now) == 0;
    return is_there && is_same_file(st, now) ? path : "";
}

bool is_public(const Fd& file, std::span<const std::string> tops) {
    struct stat st {};
    std::filesystem::path dir = resolved_path(file);
    if (dir.empty() || ::fstat(file.get(), &st) != 0 || !(st.st_mode & S_IROTH)) return false;
    do {
        dir = dir.parent_path();
        if (::stat(dir.c_str(), &st) != 0) return false;
        if (is_any(st, tops)) return true;
        if (!(st.st_mode & S_IXOTH)) return false;
    } while (dir.has_relative_path());
    return true;
}

bool is_path_trusted(const Fd& file, const std::string& path, uid_t owner) {
    if (!path.starts_with('/')) return false;
    const Fd place = Way(path, owner).follow();
    struct stat st {
    }, found{};
    return place && ::fstat(place.get(), &found) == 0 && ::fstat(file.get(), &st) == 0 &&
           is_same_file(st, found);
}

}  // namespace op::tool
