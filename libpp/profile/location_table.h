// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the locations of a profile that is being built, and adds what is missing.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "libpp/profile/build_arcs.h"
#include "libpp/profile/profile.h"
#include "libpp/symbols/symbolizer.h"

namespace op::pp {

/// The locations of a profile by image, offset and kind, with their symbols.
class LocationTable {
public:
    /// Knows the sampled addresses that the profile has. All must outlive the table.
    LocationTable(Profile& profile, ImageIndex& images, Symbolizer& symbolizer);

    /// The image with its symbols read. `is_kernel` as for Symbolizer::symbols().
    uint32_t image(const ImageName& name, uint64_t mtime, bool is_kernel);
    /// The location in an image that has its symbols; an index into Profile::locations.
    uint32_t location(uint32_t image, ImageOffset offset, CodeAddress kind);

private:
    uint32_t symbol_at(uint32_t image, ImageOffset offset);

    struct Key {
        uint64_t image_and_kind, offset;
        bool operator==(const Key&) const = default;
    };
    struct KeyHash {
        size_t operator()(const Key& key) const {
            return (key.image_and_kind * 0x9e3779b97f4a7c15 ^ key.offset) * 0xff51afd7ed558ccd >> 13;
        }
    };

    Profile& profile_;
    ImageIndex& images_;
    Symbolizer& symbolizer_;
    std::unordered_map<const ImageSymbol*, uint32_t> symbols_;
    std::unordered_map<Key, uint32_t, KeyHash> locations_;
};

}  // namespace op::pp
