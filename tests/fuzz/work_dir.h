// SPDX-License-Identifier: GPL-2.0-or-later
// A directory for the files that a fuzz target opens, removed at the end.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "libop/base/fd.h"

namespace op::fuzz {

class WorkDir {
public:
    WorkDir() {
        // in memory if possible: every file that is rebuilt is synced
        const bool has_shm = ::access("/dev/shm", W_OK) == 0;
        std::string pattern = has_shm ? "/dev/shm" : std::filesystem::temp_directory_path();
        pattern += "/oprofile-ng-fuzz.XXXXXX";
        if (!::mkdtemp(pattern.data())) ::abort();
        path_ = pattern;
        fd_ = open_file(path_, O_RDONLY | O_DIRECTORY);
    }
    WorkDir(const WorkDir&) = delete;
    WorkDir& operator=(const WorkDir&) = delete;
    ~WorkDir() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const Fd& fd() const { return fd_; }
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
    Fd fd_;
};

}  // namespace op::fuzz
