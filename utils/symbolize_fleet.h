// SPDX-License-Identifier: GPL-2.0-or-later
// The side of opfleet symbolize that speaks to the server. It runs in a process of its own, since the one
// that reads binaries gives up the network.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/build_symbols.h"
#include "fleet/fleet_images.h"
#include "fleet/server.h"
#include "fleet/symbol_store.h"

namespace op::tool {

/// Answers the requests of the reader: a letter, a number of an image or nothing, a newline, and content.
class SymbolKeeper {
public:
    /// The server must outlive the object.
    SymbolKeeper(fleet::Server& server, fleet::Uploader uploader)
        : server_(server), uploader_(std::move(uploader)) {}

    // The requests.
    static constexpr char to_end = 'e';   ///< all is stored
    static constexpr char to_list = 'l';  ///< the images to look for, a number each line, most wanted first
    static constexpr char to_want =
        'w';  ///< what is wanted of an image: wanted_build_text(), empty = nothing
    static constexpr char to_store =
        's';  ///< symbols of an image (build_symbols_text()); answers with a line for people
    static constexpr char to_name = 'n';  ///< an image, from now on by RELEASE NEWLINE BUILD-ID NEWLINE PATH

    /// What a request is answered with. Throws as Server::query(), or an input error.
    std::string answer(std::string_view request);

private:
    void prepare();
    std::string list();
    std::string want(uint64_t image);
    /// Stores names, then the package; the line for people.
    std::string store(uint64_t image, const fleet::BuildSymbols& symbols);
    void name(uint64_t image, std::string_view content);
    /// Adds what is known of an image now to the table `images`.
    void send(uint64_t image, fleet::FleetImage known);
    /// Stores the package of an image that has none yet; the end of a line for people.
    std::string store_package(uint64_t image, const std::optional<Package>& package);
    std::string store_names(uint64_t image, const fleet::BuildSymbols& symbols);
    /// Completes places that lack names from functions that the server has; returns how many.
    size_t complete(uint64_t image, fleet::SymbolQuality quality);
    bool is_wanted(const fleet::WantedImage& image) const;
    bool is_claimed(const fleet::SymbolState& state) const;

    fleet::Server& server_;
    fleet::Uploader uploader_;
    fleet::FleetImages images_;
    std::map<uint64_t, fleet::SymbolState> states_;
    std::map<uint64_t, uint64_t> samples_;             ///< of each image
    std::map<uint64_t, fleet::SymbolQuality> places_;  ///< of the image that was asked for last
    bool is_prepared_ = false, has_stored_ = false;
};

/// A request for SymbolKeeper.
std::string keeper_request(char what, uint64_t image, std::string_view content = {});

}  // namespace op::tool
