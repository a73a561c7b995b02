// SPDX-License-Identifier: GPL-2.0-or-later
// By /proc/self/fd; where that is missing, by their numbers.
#include "utils/shared/inherited_descriptors.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace op::tool {

namespace {

/// The numbers tried without /proc: as many as a process may usually have.
constexpr int usual_limit = 1024;

std::vector<int> open_descriptors() noexcept {
    std::vector<int> found;
    if (DIR* const dir = ::opendir("/proc/self/fd")) {
        while (const dirent* const entry = ::readdir(dir))
            found.push_back(std::atoi(entry->d_name));
        ::closedir(dir);
        return found;
    }
    for (int fd = 0; fd < usual_limit; ++fd)
        found.push_back(fd);
    return found;
}

}  // namespace

void close_writable_descriptors(std::span<const int> kept) noexcept {
    for (const int fd : open_descriptors()) {
        if (fd <= STDERR_FILENO || std::ranges::find(kept, fd) != kept.end()) continue;
        const int flags = ::fcntl(fd, F_GETFL);
        if (flags >= 0 && (flags & O_PATH) == 0 && (flags & O_ACCMODE) != O_RDONLY) ::close(fd);
    }
}

}  // namespace op::tool
