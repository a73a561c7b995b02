// SPDX-License-Identifier: GPL-2.0-or-later
// The identity of a file, whatever its path: file system, inode and generation.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace op {

/// A file by device and inode number. Where it comes from a mapping (proc_pid_maps(5), PERF_RECORD_MMAP2),
/// the device is the file system's own, which stat(2) reports differently on btrfs and on overlays.
struct FileIdentity {
    dev_t device = 0;    ///< as makedev(3)
    uint64_t inode = 0;  ///< 0 = nothing is known
    /// Which of the files that had the inode number one after the other, as FS_IOC_GETVERSION of
    /// ioctl_iflags(2) and PERF_RECORD_MMAP2 have it; 0 = not known.
    uint64_t generation = 0;

    bool is_known() const noexcept { return inode != 0; }
    /// False if both generations are known and differ: the inode number was given to another file.
    bool may_have_generation_of(const FileIdentity& other) const noexcept {
        return generation == 0 || other.generation == 0 || generation == other.generation;
    }
    /// True unless they are known to be different files.
    bool may_be(const FileIdentity& other) const noexcept {
        return device == other.device && inode == other.inode && may_have_generation_of(other);
    }
    bool operator==(const FileIdentity&) const = default;
};

}  // namespace op
