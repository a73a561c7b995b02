// SPDX-License-Identifier: GPL-2.0-or-later
// A file that was checked and is opened again later, by its path.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "libop/base/fd.h"

namespace op::tool {

/// What shows that a path still leads to the file that was checked, with the same content: file system,
/// inode, size and time of the last change (st_ctim), which nobody can set. Holds no descriptor.
class CheckedFile {
public:
    /// The state of an open file; `path` is for messages. Throws a system error.
    CheckedFile(const Fd& file, const std::string& path);

    /// Opens the file for reading. Throws an input error if the path leads to another one by now, or the file
    /// was changed, else like open_regular().
    Fd open_again(const std::string& path) const;

    bool operator==(const CheckedFile&) const = default;

private:
    dev_t device_;
    ino_t inode_;
    off_t size_;
    int64_t changed_;       ///< seconds since the epoch
    int64_t changed_part_;  ///< further nanoseconds
};

}  // namespace op::tool
