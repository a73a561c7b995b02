// SPDX-License-Identifier: GPL-2.0-or-later
// The file to which dwz moved the common parts of several debug files (.gnu_debugaltlink). Behind the door to
// elfutils.
#pragma once

#include <elfutils/libdw.h>

#include <memory>

#include "libpp/object/debug_places.h"

namespace op::pp {

/// Gives a debug file access to the parts it shares with others.
class SharedDebugInfo {
public:
    /// Opens the file that `dwarf` links to, if any, and passes it to `dwarf`, which must not be used after
    /// this object's destruction. Searches the recorded place, below each of the roots and relative to the
    /// debug file, then /usr/lib/debug/.dwz and .build-id. The build-id must match.
    SharedDebugInfo(Dwarf* dwarf, const DebugPlaces& places);
    ~SharedDebugInfo();

    /// False if the linked file was not found. The debug file cannot be read then; a note reports that.
    bool is_complete() const noexcept { return is_complete_; }

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
    bool is_complete_ = true;
};

}  // namespace op::pp
