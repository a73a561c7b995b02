// SPDX-License-Identifier: GPL-2.0-or-later
// SHA-256 (FIPS 180-4), from which the fleet's numbers of images, events, hosts and stacks are taken.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace op::fleet {

using Sha256 = std::array<uint8_t, 32>;

/// The digest of the bytes.
Sha256 sha256(std::span<const std::byte> bytes);

/// The number of a thing in the fleet's tables: the first 8 bytes of the digest of its name, as a
/// little-endian number. Everybody computes the same one, so nobody has to hand numbers out. Among a million
/// names two are equal with a probability of 3e-8.
uint64_t id64(std::string_view name);

}  // namespace op::fleet
