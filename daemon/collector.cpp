// SPDX-License-Identifier: GPL-2.0-or-later
// The way of a sample: cache slot, else region, key, file.
#include "daemon/collector.h"

#include <utility>

#include "libop/build_id.h"
#include "libop/text.h"

namespace op::collect {
namespace {

/// Size of the pieces by which regions are looked up, as a power of two: libraries' text is a few of them.
constexpr uint64_t piece_shift = 18;
/// Losses that belong to no CPU in particular.
constexpr uint32_t any_cpu = UINT32_MAX;

}  // namespace

Collector::Collector(SessionWriter& session, const SessionInfo& described, const CollectorOptions& options,
                     Diagnostics& notes, FillGaps fill_gaps)
    : info_(described),
      options_(options),
      notes_(notes),
      fill_gaps_(std::move(fill_gaps)),
      table_(names_),
      files_(session, info_, names_, options.images_are_local, options.open_files, notes),
      no_vmlinux_(names_.intern(no_vmlinux)),
      cache_(slots) {}

void Collector::process(std::span<const Record> records) {
    for (const Record& record : records) {
        if (const auto* sample = std::get_if<Sample>(&record)) {
            take(*sample);
        } else {
            std::visit([this](const auto& r) { take(r); }, record);
        }
    }
}

Collector::Slot& Collector::slot_for(const Sample& sample) noexcept {
    const uint64_t mixed = ((sample.pc.value() >> piece_shift) ^ static_cast<uint64_t>(sample.tgid) << 40) *
                           0x9e3779b97f4a7c15ULL;
    return cache_[mixed >> 32 & (slots - 1)];
}

bool Collector::holds(const Slot& slot, const Sample& sample) const noexcept {
    return slot.start <= sample.pc && sample.pc < slot.end && slot.tgid == sample.tgid &&
           slot.event == sample.event && slot.mode == sample.mode && slot.generation == generation() &&
           (!options_.separate_thread || slot.tid == sample.tid) &&
           (!options_.separate_cpu || slot.cpu == sample.cpu);
}

void Collector::take(const Sample& sample) {
    ledger_.add_sampled(1);
    Slot& slot = slot_for(sample);
    if (holds(slot, sample)) {
        slot.file->add(sample.pc.value() + slot.delta);
    } else {
        take_slowly(sample, slot);
    }
    if (!sample.chain.empty()) take_chain(sample);
}

void Collector::take_slowly(const Sample& sample, Slot& slot) {
    if (sample.mode == CpuMode::guest) return lose(LossCause::guest, sample.cpu);
    if (sample.event >= info_.events.size()) return lose(LossCause::unknown_event, sample.cpu);
    const bool kernel = sample.mode == CpuMode::kernel;
    if (!kernel && !info_.events[sample.event].user) return lose(LossCause::user_filtered, sample.cpu);
    saw_kernel_ |= kernel;
    const Region* region = find_or_ask(sample);
    if (!region) return lose(kernel ? LossCause::kernel_address : LossCause::no_mapping, sample.cpu);
    SampleFile* file = files_.get(key_for(sample, *region));
    if (!file) return lose(LossCause::sample_file, sample.cpu);
    note_image(*region);
    const uint64_t key = region->offset(sample.pc).value();
    file->add(key);
    slot = {region->start, region->end,  key - sample.pc.value(),
            file,          generation(), sample.tgid,
            sample.tid,    sample.cpu,   sample.event,
            sample.mode};
}

const Region* Collector::find(const Sample& sample, RuntimeAddress pc, bool kernel) {
    return kernel ? table_.find_kernel(pc) : table_.find_user(sample.tgid, pc);
}

const Region* Collector::find_or_ask(const Sample& sample) {
    const bool kernel = sample.mode == CpuMode::kernel;
    const Region* region = find(sample, sample.pc, kernel);
    if (!fill_gaps_ || (region && region->name != no_vmlinux_)) return region;
    for (const Record& record : fill_gaps_(sample))
        if (!std::holds_alternative<Sample>(record)) std::visit([this](const auto& r) { take(r); }, record);
    return find(sample, sample.pc, kernel);
}

FileKey Collector::key_for(const Sample& sample, const Region& region) const {
    FileKey key;
    key.event = sample.event;
    key.image = ImageRef::of(region, sample.tgid);
    const Process* process = table_.find(sample.tgid);
    key.app = process && process->executable != StringId::none
                  ? ImageRef{process->executable, RegionKind::file, 0, {}, {}}
                  : key.image;
    if (options_.separate_thread) {
        key.tgid = sample.tgid;
        key.tid = sample.tid;
    }
    if (options_.separate_cpu) key.cpu = sample.cpu;
    return key;
}

void Collector::take_chain(const Sample& sample) {
    if (sample.mode == CpuMode::guest || sample.event >= info_.events.size()) return;
    RuntimeAddress to = sample.pc;
    const Region* callee = find(sample, to, sample.mode == CpuMode::kernel);
    for (size_t i = 0; i < sample.chain.size(); ++i) {
        const RuntimeAddress from{sample.chain[i]};
        const Region* caller = find(sample, from, i < sample.kernel_frames);
        store_arc(sample, caller, from, callee, to);
        callee = caller;
        to = from;
    }
}

void Collector::store_arc(const Sample& sample, const Region* caller, RuntimeAddress from,
                          const Region* callee, RuntimeAddress to) {
    SampleFile* file = nullptr;
    if (caller && callee) {
        FileKey key = key_for(sample, *caller);
        key.callee = ImageRef::of(*callee, sample.tgid);
        file = files_.get(key);
    }
    if (!file) {
        ++arcs_lost_;
        return;
    }
    note_image(*caller);
    file->add(caller->offset(from).value() << 32 | (callee->offset(to).value() & 0xffffffff));
}

void Collector::note_image(const Region& region) {
    if (region.kind != RegionKind::file || !noted_images_.insert(region.name).second) return;
    std::string path(names_.text(region.name));
    RecordedImage image;
    if (const auto it = mapped_images_.find(region.name); it != mapped_images_.end()) image = it->second;
    image.mtime = files_.mtime({region.name, region.kind, 0, {}, {}});
    if (image.build_id.empty() && options_.images_are_local && !image.deleted)
        image.build_id = build_id_of_file(path);
    info_.images.emplace(std::move(path), std::move(image));
}

void Collector::take(const Mapping& mapping) {
    table_.apply(mapping);
    if (mapping.kernel) {
        if (mapping.path == no_vmlinux) return;
        kernel_images_[names_.intern(mapping.path)] = {std::string(mapping.path), mapping.start.value(),
                                                       mapping.length, hex(mapping.build_id)};
        return;
    }
    const MappedPath path = classify_mapped_path(mapping.path);
    if (path.kind != RegionKind::file || (mapping.build_id.empty() && !path.deleted)) return;
    RecordedImage& image = mapped_images_[names_.intern(path.name)];
    std::string build_id = hex(mapping.build_id);
    if (!image.build_id.empty() && !build_id.empty() && image.build_id != build_id)
        notes_.warn(printable(path.name) + " was replaced while profiling; its samples are of both versions");
    if (!build_id.empty()) image.build_id = std::move(build_id);
    image.deleted = path.deleted;
}

void Collector::take(const Lost& lost) {
    ledger_.add_sampled(lost.count);
    ledger_.add_lost(lost.cause, lost.cpu, lost.count);
}

void Collector::take(const Throttle& throttle) {
    if (throttle.on && throttle.event < info_.events.size()) info_.events[throttle.event].throttled = true;
}

void Collector::begin_anew(uint64_t start_time) {
    files_.close_all();
    files_.forget_counts();
    ledger_ = {};
    arcs_lost_ = 0;
    saw_kernel_ = false;
    noted_images_.clear();
    info_.images.clear();
    info_.start_time = start_time;
    for (RecordedEvent& event : info_.events)
        event.throttled = false;
}

SessionInfo Collector::account() {
    SessionInfo info = info_;
    const StoredCounts counts = files_.counts();
    info.ledger.merge(ledger_);
    info.ledger.add_stored(counts.samples.stored);
    info.ledger.add_lost(LossCause::saturated, any_cpu, counts.samples.lost_saturated);
    info.ledger.add_lost(LossCause::disk_full, any_cpu, counts.samples.lost_no_space);
    info.arcs_stored = counts.arcs.stored;
    info.arcs_lost = arcs_lost_ + counts.arcs.lost_saturated + counts.arcs.lost_no_space;
    for (const auto& [name, image] : kernel_images_)
        info.kernel_images.push_back(image);
    for (const auto& [name, image] : mapped_images_)  // what was replaced meanwhile
        if (noted_images_.contains(name) && !image.build_id.empty())
            info.images.at(std::string(names_.text(name))).build_id = image.build_id;
    return info;
}

}  // namespace op::collect
