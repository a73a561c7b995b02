// SPDX-License-Identifier: GPL-2.0-or-later
// Images with samples: the manifest's rows and the binaries that will be gone.
#include "daemon/collect/collector.h"

#include <algorithm>

namespace op::collect {

void Collector::note_image(const ImageRef& image, const MappedAt& at) {
    const MappedFileFacts* const elsewhere = images_.note_used(image, at);
    if (elsewhere && keeper_.keep(*elsewhere)) images_.settle(image);
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
void Collector::keep_replaced(size_t paths, size_t copies) {
    constexpr size_t most_tries = 4;
    to_keep_.merge(images_.find_replaced(paths));
    std::set<StringId> now;
    while (!to_keep_.empty() && now.size() < copies)
        if (const auto name = to_keep_.extract(to_keep_.begin()); images_.is_pending(name.value()))
            now.insert(name.value());
    if (now.empty()) return;
    auto places = table_.places_of(now, most_tries);
    for (const StringId name : now)
        if (keep_in(places[name], images_.facts(name))) images_.settle(ImageRef::file(name));
}

}  // namespace op::collect
