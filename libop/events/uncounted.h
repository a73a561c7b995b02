// SPDX-License-Identifier: GPL-2.0-or-later
// Events that are known so that old sessions can be read, but that no current kernel counts on any
// machine.
#pragma once

#include <string>

#include "libop/events/cpu_model.h"
#include "libop/events/event_file.h"

namespace op {

/// Why no current kernel counts the events of the type's event files, as a clause; empty if one does.
std::string why_uncounted(const CpuModel& model, const EventDescription& event);

}  // namespace op
