// SPDX-License-Identifier: GPL-2.0-or-later
// The identity of a file, whatever its path: file system and inode.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace op {

/// A file by device and inode number. Where it comes from a mapping (proc_pid_maps(5), PERF_RECORD_MMAP2),
/// the device is the file system's own, which stat(2) reports differently on btrfs and on overlays.
struct FileIdentity {
    dev_t device = 0;    ///< as makedev(3)
    uint64_t inode = 0;  ///< 0 = nothing is known

    bool is_known() const noexcept { return inode != 0; }
    bool operator==(const FileIdentity&) const = default;
};

}  // namespace op
