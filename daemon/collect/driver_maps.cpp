// SPDX-License-Identifier: GPL-2.0-or-later
// Mappings by the driver's numbers.
#include "daemon/collect/driver_maps.h"

#include <algorithm>
#include <utility>

namespace op::collect {

ProcessMaps::ProcessMaps(uint32_t number, uint32_t tgid, std::vector<Part> parts)
    : number_(number), tgid_(tgid) {
    parts_.reserve(parts.size());
    for (Part& part : parts)
        if (parts_.empty() || parts_.back().region.end <= part.region.start)
            parts_.push_back(std::move(part));
}

const ProcessMaps::Part* ProcessMaps::find(RuntimeAddress address) const noexcept {
    auto it = std::ranges::upper_bound(parts_, address, {}, [](const Part& p) { return p.region.start; });
    if (it == parts_.begin()) return nullptr;
    --it;
    return address < it->region.end ? &*it : nullptr;
}

void DriverMaps::take(const PlacedMaps& maps, const KnownImages& images) {
    std::vector<ProcessMaps::Part> parts;
    for (const PlacedMapping& mapping : maps.mappings) {
        const uint64_t start = mapping.start.value();
        ImagePtr image = image_of(mapping.cookie, images);
        if (!image || mapping.length == 0 || mapping.length > UINT64_MAX - start) continue;
        const RegionKind kind = image->is_file ? RegionKind::file : RegionKind::anon;
        parts.push_back(
            {{mapping.start, RuntimeAddress{start + mapping.length}, mapping.offset, std::move(image), kind},
             mapping.cookie});
    }
    ProcessMaps& added = by_number_[maps.number];
    parts_ -= added.size();
    added = ProcessMaps(maps.number, maps.tgid, std::move(parts));
    parts_ += added.size();
    if (const uint32_t before = std::exchange(last_.at(maps.slot), maps.number)) replaced_.push_back(before);
    while (!replaced_.empty() && (replaced_.size() > most_replaced || parts_ > most_parts))
        forget_oldest();
}

void DriverMaps::forget_oldest() {
    if (const auto it = by_number_.find(replaced_.front()); it != by_number_.end()) {
        parts_ -= it->second.size();
        by_number_.erase(it);
    }
    replaced_.pop_front();
}

const ProcessMaps* DriverMaps::find(uint32_t number) const noexcept {
    const auto it = by_number_.find(number);
    return it == by_number_.end() ? nullptr : &it->second;
}

/// Null if the cookie is not known.
ImagePtr DriverMaps::image_of(uint32_t cookie, const KnownImages& images) {
    std::weak_ptr<MappedImage>& known = images_[cookie];
    if (ImagePtr image = known.lock()) return image;
    ImagePtr image = images.mapped_image(cookie);
    known = image;
    if (images_.size() >= sweep_at_) {
        std::erase_if(images_, [](const auto& each) { return each.second.expired(); });
        sweep_at_ = std::max<size_t>(1024, 2 * images_.size());
    }
    return image;
}

}  // namespace op::collect
