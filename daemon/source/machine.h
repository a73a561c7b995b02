// SPDX-License-Identifier: GPL-2.0-or-later
// A description of this machine, for the manifest and the headers.
#pragma once

#include <string_view>

#include "libop/base/diagnostics.h"
#include "libop/session/session_info.h"

namespace op::collect {

/// Host, kernel, machine and processor; the CPU type is left at timer.
SessionInfo describe_machine();

/// Model name and clock from the text of /proc/cpuinfo; what is missing stays empty or 0.
void read_cpuinfo(std::string_view text, SessionInfo& info);

/// Warns if the description of a made-up machine (libop/base/machine_root.h) is in force: for events about to
/// be opened on this machine, whose numbers may differ, so that the kernel may refuse them.
void note_made_up_machine(Diagnostics& notes);

/// Raises this process's limit of open files to the hard limit.
void raise_file_limit() noexcept;

}  // namespace op::collect
