// SPDX-License-Identifier: GPL-2.0-or-later
// Which directories got or lost entries, as inotify(7) reports it: looking at the times of thousands takes
// long.
#pragma once

#include <unordered_set>

#include "libop/base/fd.h"

namespace op::tool {

/// Directories that are watched.
class DirectoryWatch {
public:
    static constexpr int none = -1;

    DirectoryWatch();

    /// Watches an open directory from now on and returns its number: the same one if it is watched already.
    /// `none` if it cannot be watched: other machines may change it, or there are too many watches.
    int add(const Fd& dir);
    /// Takes over what was reported since the last call.
    void update();
    /// True if a directory got or lost an entry, went or was renamed before the last update() and after the
    /// one before it, or if reports were lost meanwhile.
    bool has_changed(int number) const { return has_lost_ || changed_.contains(number); }

private:
    Fd reports_;
    std::unordered_set<int> changed_;
    bool has_lost_ = false;
};

}  // namespace op::tool
