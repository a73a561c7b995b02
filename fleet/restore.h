// SPDX-License-Identifier: GPL-2.0-or-later
// A fetched slice becomes a session directory again. Whatever the server sent, nothing outside of the session
// directory's samples/ is written, no link is followed and nothing that is there is changed.
#pragma once

#include <string>

#include "fleet/fetch.h"
#include "fleet/file_index.h"
#include "libop/session/session.h"

namespace op::fleet {

/// The sample files of a slice with their counters, in the order of the index. Throws an input error if there
/// is no index, or if rows and index do not fit each other.
std::vector<IndexedFile> restored_files(const FetchedSlice& slice);

/// Writes a slice as the session samples/NAME, which appears when it is complete. `writer` has the lock of
/// the session directory; its begin() need not have been called. Throws an input error if the name cannot be
/// that of a session or if the content is not one, a usage error if there is a session of that name, a system
/// error if it cannot be written.
void restore_session(const SessionWriter& writer, const FetchedSlice& slice, const std::string& name,
                     Diagnostics& notes);

}  // namespace op::fleet
