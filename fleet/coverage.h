// SPDX-License-Identifier: GPL-2.0-or-later
// What the server has and lacks: hosts and their slices, images and their names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fleet/day.h"
#include "fleet/selection.h"
#include "fleet/server.h"

namespace op::fleet {

/// A host's slices.
struct HostSlices {
    std::string name;
    Day first, last;  ///< days with a slice
    uint64_t slices = 0, unsealed = 0;
    uint64_t unverified = 0;  ///< whose rows differ from the account of the slice
    uint64_t sampled = 0, lost = 0, wall_ms = 0;
    int64_t clock_ahead_ms = 0;  ///< of the last slice
    std::string kernel, cpu_type, tool;

    double lost_share() const {
        return sampled > 0 ? static_cast<double>(lost) / static_cast<double>(sampled) : 0;
    }
};

/// The hosts of a selection of days and hosts, by number; nothing is known of unverified slices.
std::map<uint64_t, HostSlices> read_hosts(Server& server, const Chosen& chosen);
/// Adds up the rows of each slice and counts those that differ from its account.
void verify_slices(Server& server, const Chosen& chosen, std::map<uint64_t, HostSlices>& hosts);

/// An image's samples.
struct ImageSamples {
    uint64_t image = 0;
    uint64_t samples = 0, nameless = 0, hosts = 0;
};
/// All images with samples of the selection, most first.
std::vector<ImageSamples> count_images(Server& server, const Chosen& chosen);

}  // namespace op::fleet
