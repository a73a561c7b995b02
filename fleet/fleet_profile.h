// SPDX-License-Identifier: GPL-2.0-or-later
// The samples of a selection as a profile, with the names that the server has: no binary of the fleet is
// needed here. Writers and exporters of libpp take it from there.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "fleet/fleet_images.h"
#include "fleet/selection.h"
#include "fleet/server.h"
#include "fleet/slice.h"
#include "libop/session/session_info.h"
#include "libpp/profile/profile.h"

namespace op::fleet {

/// A profile with what it refers to. Not movable.
class FleetProfile {
public:
    FleetProfile() = default;
    FleetProfile(const FleetProfile&) = delete;
    FleetProfile& operator=(const FleetProfile&) = delete;

    pp::Profile profile;
    SessionInfo info;          ///< the times, the event, the build-ids of paths that have one
    uint64_t lost_stacks = 0;  ///< samples whose stack the server does not have as a whole
    std::vector<std::unique_ptr<pp::ImageSymbols>> symbols;  ///< by image
};

/// A counter of samples, summed over hosts and days.
struct PlaceCount {
    uint64_t app = 0, image = 0, place = 0, hits = 0;
};

/// A counter of samples whose stack ends at a node.
struct StackCountRow {
    uint64_t stack = 0, hits = 0;
};

/// What is known of a sampled place.
struct PlaceName {
    uint64_t first = 0;  ///< of its function
    std::string function, file;
    uint32_t line = 0;
};

/// What a profile is made of.
struct ProfileRows {
    std::vector<PlaceCount> samples;
    std::vector<StackCountRow> stack_samples;
    std::map<uint64_t, StackNodeRow> stacks;                    ///< with all nodes above
    std::map<std::pair<uint64_t, uint64_t>, PlaceName> places;  ///< by image and place
};

/// Fetches the rows of a selection. Throws as Server::query().
ProfileRows fetch_profile(Server& server, const Chosen& chosen);

/// Builds the profile, whatever the rows are. Samples of a broken stack are in it without a stack.
void build_fleet_profile(const ProfileRows& rows, const FleetEvent& event, const FleetImages& images,
                         FleetProfile& built);

}  // namespace op::fleet
