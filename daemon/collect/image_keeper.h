// SPDX-License-Identifier: GPL-2.0-or-later
// Keeps copies of the binaries that will be gone when a report is made, within limits.
#pragma once

#include <cstdint>

#include "daemon/collect/known_images.h"
#include "libop/base/diagnostics.h"
#include "libop/session/kept_images.h"
#include "libop/session/session.h"

namespace op::collect {

/// Not thread-safe.
class ImageKeeper {
public:
    /// Both must outlive the object.
    ImageKeeper(SessionWriter& session, Diagnostics& notes) : session_(session), notes_(notes) {}

    /// Copies the file into the session if its path does not lead to it here. What cannot be kept is noted
    /// once.
    void keep(const MappedFileFacts& facts);
    /// The limit counts from 0 again, for a new run.
    void begin_run() noexcept { room_ = kept_images_limit; }

private:
    void note_left_out(const std::string& what);

    SessionWriter& session_;
    Diagnostics& notes_;
    uint64_t room_ = kept_images_limit;  ///< bytes
    bool is_noted_ = false;
};

}  // namespace op::collect
