// SPDX-License-Identifier: GPL-2.0-or-later
// What this machine can count, found out by asking the kernel.
#pragma once

#include <string>

#include "libop/events/event_encoding.h"
#include "libop/session/session_info.h"

namespace op::collect {

/// True if this machine counts `event`, false if it has no counter for it (probed on the calling process,
/// user mode only). Throws a system error, as PerfSource would, if it may well have one and something else is
/// in the way.
bool perf_event_works(const RecordedEvent& event, const EventEncoding& encoding);
/// False if the kernel offers no hardware counters, as in most virtual machines; true also if it may not be
/// asked.
bool has_hardware_counters();
/// Interprets the errno value of a refused perf_event_open of `event`, maybe of one of AMD's samplers:
/// returns false, or throws a system error.
bool is_countable(int error, const std::string& event, bool is_sampler = false);

}  // namespace op::collect
