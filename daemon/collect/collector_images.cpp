// SPDX-License-Identifier: GPL-2.0-or-later
// Images with samples: the manifest's rows and the binaries that will be gone.
#include "daemon/collect/collector.h"

#include <algorithm>

namespace op::collect {
namespace {

/// To search for a file takes as long as to copy so many bytes.
constexpr uint64_t search_bytes = uint64_t{128} << 10;

}  // namespace

void Collector::note_image(const ImageRef& image, const MappedAt& at) {
    const MappedFileFacts* const elsewhere = images_.note_used(image, at);
    if (elsewhere && keeper_.keep(*elsewhere)) images_.settle(image);
    if (images_.note_used_vdso(image)) keeper_.keep_vdso();
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
void Collector::keep_replaced(size_t paths, uint64_t bytes) {
    constexpr size_t most_processes = 4;
    to_keep_.merge(images_.find_replaced(paths));
    std::erase_if(to_keep_, [this](StringId name) { return !images_.is_pending(name); });
    if (to_keep_.empty() || bytes == 0) return;
    const std::vector<StringId> now = next_to_keep(bytes / search_bytes + 1);
    auto places = table_.places_of({now.begin(), now.end()}, most_processes);
    const uint64_t before = keeper_.copied();
    uint64_t searched = 0;
    for (const StringId name : now) {
        if (keeper_.copied() - before + searched >= bytes) return;
        searched += search_bytes;
        to_keep_.erase(name);
        if (keep_in(places[name], images_.facts(name))) images_.settle(ImageRef::file(name));
    }
}

void Collector::keep_builds() {
    if (!options_.keeps_builds) return;
    for (const StringId name : images_.own_builds())
        if (!keeper_.keep_build(images_.facts(name))) return;
}

/// The host's own first.
std::vector<StringId> Collector::next_to_keep(size_t most) const {
    std::vector<StringId> names(to_keep_.begin(), to_keep_.end());
    const auto is_of_host = [this](StringId name) { return images_.is_of_host(ImageRef::file(name)); };
    std::stable_partition(names.begin(), names.end(), is_of_host);
    if (names.size() > most) names.resize(most);
    return names;
}

}  // namespace op::collect
