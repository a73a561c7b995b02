// SPDX-License-Identifier: GPL-2.0-or-later
// Slices as the server has them, to be made sessions of again.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fleet/server.h"
#include "fleet/slice.h"

namespace op::fleet {

/// The newest account of a slice.
struct PushedSlice {
    uint64_t slice = 0, host = 0;
    Day day;
    std::string session, manifest;   ///< as pushed: any bytes
    uint64_t rows = 0, samples = 0;  ///< of `samples`, as it was pushed
    bool is_sealed = false;
};

/// The slices of a host and day by their start. Throws as Server::query().
std::vector<PushedSlice> find_slices(Server& server, const std::string& hostname, Day day);

/// The content of a slice.
struct FetchedSlice {
    PushedSlice account;
    SessionInfo info;
    std::map<PlaceKey, uint64_t> samples;
    std::vector<SliceFile> files;
};

/// Fetches a slice. Throws an input error if the server does not have all of it, by the account's sums, or if
/// its manifest cannot be read; else as Server::query().
FetchedSlice fetch_slice(Server& server, PushedSlice account);

}  // namespace op::fleet
