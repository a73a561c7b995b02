// SPDX-License-Identifier: GPL-2.0-or-later
// Events that are known so that old sessions can be read, but that no kernel of today counts, whatever the
// machine.
#pragma once

#include <string>

#include "libop/events/cpu_model.h"
#include "libop/events/event_file.h"

namespace op {

/// Why no kernel of today counts an event of the type's event files, as a clause; empty: some kernel does.
std::string why_uncounted(const CpuModel& model, const EventDescription& event);

}  // namespace op
