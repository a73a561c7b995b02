// SPDX-License-Identifier: GPL-2.0-or-later
// The process that makes readers of maps. It is forked while the recorder still has its rights and is small,
// and keeps of them what a reader needs to become another process's user.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "libop/base/fd.h"

namespace op::collect {

/// Not thread-safe. Its process ends with it, and all readers.
class ReaderSpawner {
public:
    /// Forks. Signals for the process group do not reach the child. Without a child (there is no room for
    /// one) no process is watched.
    ReaderSpawner();
    ReaderSpawner(const ReaderSpawner&) = delete;
    ReaderSpawner& operator=(const ReaderSpawner&) = delete;
    /// Waits for the child, which waits a moment for the readers: one may hang.
    ~ReaderSpawner();

    /// A socket to a new reader of that process's map (see run_map_reader()), non-blocking; empty on failure.
    Fd watch(uint32_t tgid);

private:
    Fd socket_;
    pid_t pid_ = -1;
    int64_t since_ = 0;
};

}  // namespace op::collect
