// SPDX-License-Identifier: GPL-2.0-or-later
// Images with samples: the manifest's rows and the binaries that will be gone.
#include "daemon/collect/collector.h"

#include <algorithm>

namespace op::collect {

void Collector::note_image(const ImageRef& image, const MappedAt& at) {
    const MappedFileFacts* const elsewhere = images_.note_used(image, at);
    if (elsewhere && keeper_.keep(*elsewhere)) images_.settle(image);
}

void Collector::note_limit() {
    notes_.warn(
        "the limits on images and sample files are reached: samples of further images are lost, and counted "
        "as "
        "image_limit");
}

bool Collector::keep_in(const std::vector<MappedPlace>& places, MappedFileFacts facts) {
    if (keeper_.keep(facts)) return true;
    return std::ranges::any_of(places, [&](const MappedPlace& place) {
        facts.tgid = place.tgid;
        facts.start = place.start.value();
        facts.end = place.end.value();
        return keeper_.keep(facts);
    });
}

// The process of the last look first: with the driver no other is known.
void Collector::keep_replaced(size_t most) {
    constexpr size_t most_tries = 4;
    const std::set<StringId> replaced = images_.find_replaced(most);
    if (replaced.empty()) return;
    auto places = table_.places_of(replaced, most_tries);
    for (const StringId name : replaced)
        if (keep_in(places[name], images_.facts(name))) images_.settle(ImageRef::file(name));
}

}  // namespace op::collect
