// SPDX-License-Identifier: GPL-2.0-or-later
// The events that libpfm4 knows. The one door to it; without the library there are none.
#pragma once

#include <string>
#include <vector>

#include "libop/events/event_encoding.h"
#include "libop/events/event_file.h"

namespace op {

/// True if this program was built with libpfm4.
bool has_pfm() noexcept;

/// The events of a PMU by libpfm's name ("skl"), of any machine; empty if libpfm does not know the PMU.
/// Unit masks have names. Not thread-safe.
std::vector<EventDescription> pfm_events(const std::string& pmu);

/// True if libpfm finds that PMU in this machine. Not thread-safe.
bool pfm_is_present(const std::string& pmu);

/// How to request an event of that PMU from the kernel; an empty unit mask means libpfm's default. Throws a
/// usage error if libpfm rejects the event. Not thread-safe.
EventEncoding pfm_encoding(const std::string& pmu, const std::string& event, const std::string& unit_mask);

}  // namespace op
