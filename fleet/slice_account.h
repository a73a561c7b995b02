// SPDX-License-Identifier: GPL-2.0-or-later
// What the slices of a selection say of themselves: how long they took, what they lost, whether they are
// complete.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fleet/selection.h"
#include "fleet/server.h"

namespace op::fleet {

/// The slices of a selection's days and hosts that counted its event, together; of chosen programs, images or
/// releases, those with samples of them; on days that are summarised, those of hosts with samples of them.
/// Losses are of all events.
struct SliceAccount {
    uint64_t slices = 0, unsealed = 0, hosts = 0;
    uint64_t sampled = 0, lost = 0;
    std::map<std::string, uint64_t> lost_by;  ///< by cause
    uint64_t wall_ms = 0;
    double mhz = 0;                           ///< of the processors, on average; 0 = not known
    uint64_t enabled_ns = 0, running_ns = 0;  ///< of the event
    uint64_t throttled = 0;                   ///< slices in which the kernel held the event back
};

/// Asks the server. Throws as Server::query().
SliceAccount account_of(Server& server, const Chosen& chosen);

/// Lines on what is missing: slices that are not complete, losses of more than one sample in 10,000, an event
/// that was counted for a part of the time or held back.
std::vector<std::string> account_remarks(const SliceAccount& account);

/// The seconds of a processor that a sample of the event represents; nothing if the event is neither a clock
/// nor counts cycles of processors of known speed.
std::optional<double> seconds_per_sample(const FleetEvent& event, double mhz);

/// The processors that are busy on average with so many samples: on all hosts together, if each was recorded
/// all of the time that they were on average.
std::optional<double> average_cores(uint64_t samples, const FleetEvent& event, const SliceAccount& account);

}  // namespace op::fleet
