// SPDX-License-Identifier: GPL-2.0-or-later
// The copy of a stack in a sample of a perf.data file.
#pragma once

#include <cstdint>

#include "daemon/import/field_reader.h"
#include "libop/stream/user_stack.h"

namespace op::collect {

/// REGS_USER and STACK_USER of a recording of this kind of machine. `mask` is the attribute's. Throws an
/// input error.
UserStack take_user_stack(FieldReader& in, uint64_t mask);

}  // namespace op::collect
