// SPDX-License-Identifier: GPL-2.0-or-later
// CRC-32 of contents, as in gzip files and in debug links. It finds out changes, not forgeries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "libop/base/fd.h"

namespace op {

/// The checksum of these bytes; of what follows others, given theirs.
uint32_t checksum(std::span<const std::byte> bytes, uint32_t before = 0);

/// The checksum of an open file of `size` bytes; of one of more than `most` bytes that of its first and its
/// last most / 2. None if it cannot be read. Does not move its offset.
std::optional<uint32_t> file_checksum(const Fd& file, uint64_t size, uint64_t most);

}  // namespace op
