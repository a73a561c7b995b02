// SPDX-License-Identifier: GPL-2.0-or-later
// The numbers of call frame information: LEB128 (DWARF 5, section 7.6) and encoded pointers (Linux Standard
// Base, "DWARF Exception Header Encoding").
#pragma once

#include <cstdint>

#include "libop/base/bytes.h"

namespace op::collect {

/// Throws an input error if the number is cut off or has more than 64 bits.
uint64_t read_uleb(ByteReader& in);
int64_t read_sleb(ByteReader& in);

/// Reads a pointer. `here` is the link address of its first byte. Throws an input error on an encoding that
/// does not occur where code addresses are stored (indirect, or relative to anything else).
uint64_t read_encoded(ByteReader& in, uint8_t encoding, uint64_t here);
/// Skips a pointer of any encoding that has a length of its own.
void skip_encoded(ByteReader& in, uint8_t encoding);

}  // namespace op::collect
