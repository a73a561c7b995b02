// SPDX-License-Identifier: GPL-2.0-or-later
// Notes on how a session was recorded: samples lost, events held back or never counted.
#pragma once

#include "libop/base/diagnostics.h"
#include "libop/session/session.h"
#include "libop/session/session_info.h"

namespace op::pp {

/// Adds warnings: one if the recorder ended before it wrote its last account; if more than one sample in
/// 10,000 was lost, one per cause with the number and a remedy; one if the kernel's buffers overflowed; one
/// if events were throttled; and one for each event that no counter ever held. Reads the manifest if there is
/// one (`info` may be null), otherwise the files in stats/.
void note_losses(const SessionReader& session, const SessionInfo* info, Diagnostics& notes);

}  // namespace op::pp
