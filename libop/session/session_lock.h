// SPDX-License-Identifier: GPL-2.0-or-later
// Who may write to a session directory: the file `lock` with the owner's pid, held by flock(2).
#pragma once

#include <sys/types.h>

#include <string>

#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"

namespace op {

/// The lock of one session directory. The file holds the owner's pid in decimal, without a newline; the owner
/// also keeps it flock'ed, which ends with the process however it ends. Hence a file that can be flock'ed
/// belongs to nobody and is taken over, whatever pid it names and whoever has that pid now, except that a
/// running process called oprofiled is believed: the classic daemon leaves its pid without a flock.
class SessionLock {
public:
    /// No lock.
    SessionLock() = default;
    /// Takes the lock in directory `dir`, called `dir_path` in messages. Throws a usage error naming the
    /// owner's pid if it is held, else a system error. A lock left by a dead owner is a warning.
    SessionLock(const Fd& dir, const std::string& dir_path, Diagnostics& notes);
    SessionLock(SessionLock&&) noexcept = default;
    SessionLock& operator=(SessionLock&& other) noexcept;
    /// Removes the file, if it is still this lock's and this is the process that took it (not a fork of it).
    ~SessionLock() { release(); }

    /// True if it was left by an owner that ended without removing it.
    bool was_left() const noexcept { return was_left_; }

private:
    void release() noexcept;

    Fd dir_, file_;
    pid_t owner_ = 0;
    bool was_left_ = false;
};

}  // namespace op
