// SPDX-License-Identifier: GPL-2.0-or-later
// The file that dwz moved to what several debug files have in common (.gnu_debugaltlink). Behind the door to
// elfutils.
#pragma once

#include <elfutils/libdw.h>

#include <memory>

#include "libpp/object/debug_places.h"

namespace op::pp {

/// Lends a debug file what it has in common with others.
class SharedDebugInfo {
public:
    /// Opens the file that `dwarf` links to, if it links to one, and passes it to `dwarf`, which must not be
    /// used any more when this object is gone. Looked for at the recorded place, below each of the roots and
    /// relative to the debug file, and in /usr/lib/debug/.dwz and .build-id; it fits by its build-id.
    SharedDebugInfo(Dwarf* dwarf, const DebugPlaces& places);
    ~SharedDebugInfo();

    /// False if the debug file links to one that is not found: it cannot be read then, as a note reports.
    bool is_complete() const noexcept { return is_complete_; }

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
    bool is_complete_ = true;
};

}  // namespace op::pp
