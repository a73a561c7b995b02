// SPDX-License-Identifier: GPL-2.0-or-later
// Directories over openat(2) and its kin.
#include "libop/base/directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op {

namespace {

struct CloseDir {
    void operator()(DIR* dir) const { ::closedir(dir); }
};

[[noreturn]] void fail(const std::string& what, const std::string& label, int code = errno) {
    throw_system(what + " " + printable(label), code);
}

DirectoryEntry entry_of(const DIR* stream, const dirent& raw) {
    DirectoryEntry entry{raw.d_name, raw.d_type == DT_DIR, raw.d_type == DT_REG};
    struct stat st {};
    if (raw.d_type == DT_UNKNOWN &&
        ::fstatat(::dirfd(const_cast<DIR*>(stream)), raw.d_name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        entry.is_directory = S_ISDIR(st.st_mode);
        entry.is_regular = S_ISREG(st.st_mode);
    }
    return entry;
}

/// Throws an error that names the kind of file found in place of a directory.
[[noreturn]] void refuse_directory(const Fd& dir, const std::string& name, const std::string& label,
                                   int code) {
    struct stat st {};
    const bool is_known = (code == ENOTDIR || code == ELOOP) &&
                          ::fstatat(dir.get(), name.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (is_known && S_ISLNK(st.st_mode))
        throw Error(ErrorKind::system,
                    printable(label) +
                        " is a symbolic link, which is not followed here; put a directory in its place",
                    code);
    if (is_known && !S_ISDIR(st.st_mode))
        throw Error(ErrorKind::system, printable(label) + " is in the way: a directory is needed there",
                    code);
    fail("cannot open directory", label, code);
}

constexpr int directory_flags = O_RDONLY | O_DIRECTORY;

/// Moves the new directory to its name; false if something else has that name meanwhile.
bool move_into_place(const Fd& dir, const std::string& from, const std::string& name) noexcept {
    if (::renameat2(dir.get(), from.c_str(), dir.get(), name.c_str(), RENAME_NOREPLACE) == 0) return true;
    // A file system that does not know the flag: at worst, an empty directory is replaced.
    return errno == EINVAL && ::renameat(dir.get(), from.c_str(), dir.get(), name.c_str()) == 0;
}

/// Opens a directory that was just made as `name`. One that cannot be used is removed.
Fd open_made(const Fd& dir, const std::string& name, const std::string& label, const AccessPolicy& policy) {
    Fd made = open_at(dir, name.c_str(), directory_flags);
    struct stat st {};
    const bool is_known = made && ::fstat(made.get(), &st) == 0;
    const int error = errno;
    if (is_known && (!policy.is_strict || st.st_uid == ::geteuid())) {
        policy.finish(made);
        return made;
    }
    ::unlinkat(dir.get(), name.c_str(), AT_REMOVEDIR);
    if (!is_known) fail("cannot make directory", label, error);
    throw Error(ErrorKind::system, "cannot make directory " + printable(label) +
                                       ": what is made on this file system belongs to user " +
                                       std::to_string(st.st_uid) + "; use a directory on another one");
}

/// The new directory, or none if there is something of that name now. Under another name first if the policy
/// is strict; otherwise it makes do without renaming, which a sandbox may forbid.
Fd make_directory(const Fd& dir, const std::string& name, const std::string& label,
                  const AccessPolicy& policy) {
    const std::string first_name = policy.is_strict ? temporary_name("") : name;
    if (::mkdirat(dir.get(), first_name.c_str(), policy.first_directory_mode()) != 0) {
        if (errno == EEXIST && !policy.is_strict) return {};
        fail("cannot make directory", label);
    }
    Fd made = open_made(dir, first_name, label, policy);
    if (!policy.is_strict || move_into_place(dir, first_name, name)) return made;
    const int error = errno;
    ::unlinkat(dir.get(), first_name.c_str(), AT_REMOVEDIR);
    if (error != EEXIST && error != ENOTEMPTY && error != ENOTDIR)
        fail("cannot make directory", label, error);
    return {};
}

/// Empties one tree, holding at most `deepest` descriptors: what lies deeper is moved up to the top and
/// removed from there, so that depth costs neither stack nor descriptors nor path length.
class TreeRemover {
public:
    TreeRemover(Fd top, const std::string& label) : top_(std::move(top)), label_(label) {
        if (::fstat(top_.get(), &stat_) != 0) fail("cannot stat", label);
    }

    void run() {
        do {
            is_any_hoisted_ = false;
            empty(top_, 0);
        } while (is_any_hoisted_);
    }

private:
    static constexpr int deepest = 40;

    void empty(const Fd& dir, int depth) {
        Fd again = open_at(dir, ".", O_RDONLY | O_DIRECTORY);
        if (!again) fail("cannot read directory", label_);
        for (const DirectoryEntry& entry : read_directory(std::move(again), label_)) {
            if (!entry.is_directory)
                unlink(dir, entry.name, 0);
            else if (depth < deepest)
                remove_directory(dir, entry.name, depth);
            else
                hoist(dir, entry.name);
        }
    }

    void remove_directory(const Fd& dir, const std::string& name, int depth) {
        {
            const Fd sub = open_at(dir, name.c_str(), O_RDONLY | O_DIRECTORY);
            struct stat st {};
            if (!sub || ::fstat(sub.get(), &st) != 0) fail("cannot remove", label_ + "/.../" + name);
            if (st.st_dev != stat_.st_dev) fail("cannot remove", label_ + "/.../" + name, EBUSY);
            empty(sub, depth + 1);
        }
        unlink(dir, name, AT_REMOVEDIR);
    }

    void unlink(const Fd& dir, const std::string& name, int flags) const {
        if (::unlinkat(dir.get(), name.c_str(), flags) != 0 && errno != ENOENT)
            fail("cannot remove", label_ + "/.../" + name);
    }

    void hoist(const Fd& dir, const std::string& name) {
        is_any_hoisted_ = true;
        for (;;) {
            const std::string free_name = ".up" + std::to_string(++hoisted_);
            if (::renameat(dir.get(), name.c_str(), top_.get(), free_name.c_str()) == 0) return;
            if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR)
                fail("cannot remove", label_ + "/.../" + name);
        }
    }

    Fd top_;
    const std::string& label_;
    struct stat stat_ {};
    bool is_any_hoisted_ = false;
    uint64_t hoisted_ = 0;
};

/// The length of what is opened at once of `path`: all that the system takes if links are followed, else one
/// name. 0 = there is no slash where one is needed.
size_t length_at_once(std::string_view path, bool follows_links) noexcept {
    if (!follows_links) return std::min(path.find('/'), path.size());
    return path.size() < PATH_MAX ? path.size() : path.rfind('/', PATH_MAX - 2) + 1;
}

/// Opens `path` below `dir`; an empty Fd with errno set on failure. Links in the last component are never
/// followed, those before it only if `follows_links`; else ".." is refused, too.
Fd walk(const Fd& dir, std::string_view path, int flags, bool follows_links) noexcept {
    char part[PATH_MAX];
    Fd owner;
    for (const Fd* from = &dir;; from = &owner) {
        const size_t length = length_at_once(path, follows_links);
        const std::string_view now = path.substr(0, length);
        const bool is_valid = !path.starts_with('/') && !path.empty() && (follows_links || now != "..");
        if (!is_valid || length == 0 || length >= sizeof part) {
            errno = is_valid ? ENAMETOOLONG : EINVAL;
            return {};
        }
        part[now.copy(part, length)] = '\0';
        const bool is_last = length == path.size();
        Fd found = open_at(*from, part, is_last ? flags : O_PATH | O_DIRECTORY);
        if (is_last || !found) return found;
        owner = std::move(found);
        path.remove_prefix(std::min(path.find_first_not_of('/', length), path.size()));
    }
}

}  // namespace

void check_own_file(const struct stat& st, const std::string& label) {
    if (!S_ISREG(st.st_mode)) throw_input(label + " is not a regular file; remove it");
    if (st.st_nlink > 1)
        throw_input(label +
                    " has a second name (hard link), so writing to it might change another file; remove it");
}

bool is_gone(int code) noexcept {
    return code == ENOENT || code == ENOTDIR || code == ESTALE;
}

std::vector<DirectoryEntry> read_directory(Fd dir, const std::string& label) {
    const std::unique_ptr<DIR, CloseDir> stream(::fdopendir(dir.get()));
    if (!stream) fail("cannot read directory", label);
    dir.release();
    std::vector<DirectoryEntry> entries;
    for (;;) {
        errno = 0;
        const dirent* raw = ::readdir(stream.get());
        if (!raw && errno != 0) fail("cannot read directory", label);
        if (!raw) return entries;
        const std::string_view name = raw->d_name;
        if (name != "." && name != "..") entries.push_back(entry_of(stream.get(), *raw));
    }
}

Fd open_directory_at(const Fd& dir, const std::string& name, const std::string& label, bool make,
                     const AccessPolicy& policy) {
    Fd fd = open_at(dir, name.c_str(), directory_flags);
    if (!fd && errno == ENOENT && make) {
        fd = make_directory(dir, name, label, policy);
        if (!fd) fd = open_at(dir, name.c_str(), directory_flags);
    }
    if (!fd) refuse_directory(dir, name, label, errno);
    policy.check(fd, label);
    return fd;
}

Fd open_below(const Fd& dir, std::string_view path, int flags) noexcept {
    return walk(dir, path, flags, true);
}

Fd open_regular_below(const Fd& dir, std::string_view path, const std::string& label) {
    const Fd place = walk(dir, path, O_PATH, false);
    struct stat st {};
    if (!place && errno == ENOENT) return {};
    if (!place || ::fstat(place.get(), &st) != 0) fail("cannot open", label);
    if (S_ISLNK(st.st_mode))
        throw_input(printable(label) + " is a symbolic link, which is not followed here");
    if (!S_ISREG(st.st_mode)) throw_input(printable(label) + ": not a regular file");
    Fd file = reopen_regular(place);
    if (!file && errno == ENOENT) file = walk(dir, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, false);
    if (!file || ::fstat(file.get(), &st) != 0) fail("cannot open", label);
    if (!S_ISREG(st.st_mode)) throw_input(printable(label) + ": not a regular file");
    return file;
}

std::optional<std::string> read_file_below(const Fd& dir, std::string_view path, const std::string& label,
                                           size_t limit) {
    const Fd fd = open_below(dir, path, O_RDONLY | O_NONBLOCK);
    if (!fd && errno == ENOENT) return std::nullopt;
    if (!fd) fail("cannot open", label);
    struct stat st {};
    if (::fstat(fd.get(), &st) != 0) fail("cannot stat", label);
    if (!S_ISREG(st.st_mode)) throw_input(printable(label) + ": not a regular file");
    if (static_cast<uint64_t>(st.st_size) > limit)
        throw_input(printable(label) + ": longer than " + std::to_string(limit) + " bytes");
    return read_fd(fd.get(), printable(label));
}

void remove_tree_at(const Fd& dir, const std::string& name, const std::string& label) {
    if (::unlinkat(dir.get(), name.c_str(), 0) == 0 || errno == ENOENT) return;
    Fd top = open_at(dir, name.c_str(), O_RDONLY | O_DIRECTORY);
    if (!top) fail("cannot remove", label);
    TreeRemover(std::move(top), label).run();
    if (::unlinkat(dir.get(), name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT)
        fail("cannot remove", label);
}

}  // namespace op
