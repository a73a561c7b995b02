// SPDX-License-Identifier: GPL-2.0-or-later
// Files that another program cuts off while they are mapped here: what is gone reads as zeros, and no one
// dies.
#pragma once

namespace op::tool {

/// From now on, touching a page of a mapping that its file no longer reaches does not end the process
/// (SIGBUS): an empty page takes its place, whose content goes nowhere. For sample files being counted in and
/// for binaries being read; there is no way to look first that another program could not outrun.
void guard_mappings() noexcept;

/// True if that has happened.
bool was_mapping_cut_off() noexcept;

}  // namespace op::tool
