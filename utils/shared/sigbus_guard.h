// SPDX-License-Identifier: GPL-2.0-or-later
// Protects the process from files that another program truncates while they are mapped: the missing pages
// read as zeros.
#pragma once

namespace op::tool {

/// From now on, access to a page of a mapping beyond the end of its file does not end the process (SIGBUS):
/// the page is replaced by an empty one that is never written back. For sample files that are written and
/// binaries that are read: a check of the size before the access would be a race with the other program.
void guard_mappings() noexcept;

/// True if a page was replaced.
bool was_mapping_cut_off() noexcept;

}  // namespace op::tool
