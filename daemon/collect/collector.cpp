// SPDX-License-Identifier: GPL-2.0-or-later
// A sample's file is that of its cache slot; without a slot it is found by image and key.
#include "daemon/collect/collector.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "libop/base/clock.h"
#include "libop/base/text.h"

namespace op::collect {
namespace {

/// The application of anonymous memory in a process of which not even the name is known.
constexpr std::string_view unknown_program = "/[unknown]";
/// No slot with it is used.
constexpr uint64_t no_generation = UINT64_MAX;

void add(SampleFile& file, uint64_t key, uint32_t weight) {
    if (weight == 1) return file.add(key);  // may be deferred
    file.add(key, weight);
}

/// Of the application, for the counts by name; none if it is beyond the limits.
StringId program_name(const ImageRef& app) {
    return app.is_refused() ? StringId::none : app.name;
}

/// Adds a sample to the slot's file; false if it has none. Every sample passes here: inline.
inline bool store(const Slot& slot, uint64_t address, uint32_t weight) {
    if (!slot.file) return false;
    add(*slot.file, address + slot.delta, weight);
    return true;
}

}  // namespace

Collector::Collector(SessionWriter& session, const SessionInfo& described, const CollectorOptions& options,
                     Diagnostics& notes, FillGaps fill_gaps)
    : info_(described),
      options_(options),
      notes_(notes),
      fill_gaps_(std::move(fill_gaps)),
      images_(names_, options.images_are_local, options.limits),
      keeper_(session, notes),
      files_(session, info_, names_, images_, options.open_files, notes, options.limits),
      cache_(options.separation.thread, options.separation.cpu),
      walker_(table_, options.images_are_local, options.exec_code),
      stacks_(session, info_, names_, notes) {
    only_images_.insert(options.only_images.begin(), options.only_images.end());
    prepare_stacks();
}

void Collector::process(std::span<const Record> records) {
    batch_time_ = sample_clock_ns();
    for (const Record& record : records) {
        if (const auto* sample = std::get_if<Sample>(&record)) {
            take(*sample);
        } else if (const auto* placed = std::get_if<PlacedSample>(&record)) {
            take(*placed);
        } else {
            std::visit([this](const auto& r) { take(r); }, record);
            if (!starting_.empty()) store_started();
        }
    }
    if (!starting_.empty()) store_started();  // gaps that were filled may have named programs
}

void Collector::take(const Sample& sample) {
    Slot& slot = cache_.slot_for(sample);
    const bool is_cached = cache_.holds(slot, sample, generation(sample));
    if (!is_cached && hold_until_started(sample)) return;
    take(sample, slot, is_cached);
}

void Collector::take(const Sample& sample, Slot& slot, bool is_cached) {
    ledger_.add_sampled(sample.weight);
    if (sample.mode == CpuMode::kernel) note_kernel_code(sample);
    const uint64_t lost = lost_;
    if (is_cached) {
        if (store(slot, sample.pc.value(), sample.weight))
            commands_.add(slot.counter, sample.weight);
        else
            lose_unwanted(sample.cpu, sample.weight);
    } else {
        take_uncached(sample, slot);
    }
    if (sample.user_stack || sample.stack_end || options_.stacks || !sample.chain.empty())
        take_callers(sample, lost_ == lost);
}

/// Of a caller the byte before the return address, which may be in the page before.
void Collector::note_kernel_code(const Sample& sample) {
    kernel_pages_.note(sample.pc.value());
    for (const uint64_t caller :
         sample.chain.first(std::min<size_t>(sample.kernel_frames, sample.chain.size()))) {
        kernel_pages_.note(caller - 1);
        kernel_pages_.note(caller);
    }
}

void Collector::take(const PlacedSample& sample) {
    ledger_.add_sampled(sample.weight);
    const uint64_t lost = lost_;
    Slot& slot = cache_.slot_for(sample);
    if (cache_.holds(slot, sample, generation(sample))) {
        if (!store(slot, sample.place.offset, sample.weight)) lose_unwanted(sample.cpu, sample.weight);
    } else {
        take_uncached(sample, slot);
    }
    if (options_.stacks || sample.user_stack || sample.stack_end || !sample.chain.empty())
        take_callers(sample, lost_ == lost);
}

template <class S>
Origin Collector::origin_of(const S& sample) {
    return {sample.event, sample.mode, sample.tgid, sample.tid, sample.cpu, app_of(sample), sample.weight};
}

template <class S>
bool Collector::refuse(const S& sample) {
    std::optional<LossCause> cause;
    if (sample.mode == CpuMode::guest) {
        cause = LossCause::guest;
    } else if (sample.event >= info_.events.size()) {
        cause = LossCause::unknown_event;
    } else if (sample.mode == CpuMode::user && !info_.events[sample.event].user) {
        cause = LossCause::user_filtered;
    } else if (sample.mode == CpuMode::user && sample.tgid == unseen_process) {
        cause = LossCause::no_process;
    }
    saw_kernel_ |= !cause && sample.mode == CpuMode::kernel;
    if (cause) lose(*cause, sample.cpu, sample.weight);
    return cause.has_value();
}

void Collector::take_uncached(const Sample& sample, Slot& slot) {
    if (refuse(sample)) return;
    const Region* region = find_or_ask(sample);
    if (!region) return lose_unplaced(sample);
    const bool is_in_doubt = table_.is_in_doubt(sample.tgid);
    if (!is_wanted(sample)) {  // after the records asked for: they may contain the application
        slot = slot_of(sample, ImageRange::of(*region, {}), nullptr);
        if (is_in_doubt) slot.generation = no_generation;
        return lose_unwanted(sample.cpu, sample.weight);
    }
    const Origin origin = origin_of(sample);
    const ImageRange range = ImageRange::of(*region, images_.of(*region, sample.tgid));
    if (!is_in_doubt && hold(sample, origin, range)) return;
    SampleFile* const file = file_for(origin, range);
    if (!file) return;
    note_code(range.image, sample);
    slot = slot_of(sample, range, file);
    if (is_in_doubt) slot.generation = no_generation;
    store(slot, sample.pc.value(), sample.weight);
    if (is_in_doubt && depends_on_process(sample.mode))
        info_.unsure_samples = add_saturating(info_.unsure_samples, sample.weight);
    slot.counter = counter_of(origin);
    commands_.add(slot.counter, sample.weight);
    has_plain_samples_ = true;
}

void Collector::take_uncached(const PlacedSample& sample, Slot& slot) {
    if (refuse(sample)) return;
    const bool is_known = is_app_known(sample);
    if (!is_wanted(sample)) {
        if (is_known) slot = slot_of(sample, ImageRange::of({}), nullptr);
        return lose_unwanted(sample.cpu, sample.weight);
    }
    const Origin origin = origin_of(sample);
    const auto range = range_or_request(sample);
    if (!range) return lose_unplaced(sample);
    const bool is_looked_at = look_for_dump(sample, range->image);
    if (hold(sample, origin, *range)) return;
    SampleFile* const file = file_for(origin, *range);
    if (!file) return;
    note_code(range->image, sample);
    const Slot found = slot_of(sample, *range, file);
    store(found, sample.place.offset, sample.weight);
    // Other processes may have the same address elsewhere.
    const bool lasts = found.cookie != 0 || sample.mode == CpuMode::kernel;
    if (lasts && is_known && is_looked_at) slot = found;
}

uint32_t Collector::counter_of(const Origin& origin) {
    const Process* const process = table_.find(origin.tgid);
    // Where a start is not waited for, the program is still the old one, the name already the new one's.
    const bool has_own_name = process && !process->awaiting_executable;
    return has_own_name ? commands_.counter(program_name(origin.app), process->name())
                        : CommandNames::unnamed;
}

void Collector::lose(LossCause cause, uint32_t cpu, uint64_t weight) {
    ledger_.add_lost(cause, cpu, weight);
    lost_ = add_saturating(lost_, weight);
}

void Collector::lose_unwanted(uint32_t cpu, uint64_t weight) {
    lose(LossCause::image_filtered, cpu, weight);
}

template <class S>
void Collector::lose_unplaced(const S& sample) {
    const bool kernel = sample.mode == CpuMode::kernel;
    lose(kernel ? LossCause::kernel_address : LossCause::no_mapping, sample.cpu, sample.weight);
}

/// Null if the sample is lost, which is counted.
SampleFile* Collector::file_for(const Origin& origin, const ImageRange& range) {
    const FileKey key = key_for(origin, range.image);
    const bool is_refused = key.image.is_refused() || key.app.is_refused();
    SampleFile* const file = is_refused ? nullptr : files_.get(key);
    if (!file) {
        lose(is_refused ? LossCause::image_limit : files_.failure(), origin.cpu, origin.weight);
        return nullptr;
    }
    note_image(range.image, range.at(origin.tgid));
    note_thread(origin);
    return file;
}

/// To be called once the file is open: that may change the generation.
template <class S>
Slot Collector::slot_of(const S& sample, const ImageRange& range, SampleFile* file) const {
    Slot slot;
    slot.start = range.start;
    slot.end = range.end;
    slot.delta = range.delta;
    slot.file = file;
    slot.generation = generation(sample);
    slot.tgid = sample.tgid;
    slot.tid = sample.tid;
    slot.cpu = sample.cpu;
    slot.event = sample.event;
    slot.mode = sample.mode;
    if constexpr (std::is_same_v<S, PlacedSample>) {
        slot.placed = true;
        slot.app = sample.app;
        slot.cookie = sample.place.cookie;
    }
    return slot;
}

ImageRef Collector::app_of(const Sample& sample) {
    const Process* process = table_.find(sample.tgid);
    return process && process->executable ? images_.of_file(process->executable, sample.tgid) : ImageRef{};
}

ImageRef Collector::program_of(uint32_t tgid) {
    const Process* process = table_.find(tgid);
    return process && process->command ? images_.of_file(process->command, tgid)
                                       : ImageRef::file(names_.intern(unknown_program));
}

ImageRef Collector::app_of(const PlacedSample& sample) {
    const ImageRef* app = sample.app ? images_.find(sample.app) : nullptr;
    return app ? *app : ImageRef{};
}

std::string_view Collector::program_path(uint32_t tgid) const {
    const Process* process = table_.find(tgid);
    return process && process->executable ? std::string_view(process->executable->name) : std::string_view();
}

template <class S>
bool Collector::is_wanted(const S& sample) const {
    return only_images_.empty() || only_images_.contains(program_path(sample));
}

bool Collector::depends_on_process(CpuMode mode) const {
    return mode != CpuMode::kernel || options_.separation.kernel || !only_images_.empty();
}

FileKey Collector::key_for(const Origin& origin, const ImageRef& image) {
    const bool by_app = image.kind == RegionKind::kernel ? options_.separation.kernel
                        : image.kind == RegionKind::file ? options_.separation.library
                                                         : true;
    FileKey key;
    key.event = origin.event;
    key.image = image;
    key.app = by_app && origin.app.name != StringId::none ? origin.app : image;
    if (key.app.kind == RegionKind::anon) key.app = program_of(origin.tgid);  // readers want a file there
    if (options_.separation.thread) {
        key.tgid = origin.tgid;
        key.tid = origin.tid;
    }
    if (options_.separation.cpu) key.cpu = origin.cpu;
    return key;
}

std::optional<ImageKey> Collector::key_of(const Sample& sample, uint64_t pc, bool kernel) {
    const Region* region = find(sample.tgid, RuntimeAddress{pc}, kernel);
    if (!region) return std::nullopt;
    return ImageKey{images_.of(*region, sample.tgid), region->offset(RuntimeAddress{pc}).value()};
}

std::optional<ImageKey> Collector::key_of(const PlacedSample& sample, const Place& place, bool kernel) {
    if (place.cookie != 0) {
        const ImageRef* image = images_.find(place.cookie);
        if (!image) return std::nullopt;
        return ImageKey{images_.in_program(*image, sample.app), place.offset};
    }
    const RuntimeAddress address{place.offset};
    const Region* region = find(sample.tgid, address, kernel);
    if (!region) return std::nullopt;
    return ImageKey{images_.of(*region, sample.tgid), region->offset(address).value()};
}

/// True if the path has no mark of deletion, even if it looks like it. Looks at files once per image.
bool Collector::has_real_name(Mapping mapping) {
    if (mapping.is_exact || !mapping.path.ends_with(deletion_mark)) return mapping.is_exact;
    if (classify_mapped_path(mapping.path).kind != RegionKind::file) return false;
    if (table_.find_image(mapping)) return false;
    mapping.is_exact = true;
    if (table_.find_image(mapping)) return true;
    const uint64_t start = mapping.start.value();
    return is_real_name({mapping.tgid, std::string(mapping.path), mapping.file, hex(mapping.build_id), start,
                         start + mapping.length});
}

void Collector::take(const Mapping& mapping) {
    if (mapping.kernel) images_.take(mapping);
    if (code_ && !mapping.kernel)
        code_->note_mapping(mapping.tgid, mapping.path, mapping.file, program_path(mapping.tgid));
    if (!options_.images_are_local || mapping.kernel) return table_.apply(mapping);
    Mapping local = mapping;
    if (local.time == 0) local.time = sample_clock_ns();  // it is there now
    local.is_exact = has_real_name(local);
    ImagePtr known = local.build_id.empty() ? table_.find_image(local) : nullptr;
    const uint64_t seen = mapping.time != 0 ? mapping.time : batch_time_;
    if (known && images_.has_changed(*known, local.tgid, seen)) {
        table_.forget_image(*known);
        known = nullptr;
    }
    table_.apply(local, std::move(known));
}

void Collector::take(const Exit& exit) {
    table_.apply(exit);
    if (!code_) return;
    const Process* const process = table_.find(exit.tgid);
    if (!process || process->ended()) code_->end(exit.tgid);
}

void Collector::take(const Name& name) {
    if (code_ && name.exec) code_->end(name.tgid);
    table_.apply(name);
    commands_.rename_thread(name.tgid, name.tid, name.comm);
}

/// Of threads whose samples have files of their own.
void Collector::note_thread(const Origin& origin) {
    if (!options_.separation.thread) return;
    // With the driver the table holds names of the time at which a process was looked at.
    if (run_.tgid == origin.tgid && run_.tid == origin.tid && !run_.comm.empty())
        commands_.note_thread(origin.tgid, origin.tid, run_.comm);
    else if (const Process* const process = table_.find(origin.tgid))
        commands_.note_thread(origin.tgid, origin.tid, process->name_of(origin.tid));
}

void Collector::take(const PlacedName& name) {
    count_named_run();
    run_.tgid = name.tgid;
    run_.tid = name.tid;
    run_.app = name.app;
    run_.comm = name.comm;
    if (options_.separation.thread) commands_.rename_thread(name.tgid, name.tid, name.comm);
}

/// Counts the samples of the run so far. The other samples since it began are plain ones, which are counted.
void Collector::count_named_run() {
    const uint64_t begin = has_plain_samples_ ? commands_.total() : run_.begin;
    run_.begin = ledger_.sampled() - lost_;
    if (run_.begin <= begin) return;  // less: the sums are saturated
    const ImageRef* const app = run_.app != 0 ? images_.find(run_.app) : nullptr;
    const uint32_t counter = app ? commands_.counter(program_name(*app), run_.comm) : CommandNames::unnamed;
    commands_.add(counter, run_.begin - begin);
}

void Collector::take(const ImageCookie& cookie) {
    if (cookie.cookie == run_.app && !images_.path(cookie.cookie).empty()) count_named_run();
    if (!images_.take(cookie)) return;
    cache_.clear();
    frame_cache_.clear();
    applications_.clear();
    driver_maps_.forget_image(cookie.cookie);
}

void Collector::take(const Lost& lost) {
    ledger_.add_sampled(lost.count);
    lose(lost.cause, lost.cpu, lost.count);
}

void Collector::take(const MissedPeriods& missed) {
    info_.missed_periods = add_saturating(info_.missed_periods, missed.count);
}

void Collector::take(const Throttle& throttle) {
    if (throttle.on && throttle.event < info_.events.size()) info_.events[throttle.event].throttled = true;
}

void Collector::take(const EventTime& more) {
    if (more.event < info_.events.size()) info_.events[more.event].time += more.time;
}

// For collector_stacks.cpp.
template Origin Collector::origin_of(const Sample&);
template Origin Collector::origin_of(const PlacedSample&);
template bool Collector::is_wanted(const Sample&) const;
template bool Collector::is_wanted(const PlacedSample&) const;

}  // namespace op::collect
