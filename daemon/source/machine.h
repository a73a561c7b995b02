// SPDX-License-Identifier: GPL-2.0-or-later
// What machine this is, for the manifest and the headers.
#pragma once

#include <string_view>

#include "libop/session/session_info.h"

namespace op::collect {

/// Host, kernel, machine and processor; the CPU type is left at timer.
SessionInfo describe_machine();

/// Model name and clock from the text of /proc/cpuinfo; what is missing stays empty or 0.
void read_cpuinfo(std::string_view text, SessionInfo& info);

/// Lets this process open as many files as it may.
void raise_file_limit() noexcept;

}  // namespace op::collect
