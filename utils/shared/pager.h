// SPDX-License-Identifier: GPL-2.0-or-later
// Shows long texts in a pager, as git does.
#pragma once

#include <string_view>

namespace op::tool {

/// Shows the text on stdout, which is a terminal, through the pager: OPROFILE_PAGER, else PAGER, else less
/// (with LESS=FRX if that is not set). The value is split at blanks; no shell is used. If it is empty or
/// "cat" or cannot be started, the text is written directly. Of root by sudo, pkexec or doas, and of a caller
/// whose effective user is another than the real one, less and more run without commands that start programs
/// or write files (LESSSECURE, PAGERSECURE). Returns when the pager has ended. Throws a
/// system error if stdout cannot be written.
void show_through_pager(std::string_view text);

}  // namespace op::tool
