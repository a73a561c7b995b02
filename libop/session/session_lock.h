// SPDX-License-Identifier: GPL-2.0-or-later
// The lock of a session directory: the file `lock` with the owner's pid, held by flock(2).
#pragma once

#include <sys/types.h>

#include <string>

#include "libop/base/access_policy.h"
#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"

namespace op {

/// The lock of one session directory. The file holds the owner's pid in decimal, without a newline. The owner
/// also holds a flock on it, which ends with the process in any case. So a file that can be flock'ed has no
/// owner and is taken over, whatever pid it names, with one exception: if that pid is a running process named
/// oprofiled, the lock is respected, since the classic daemon writes its pid without a flock.
class SessionLock {
public:
    /// No lock.
    SessionLock() = default;
    /// Takes the lock in directory `dir`, called `dir_path` in messages. Throws a usage error naming the
    /// owner's pid if it is held, an input error if `policy` refuses the file, else a system error. A lock
    /// left by a dead owner is a warning.
    SessionLock(const Fd& dir, const std::string& dir_path, Diagnostics& notes,
                const AccessPolicy& policy = {});
    SessionLock(SessionLock&&) noexcept = default;
    SessionLock& operator=(SessionLock&& other) noexcept;
    /// Removes the file if it is still this lock's and this process took the lock (a forked child does not).
    ~SessionLock() { release(); }

    /// True if the previous owner ended without removing the file.
    bool was_left() const noexcept { return was_left_; }
    /// The open file, which keeps the lock.
    int descriptor() const noexcept { return file_.get(); }

private:
    void release() noexcept;

    Fd dir_, file_;
    pid_t owner_ = 0;
    bool was_left_ = false;
};

/// True if the process that the lock of a session directory names is there. Of a process that was killed the
/// lock is left.
bool is_session_in_use(const std::string& session_dir);

}  // namespace op
