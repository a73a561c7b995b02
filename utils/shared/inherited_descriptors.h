// SPDX-License-Identifier: GPL-2.0-or-later
// Descriptors that a process got from whoever started it.
#pragma once

#include <span>

namespace op::tool {

/// Closes the descriptors from 3 on that can be written to, but for those kept; sockets can. Those for
/// reading only stay open: a command line may name them, as /dev/fd/5.
void close_writable_descriptors(std::span<const int> kept) noexcept;

}  // namespace op::tool
