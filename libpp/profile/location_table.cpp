// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the locations of a profile that is being built.
#include "libpp/profile/location_table.h"

namespace op::pp {

LocationTable::LocationTable(Profile& profile, ImageIndex& images, Symbolizer& symbolizer)
    : profile_(profile), images_(images), symbolizer_(symbolizer) {
    for (uint32_t i = 0; i < profile.symbols.size(); ++i)
        symbols_.emplace(profile.symbols[i].symbol, i);
    for (const StackSamples& sample : profile.samples) {
        const uint32_t leaf = profile.frames[sample.first_frame];
        const Location& at = profile.locations[leaf];
        locations_.emplace(Key{uint64_t{at.image} << 1, at.offset.value()}, leaf);
    }
}

uint32_t LocationTable::image(const ImageName& name, uint64_t mtime, bool is_kernel) {
    const uint32_t index = images_.of(name);
    ProfileImage& image = profile_.images[index];
    if (!image.symbols) {
        image.symbols = &symbolizer_.symbols(name, mtime, is_kernel);
        image.is_replaced = symbolizer_.is_replaced(name);
    }
    return index;
}

uint32_t LocationTable::location(uint32_t image, ImageOffset offset, CodeAddress kind) {
    const uint64_t is_return_address = kind == CodeAddress::return_address ? 1 : 0;
    const auto [at, is_new] =
        locations_.try_emplace(Key{uint64_t{image} << 1 | is_return_address, offset.value()},
                               static_cast<uint32_t>(profile_.locations.size()));
    if (is_new) profile_.locations.push_back({image, symbol_at(image, code_byte(offset, kind)), offset});
    return at->second;
}

uint32_t LocationTable::symbol_at(uint32_t image, ImageOffset offset) {
    const ImageSymbol* const symbol = profile_.images[image].symbols->find(offset);
    if (!symbol) return Location::no_symbol;
    const auto [at, is_new] = symbols_.try_emplace(symbol, static_cast<uint32_t>(profile_.symbols.size()));
    if (is_new) profile_.symbols.push_back({image, symbol});
    return at->second;
}

}  // namespace op::pp
