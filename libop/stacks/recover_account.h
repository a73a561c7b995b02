// SPDX-License-Identifier: GPL-2.0-or-later
// The account of a session whose writer crashed.
#pragma once

#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"
#include "libop/session/session.h"
#include "libop/session/stack_account.h"

namespace op {

/// The samples in the stacks of a session, by the reasons that they ended for; `cut` and `lost` are not in
/// the files. What cannot be read is a warning.
StackAccount count_held_stacks(const Fd& session_dir, const std::string& label, Diagnostics& notes);

/// If the previous writer crashed: ends damaged files of stacks with their sound beginning, and corrects the
/// manifest's accounts of samples and of stacks by the files, which then hold more than the manifest, both
/// with a warning. Otherwise does nothing. To be called after SessionWriter::begin() with `append`. Throws a
/// system error.
void recover_account(SessionWriter& session, Diagnostics& notes);

}  // namespace op
