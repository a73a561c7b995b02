// SPDX-License-Identifier: GPL-2.0-or-later
// The session directory's lock.
#include "libop/session/session_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/kernel_file.h"
#include "libop/base/text.h"

namespace op {

namespace {

constexpr const char* lock_name = "lock";

/// The pid in the file, or 0 if it holds none.
uint64_t read_pid(const Fd& file) {
    char text[32];
    const ssize_t n = ::pread(file.get(), text, sizeof text, 0);
    std::string_view digits(text, n > 0 ? n : 0);
    if (digits.ends_with('\n')) digits.remove_suffix(1);
    return parse_number(digits).value_or(0);
}

[[noreturn]] void refuse(const std::string& dir_path, uint64_t pid) {
    throw_usage("session directory " + printable(dir_path) + " is in use by " +
                (pid != 0 ? "process " + std::to_string(pid) : "another process") +
                "; wait for it to end or choose another directory");
}

/// Pids may repeat at every boot, so our own or our parent's pid may be the dead owner's.
bool is_classic_daemon(uint64_t pid) {
    if (pid == 0 || pid == static_cast<uint64_t>(::getpid()) || pid == static_cast<uint64_t>(::getppid()))
        return false;
    // A zombie has a name, but no command line.
    return read_kernel_file(proc_path(pid, "comm")) == "oprofiled\n" &&
           !read_kernel_file(proc_path(pid, "cmdline")).empty();
}

/// True if the directory's lock is still the file we have open: its last owner may have removed it between
/// our open and our flock.
bool is_current(const Fd& dir, const Fd& file) noexcept {
    struct stat ours {
    }, named{};
    return ::fstat(file.get(), &ours) == 0 &&
           ::fstatat(dir.get(), lock_name, &named, AT_SYMLINK_NOFOLLOW) == 0 && is_same_file(ours, named);
}

Fd open_lock(const Fd& dir, const std::string& path, const AccessPolicy& policy) {
    Fd file = open_at(dir, lock_name, O_RDWR | O_CREAT | O_NONBLOCK, policy.first_file_mode());
    struct stat st {};
    if (!file || ::fstat(file.get(), &st) != 0) throw_system("cannot open lock file " + path);
    check_own_file(st, path);
    policy.check(st, path);
    if (st.st_size == 0) policy.finish(file);
    return file;
}

Fd open_and_flock(const Fd& dir, const std::string& dir_path, const AccessPolicy& policy) {
    const std::string path = printable(dir_path) + "/" + lock_name;
    for (;;) {
        Fd file = open_lock(dir, path, policy);
        if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
            if (errno == EWOULDBLOCK) refuse(dir_path, read_pid(file));
            throw_system("cannot lock " + path);
        }
        if (is_current(dir, file)) return file;
    }
}

}  // namespace

SessionLock::SessionLock(const Fd& dir, const std::string& dir_path, Diagnostics& notes,
                         const AccessPolicy& policy)
    : dir_(::fcntl(dir.get(), F_DUPFD_CLOEXEC, 0)) {
    if (!dir_) throw_system("cannot keep " + printable(dir_path) + " open");
    Fd file = open_and_flock(dir_, dir_path, policy);
    const uint64_t old = read_pid(file);
    if (is_classic_daemon(old)) refuse(dir_path, old);
    const std::string path = printable(dir_path) + "/" + lock_name;
    was_left_ = old != 0;
    if (was_left_)
        notes.warn(path + ": took over the lock of process " + std::to_string(old) +
                   ", which ended without removing it; its recording may be incomplete");
    if (::ftruncate(file.get(), 0) != 0) throw_system("cannot write " + path);
    write_fd(file.get(), std::to_string(::getpid()), path);
    file_ = std::move(file);
    owner_ = ::getpid();
}

SessionLock& SessionLock::operator=(SessionLock&& other) noexcept {
    if (this == &other) return *this;
    release();
    dir_ = std::move(other.dir_);
    file_ = std::move(other.file_);
    owner_ = other.owner_;
    was_left_ = other.was_left_;
    return *this;
}

bool is_session_in_use(const std::string& session_dir) {
    const Fd file(::open((session_dir + "/" + lock_name).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!file) return errno != ENOENT;
    const uint64_t pid = read_pid(file);
    return pid != 0 && ::access(proc_path(pid, "").c_str(), F_OK) == 0;
}

void SessionLock::release() noexcept {
    if (file_ && owner_ == ::getpid() && is_current(dir_, file_)) ::unlinkat(dir_.get(), lock_name, 0);
    file_.reset();
}

}  // namespace op
