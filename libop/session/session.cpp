// SPDX-License-Identifier: GPL-2.0-or-later
// The session directory, writing side. All accesses are relative to descriptors, so that a user who can write
// to a directory on the path cannot lead a privileged profiler elsewhere.
#include "libop/session/session.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/kept_images.h"
#include "libop/session/session_files.h"
#include "libop/session/session_statistics.h"

namespace op {

namespace {

constexpr const char* deleted_name = ".deleted";
/// What becomes samples/current when that is saved.
constexpr const char* next_name = ".next";

Fd open_session_dir(const std::string& path, bool create, const AccessPolicy& policy) {
    const bool is_made = create && ::mkdir(path.c_str(), policy.first_directory_mode()) == 0;
    if (create && !is_made && errno != EEXIST)
        throw_refused("cannot make session directory " + printable(path),
                      "name one that you may write to with --session-dir");
    Fd dir(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | (is_made ? O_NOFOLLOW : 0)));
    if (dir && is_made) policy.check(dir, path);
    if (dir && is_made) policy.finish(dir);
    if (dir) return dir;
    if (errno == ENOENT)
        throw_usage("session directory " + printable(path) + " does not exist; make it first");
    throw_refused("cannot open session directory " + printable(path),
                  "name one that you may write to with --session-dir");
}

void check_writable(const Fd& dir, const std::string& path) {
    if (::faccessat(dir.get(), ".", W_OK | X_OK, AT_EACCESS) != 0)
        throw_system("directory " + printable(path) + " is not writable");
}

/// Throws if files there cannot be mapped for writing, as sample files are: some file systems that are shared
/// with other machines cannot do that. Does nothing if no file can be made: making sample files reports that.
void check_mappable(const Fd& dir, const std::string& path) {
    const TemporaryFile probe(dir, "map", path);
    const Fd fd = open_at(dir, probe.name().c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
    if (!fd) return;
    void* const base = ::mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (base == MAP_FAILED)
        throw_system(
            "cannot map files in " + printable(path) +
            " for writing, as sample files have to be; use a session directory on another file system");
    ::munmap(base, 1);
}

/// True if the rename took place, false if there was nothing to rename.
bool rename_in(const Fd& dir, const std::string& dir_path, const char* from, const char* to) {
    if (::renameat(dir.get(), from, dir.get(), to) == 0) return true;
    if (errno == ENOENT) return false;
    throw_system("cannot rename " + printable(dir_path) + "/" + from + " to " + to);
}

bool exists(const Fd& dir, const char* name) noexcept {
    struct stat st {};
    return ::fstatat(dir.get(), name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/// True if a name can be a single file in a directory.
bool is_plain_name(const std::string& name) {
    return !name.empty() && name != "." && name != ".." &&
           name.find_first_of(std::string_view("/\0", 2)) == name.npos;
}

void check_plain_name(const std::string& name) {
    if (!is_plain_name(name))
        throw Error(ErrorKind::internal, "'" + printable(name) + "' is not a file's name");
}

void replace_in(const Fd& dir, const std::string& dir_path, const std::string& name, std::string_view bytes,
                const AccessPolicy& policy) {
    replace_file_at(dir, name, printable(dir_path) + "/" + printable(name), bytes, policy.first_file_mode(),
                    [&policy](const Fd& made) { policy.finish(made); });
}

/// Renames a file to a name that nothing has yet; false with errno set.
bool rename_new(const Fd& dir, const std::string& from, const std::string& to) noexcept {
    if (::renameat2(dir.get(), from.c_str(), dir.get(), to.c_str(), RENAME_NOREPLACE) == 0) return true;
    if (errno != EINVAL) return false;
    // A file system that does not know the flag, such as NFS.
    return ::linkat(dir.get(), from.c_str(), dir.get(), to.c_str(), 0) == 0 &&
           ::unlinkat(dir.get(), from.c_str(), 0) == 0;
}

void write_counters(const Fd& stats, const std::string& path, const SessionInfo& info,
                    const AccessPolicy& policy) {
    for (const auto& [name, count] : statistics(info)) {
        if (count != 0)
            replace_in(stats, path, std::string(name), std::to_string(count), policy);
        else
            ::unlinkat(stats.get(), std::string(name).c_str(), 0);
    }
}

void write_throttled(const Fd& stats, const std::string& path, const SessionInfo& info,
                     const AccessPolicy& policy) {
    Fd throttled;
    for (const RecordedEvent& event : info.events) {
        if (!event.throttled || !is_plain_name(event.name)) continue;
        if (!throttled) throttled = open_directory_at(stats, "throttled", path + "/throttled", true, policy);
        replace_in(throttled, path + "/throttled", event.name, "", policy);
    }
}

}  // namespace

void check_session_name(const std::string& name) {
    const auto is_bad = [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '/' || c == ','; };
    if (name.empty()) throw_usage("a session needs a name");
    if (name.front() == '.' || std::ranges::any_of(name, is_bad))
        throw_usage("'" + printable(name) +
                    "' cannot be a session's name: no '/' or ',' in it and no '.' at its beginning");
}

std::string default_session_dir() {
    struct stat st {};
    const bool is_here = ::stat("./oprofile_data", &st) == 0 && S_ISDIR(st.st_mode);
    return is_here ? "./oprofile_data" : system_session_dir;
}

SessionWriter::SessionWriter(const std::string& session_dir, bool create, Diagnostics& notes)
    : dir_path_(session_dir),
      policy_(own_access_policy()),
      dir_(open_session_dir(session_dir, create, policy_)) {
    check_writable(dir_, dir_path_);
    samples_ = open_directory_at(dir_, "samples", dir_path_ + "/samples", true, policy_);
    lock_ = SessionLock(dir_, dir_path_, notes, policy_);
    check_writable(samples_, dir_path_ + "/samples");
}

SessionWriter::~SessionWriter() = default;

std::string SessionWriter::current_path() const {
    return dir_path_ + "/samples/" + current_session;
}

void SessionWriter::begin(bool append) {
    check_mappable(samples_, dir_path_ + "/samples");
    if (!append) {
        current_.reset();
        rotate();
    }
    current_ = open_directory_at(samples_, current_session, current_path(), true, policy_);
    check_writable(current_, current_path());
    remove_tree_at(samples_, deleted_name, dir_path_ + "/samples/" + deleted_name);
}

// Each step is one rename, so a crash between them loses nothing that was to be kept: at worst the old
// previous is already called .deleted, or previous is missing because current is still current.
void SessionWriter::rotate() {
    const std::string samples_path = dir_path_ + "/samples";
    remove_tree_at(samples_, deleted_name, samples_path + "/" + deleted_name);
    if (!exists(samples_, current_session)) return;
    const Fd old = open_directory_at(samples_, current_session, current_path(), false);
    if (holds_only_leavings(old, current_path())) {
        rename_in(samples_, samples_path, current_session, deleted_name);
        return;
    }
    const bool is_any_previous = rename_in(samples_, samples_path, previous_session, deleted_name);
    try {
        rename_in(samples_, samples_path, current_session, previous_session);
    } catch (const Error&) {
        if (is_any_previous) ::renameat(samples_.get(), deleted_name, samples_.get(), previous_session);
        throw;
    }
}

const Fd& SessionWriter::current() const {
    if (!current_) throw Error(ErrorKind::internal, "session " + printable(dir_path_) + " was not begun");
    return current_;
}

SampleFile SessionWriter::open_sample_file(const SampleName& name, const SampleHeader& header,
                                           Diagnostics& notes) {
    const std::string path = mangle(name);
    Fd owner;
    const Fd* dir = &current();
    size_t begin = 0;
    for (size_t end; (end = path.find('/', begin)) != path.npos; begin = end + 1) {
        const std::string label = current_path() + "/" + path.substr(0, end);
        owner = open_directory_at(*dir, path.substr(begin, end - begin), label, true, policy_);
        dir = &owner;
    }
    return SampleFile(*dir, path.substr(begin), header, printable(current_path() + "/" + path), notes,
                      policy_);
}

size_t SessionWriter::names_to_make(const SampleName& name) const {
    std::string path = mangle(name);
    size_t missing = 0;
    struct stat st {};
    while (::fstatat(current().get(), path.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT) {
        ++missing;
        const size_t slash = path.rfind('/');
        if (slash == path.npos) break;
        path.resize(slash);
    }
    return missing;
}

uint64_t SessionWriter::length_of(const std::string& relative_path) const noexcept {
    struct stat st {};
    const bool is_there =
        current_ && ::fstatat(current_.get(), relative_path.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0;
    return is_there ? static_cast<uint64_t>(st.st_size) : 0;
}

std::vector<std::string> SessionWriter::list() const {
    return list_sample_files(current(), current_path());
}

std::optional<SessionInfo> SessionWriter::read_info(Diagnostics& notes) const {
    return read_manifest(current(), current_path(), notes);
}

void SessionWriter::write_info(const SessionInfo& info) {
    write_file(manifest_name, to_json(info));
}

void SessionWriter::write_file(const std::string& name, std::string_view bytes) {
    check_plain_name(name);
    struct stat st {};
    if (::fstat(current().get(), &st) == 0 && st.st_nlink == 0)
        throw Error(ErrorKind::system,
                    printable(current_path()) +
                        " was removed while it was recorded into; run opcontrol --reset to recreate it",
                    ENOENT);
    replace_in(current(), current_path(), name, bytes, policy_);
}

std::optional<uint64_t> SessionWriter::keep_image(const std::string& build_id, const Fd& file,
                                                  uint64_t limit) {
    return op::keep_image(current(), current_path(), build_id, file, limit, policy_);
}

uint64_t SessionWriter::kept_image_bytes() const {
    return op::kept_image_bytes(current(), current_path());
}

bool SessionWriter::is_in_place() const noexcept {
    struct stat ours {
    }, named{};
    return current_ && ::fstat(current_.get(), &ours) == 0 && ::stat(current_path().c_str(), &named) == 0 &&
           is_same_file(ours, named);
}

void SessionWriter::write_statistics(const SessionInfo& whole) {
    const std::string stats_path = current_path() + "/" + statistics_dir;
    const Fd stats = open_directory_at(current(), statistics_dir, stats_path, true, policy_);
    write_counters(stats, stats_path, whole, policy_);
    write_throttled(stats, stats_path, whole, policy_);
    replace_in(dir_, dir_path_, abi_name, abi_text(), policy_);
}

void SessionWriter::reset() {
    if (!is_in_place()) begin(true);
    for (const DirectoryEntry& entry :
         read_directory(open_at(current(), ".", O_RDONLY | O_DIRECTORY), current_path())) {
        if (session_part(entry.name) != SessionPart::unknown)
            remove_tree_at(current(), entry.name, current_path() + "/" + entry.name);
    }
}

void SessionWriter::save_as(const std::string& name) {
    if (!try_save_as(name))
        throw_usage("session " + printable(samples_path() + "/" + name) + " exists already");
}

// What comes after is made before anything is renamed, so that a full disk does not part the writer from its
// session. A crash between the renames leaves no current, which the next begin() makes.
bool SessionWriter::try_save_as(const std::string& name) {
    check_session_name(name);
    const std::string path = samples_path() + "/" + name;
    Fd next = open_directory_at(samples_, next_name, samples_path() + "/" + next_name, true, policy_);
    if (::renameat2(samples_.get(), current_session, samples_.get(), name.c_str(), RENAME_NOREPLACE) != 0) {
        if (errno == EEXIST) return false;
        throw_system("cannot save the session as " + printable(path));
    }
    if (::renameat2(samples_.get(), next_name, samples_.get(), current_session, RENAME_NOREPLACE) != 0) {
        const int error = errno;
        ::renameat2(samples_.get(), name.c_str(), samples_.get(), current_session, RENAME_NOREPLACE);
        throw_system("cannot begin a new session in " + printable(samples_path()), error);
    }
    current_ = std::move(next);
    return true;
}

void SessionWriter::remove_saved(const std::string& name) {
    check_session_name(name);
    const std::string deleted = samples_path() + "/" + deleted_name;
    remove_tree_at(samples_, deleted_name, deleted);
    if (rename_in(samples_, samples_path(), name.c_str(), deleted_name))
        remove_tree_at(samples_, deleted_name, deleted);
}

Fd SessionWriter::open_log(const std::string& name) const {
    const std::string path = printable(dir_path_) + "/samples/" + printable(name);
    check_plain_name(name);
    Fd log = open_at(samples_, name.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK,
                     policy_.first_file_mode());
    struct stat st {};
    if (!log || ::fstat(log.get(), &st) != 0) throw_system("cannot open " + path);
    check_own_file(st, path);
    policy_.check(st, path);
    if (st.st_size == 0) policy_.finish(log);
    return log;
}

void SessionWriter::append_account(const std::string& log_name, const SessionInfo& info) const {
    write_fd(open_log(log_name).get(), account_text(info), printable(dir_path_) + "/samples/" + log_name);
}

Fd SessionWriter::create_in_samples(const std::string& name) {
    check_plain_name(name);
    remove_in_samples(name);
    Fd file = open_at(samples_, name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
    if (!file) throw_system("cannot create " + printable(dir_path_) + "/samples/" + printable(name));
    return file;
}

std::string SessionWriter::set_aside_in_samples(const std::string& name) {
    check_plain_name(name);
    const std::string samples_path = dir_path_ + "/samples/";
    struct stat st {};
    if (::fstatat(samples_.get(), name.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
        st.st_size == 0)
        remove_in_samples(name);
    for (int i = 1;; ++i) {
        const std::string kept = name + "." + std::to_string(i);
        if (rename_new(samples_, name, kept)) return samples_path + kept;
        if (errno == ENOENT) return "";
        if (errno != EEXIST)
            throw_system("cannot rename " + printable(samples_path + name) + " to " + printable(kept));
    }
}

void SessionWriter::remove_in_samples(const std::string& name) noexcept {
    ::unlinkat(samples_.get(), name.c_str(), 0);
}

}  // namespace op
