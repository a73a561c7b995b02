// SPDX-License-Identifier: GPL-2.0-or-later
// Reads inotify's reports without waiting for them.
#include "utils/optop/directory_watch.h"

#include <linux/magic.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace op::tool {

namespace {

constexpr uint32_t reported =
    IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;
constexpr uint32_t xfs_magic = 0x58465342, zfs_magic = 0x2fc12fc1;  // not in linux/magic.h

/// True if only this machine's kernel changes the file system, so that it can report all changes.
bool is_local(const Fd& dir) {
    constexpr std::array<uint32_t, 7> local{EXT4_SUPER_MAGIC, xfs_magic, BTRFS_SUPER_MAGIC,    TMPFS_MAGIC,
                                            F2FS_SUPER_MAGIC, zfs_magic, OVERLAYFS_SUPER_MAGIC};
    struct statfs fs {};
    return ::fstatfs(dir.get(), &fs) == 0 &&
           std::ranges::find(local, static_cast<uint32_t>(fs.f_type)) != local.end();
}

}  // namespace

DirectoryWatch::DirectoryWatch() : reports_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}

int DirectoryWatch::add(const Fd& dir) {
    if (!reports_ || !is_local(dir)) return none;
    const std::string path = "/proc/self/fd/" + std::to_string(dir.get());
    const int number = ::inotify_add_watch(reports_.get(), path.c_str(), reported);
    return number < 0 ? none : number;
}

void DirectoryWatch::update() {
    changed_.clear();
    has_lost_ = false;
    if (!reports_) return;
    alignas(inotify_event) std::array<char, size_t{64} << 10> buffer;
    for (;;) {
        const ssize_t length = ::read(reports_.get(), buffer.data(), buffer.size());
        if (length < 0 && errno == EINTR) continue;
        if (length < 0 && errno != EAGAIN) has_lost_ = true;
        if (length <= 0) return;
        for (size_t at = 0; at < static_cast<size_t>(length);) {
            inotify_event event;
            std::memcpy(&event, buffer.data() + at, sizeof event);
            at += sizeof event + event.len;
            if (event.mask & IN_Q_OVERFLOW) has_lost_ = true;
            changed_.insert(event.wd);
        }
    }
}

}  // namespace op::tool
