// SPDX-License-Identifier: GPL-2.0-or-later
// Where an address lies, and what is asked for if no record gave an answer or records were lost.
#include <algorithm>
#include <utility>

#include "daemon/collect/collector.h"
#include "libop/base/clock.h"

namespace op::collect {
namespace {

constexpr std::span<const Record> nothing;

bool is_mapping(const Record& record) {
    return std::holds_alternative<Mapping>(record);
}

}  // namespace

void Collector::take(const LostSideBand& lost) {
    info_.side_band_lost = add_saturating(info_.side_band_lost, lost.count);
    table_.lose_track();
}

const Region* Collector::find(uint32_t tgid, RuntimeAddress pc, bool kernel) const {
    return kernel ? table_.find_kernel(pc) : table_.find_user(tgid, pc);
}

const Region* Collector::find_or_ask(const Sample& sample) {
    const bool kernel = sample.mode == CpuMode::kernel;
    if (table_.is_in_doubt(sample.tgid)) resolve_doubt(sample);
    const Region* region = find(sample.tgid, sample.pc, kernel);
    if (!fill_gaps_ || (region && region->image->name != no_vmlinux)) return region;
    const Process* process = table_.find(sample.tgid);
    const bool is_known = process && process->executable;
    take_all(fill_gaps_(sample, kernel     ? Gap::module
                                : is_known ? Gap::mapping
                                           : Gap::process)
                 .value_or(nothing));
    return find(sample.tgid, sample.pc, kernel);
}

/// What is known of a process in doubt is replaced by what can be known now. Of one that is about to end that
/// is nothing more.
void Collector::resolve_doubt(const Sample& sample) {
    const auto records = fill_gaps_ ? fill_gaps_(sample, Gap::changes) : std::nullopt;
    if (!records) return;
    const Process* const process = table_.find(sample.tgid);
    const bool is_less = !records->empty() && std::ranges::none_of(*records, is_mapping);
    if (is_less && process->executable) return;
    table_.forget(sample.tgid);
    take_all(*records);
}

/// Those that were asked for are newer than the batch.
void Collector::take_all(std::span<const Record> records) {
    batch_time_ = sample_clock_ns();
    for (const Record& record : records)
        if (!std::holds_alternative<Sample>(record)) std::visit([this](const auto& r) { take(r); }, record);
}

std::optional<ImageRange> Collector::range_or_request(const PlacedSample& sample) {
    if (sample.place.cookie != 0) {
        const ImageRef* image = images_.find(sample.place.cookie);
        return image ? std::optional(ImageRange::of(images_.in_program(*image, sample.app))) : std::nullopt;
    }
    const Region* region = find_or_ask({0,
                                        sample.tgid,
                                        sample.tid,
                                        sample.cpu,
                                        sample.event,
                                        sample.mode,
                                        0,
                                        RuntimeAddress{sample.place.offset},
                                        {}});
    if (!region) return std::nullopt;
    return ImageRange::of(*region, images_.of(*region, sample.tgid));
}

}  // namespace op::collect
