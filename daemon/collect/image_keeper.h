// SPDX-License-Identifier: GPL-2.0-or-later
// Keeps copies of the binaries that will be gone when a report is made, within limits.
#pragma once

#include <cstdint>
#include <optional>

#include "daemon/collect/known_images.h"
#include "daemon/source/image_file.h"
#include "libop/base/diagnostics.h"
#include "libop/session/kept_images.h"
#include "libop/session/session.h"

namespace op::collect {

/// Not thread-safe.
class ImageKeeper {
public:
    /// Both must outlive the object.
    ImageKeeper(SessionWriter& session, Diagnostics& notes) : session_(session), notes_(notes) {}

    /// Copies the file into the session if its path does not lead to it here. Returns false if it was not
    /// found: another process may have it. What cannot be kept is noted once.
    bool keep(const MappedFileFacts& facts);
    /// Copies the file of that build-id at its path here into the session. What cannot be kept is noted.
    /// Returns false if the session itself cannot be written, so that trying other files is useless.
    bool keep_build(const MappedFileFacts& facts);
    /// Copies the recorder's own vDSO into the session. Failure is noted.
    void keep_vdso();
    /// Bytes of all copies so far.
    uint64_t copied() const noexcept { return copied_; }
    /// What the session has is counted again at the next copy: it may be another session.
    void begin_run() noexcept { room_.reset(); }

private:
    /// The bytes for which the session has room.
    uint64_t& room();
    /// False if it is too large. Throws a system error.
    bool copy(const std::string& build_id, const Fd& file);
    void copy_or_note(const std::string& build_id, const Fd& file, const std::string& label);
    void note_left_out(const std::string& what);

    SessionWriter& session_;
    Diagnostics& notes_;
    SearchLimit search_;
    std::optional<uint64_t> room_;  ///< none = not counted yet
    uint64_t copied_ = 0;
    bool is_noted_ = false;
};

}  // namespace op::collect
