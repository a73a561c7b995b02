// SPDX-License-Identifier: GPL-2.0-or-later
// The symbols that the fleet's server has, and those it lacks. Better ones replace worse ones, never the
// other way round: the version of a row begins with its quality.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fleet/build_symbols.h"
#include "fleet/day.h"
#include "fleet/server.h"

namespace op::fleet {

/// What the server has of an image's symbols.
struct SymbolState {
    std::string state;  ///< empty, claimed, done or unobtainable
    SymbolQuality quality = SymbolQuality::none;
    std::string reason, uploader;
    uint64_t time = 0;  ///< seconds since the epoch
};

/// An image with samples.
struct WantedImage {
    uint64_t image = 0;
    uint64_t samples = 0;
    uint64_t nameless = 0;  ///< of these, at places of which nothing is known
    uint64_t frames = 0;    ///< places in call stacks of which nothing is known

    bool lacks_names() const { return nameless != 0 || frames != 0; }
};

/// All images that have samples, those with most samples without names first.
std::vector<WantedImage> wanted_images(Server& server);

/// The states of all images that have one.
std::map<uint64_t, SymbolState> symbol_states(Server& server);

/// The places of an image that samples and call stacks have, sorted: of a caller the byte before its return
/// address. Each with the quality of what is known of it.
std::map<uint64_t, SymbolQuality> sampled_places(Server& server, uint64_t image);

/// The functions of an image that the server has, of their best quality, sorted by first.
std::vector<BuildFunction> stored_functions(Server& server, uint64_t image);

/// The rows of `locations` that functions give for places, without source lines. Places between functions are
/// left out.
std::vector<BuildLocation> locate(const std::vector<BuildFunction>& functions,
                                  const std::vector<uint64_t>& places);

/// Who stores symbols, and when.
struct Uploader {
    std::string name;
    uint64_t time = 0;  ///< seconds since the epoch
};

/// Adds functions, locations and names. Throws as Server::query().
void store_symbols(Server& server, uint64_t image, const BuildSymbols& symbols, const Uploader& uploader);
/// Has the server merge the rows of locations, so that questions need not; best effort.
void merge_locations(Server& server);
/// Adds a row to `symbol_state`.
void store_state(Server& server, uint64_t image, const std::string& state, SymbolQuality quality,
                 const std::string& reason, const Uploader& uploader);

}  // namespace op::fleet
