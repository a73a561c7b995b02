// SPDX-License-Identifier: GPL-2.0-or-later
// Reading ahead, sorting, delivering.
#include "daemon/import/perf_data_source.h"

#include <linux/perf_event.h>
#include <sys/utsname.h>

#include <algorithm>
#include <bit>
#include <ctime>

#include "daemon/import/perf_data_records.h"
#include "daemon/import/recorded_processor.h"
#include "daemon/source/own_vdso.h"
#include "daemon/source/vmlinux.h"
#include "libop/base/clock.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/events/event_catalogue.h"
#include "libop/jit/recorded_dumps.h"

namespace op::collect {
namespace {

// Small enough to stay in the first-level cache between decoding and collecting.
constexpr size_t batch_limit = 256;
/// What may be in memory of the file, and of what was unpacked of it, bytes.
constexpr uint64_t release_step = uint64_t{16} << 20, most_unpacked = uint64_t{32} << 20;
/// Records of perf's own begin here.
constexpr uint32_t first_own_type = 64;
constexpr uint64_t reads_lost = uint64_t{1} << 4;       // PERF_FORMAT_LOST
constexpr uint16_t lost_to_filter = uint16_t{1} << 15;  // of LOST_SAMPLES: a BPF program dropped them
constexpr uint64_t nanoseconds_per_second = 1'000'000'000;

bool has_stack(const PerfDataAttr& attr) {
    constexpr uint64_t copied = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    return (attr.sample_type & PERF_SAMPLE_CALLCHAIN) != 0 || (attr.sample_type & copied) == copied;
}

/// HEADER_ATTR: the attribute, then its ids.
void add_attr(const RawPerfRecord& record, PerfDataHeader& header) {
    if (header.attrs.attrs.size() == PerfDataAttrs::most) return;
    const PerfDataAttr attr = parse_perf_attr(record.body, header.is_big_endian);
    FieldReader ids(record.body, header.is_big_endian);
    ids.skip(attr.size);
    header.attrs.attrs.push_back(attr);
    while (ids.remaining() >= sizeof(uint64_t))
        header.attrs.add_id(ids.u64(), header.attrs.attrs.size() - 1);
}

/// EVENT_UPDATE: u64 what, u64 id, and of a name its text.
void add_event_name(const RawPerfRecord& record, PerfDataHeader& header) {
    constexpr uint64_t is_name = 2;
    FieldReader in(record.body, header.is_big_endian);
    if (in.u64() != is_name) return;
    const uint16_t attr = header.attrs.find(in.u64());
    if (attr < header.attrs.attrs.size())
        header.attrs.attrs[attr].name = FieldReader::text(in.take(in.remaining()));
}

/// A record of perf's own; `with_events`: also those that describe events.
void read_own_record(const RawPerfRecord& record, bool with_events, PerfDataHeader& header) {
    if (record.type == perf_record_header_attr && with_events) return add_attr(record, header);
    if (record.type == perf_record_event_update && with_events) return add_event_name(record, header);
    if (record.type == perf_record_build_id)
        return header.features.add_build_id(record.body, record.misc, header.is_big_endian);
    if (record.type != perf_record_header_feature) return;
    FieldReader in(record.body, header.is_big_endian);
    const uint64_t number = in.u64();
    if (number > UINT32_MAX) return;
    header.features.read(static_cast<uint32_t>(number), in.take(in.remaining()), header.is_big_endian,
                         header.attrs);
}

/// True if the processor's own counters count the event.
bool is_of_processor(const PerfDataAttr& attr, const std::map<uint32_t, std::string>& pmus) {
    if (attr.is_dummy()) return false;
    const auto pmu = pmus.find(attr.type);
    return attr.type == PERF_TYPE_HARDWARE || attr.type == PERF_TYPE_HW_CACHE || attr.type == PERF_TYPE_RAW ||
           (pmu != pmus.end() && pmu->second.starts_with("cpu"));
}

utsname this_machine() {
    utsname names{};
    ::uname(&names);
    return names;
}

}  // namespace

PerfDataSource::PerfDataSource(ImportedFile file, Diagnostics& notes)
    : file_(std::move(file)),
      notes_(notes),
      header_(parse_perf_data_header(file_.file.bytes(), file_.label, notes)),
      stream_(data(), header_.is_big_endian),
      decoder_(header_, events_) {
    try {
        if (header_.is_pipe) read_ahead();
        if (header_.features.is_directory)
            throw_input("a recording of several files (perf record --threads) is not supported");
        header_.attrs.check();
    } catch (const Error& e) {
        throw_input(file_.label + ": " + e.what());
    }
    events_ = name_perf_events(header_.attrs, header_.features.pmus);
    describe_machine_and_events();
    batch_.reserve(batch_limit + 2);
}

std::span<const std::byte> PerfDataSource::data() const {
    return file_.file.bytes().subspan(header_.data_begin, header_.data_end - header_.data_begin);
}

/// In pipe mode events and features are records before the first sample.
void PerfDataSource::read_ahead() {
    PerfDataStream ahead(data(), header_.is_big_endian);
    while (const auto record = ahead.next()) {
        const bool is_over = record->type == PERF_RECORD_SAMPLE || record->type == perf_record_finished_round;
        if (is_over && !header_.attrs.attrs.empty()) return;
        ahead.forget_before(record->position);
        take_own_record(*record, true);
    }
}

void PerfDataSource::take_own_record(const RawPerfRecord& record, bool with_events) try {
    read_own_record(record, with_events, header_);
} catch (const Error& e) {
    note("a record of type " + std::to_string(record.type) + " is damaged (" + e.what() + ")");
}

bool PerfDataSource::has_stacks() const noexcept {
    return std::ranges::any_of(header_.attrs.attrs, has_stack);
}

bool PerfDataSource::has_dump_times() const noexcept {
    return std::ranges::all_of(header_.attrs.attrs, [](const PerfDataAttr& attr) {
        const bool has_time = (attr.sample_type & PERF_SAMPLE_TIME) != 0;
        return has_time && attr.uses_clockid && attr.clockid == CLOCK_MONOTONIC;
    });
}

void PerfDataSource::describe_machine_and_events() {
    const PerfDataFeatures& f = header_.features;
    const utsname here = this_machine();
    const bool is_native_order = header_.is_big_endian == (std::endian::native == std::endian::big);
    is_native_ = is_native_order && (f.arch.empty() || f.arch == here.machine);
    info_.tool = f.version.empty() ? "perf" : "perf " + f.version;
    info_.command = f.command;
    info_.host = f.hostname;
    info_.kernel_release = f.os_release;
    info_.machine = f.arch;
    describe_processor();
    info_.cpu_model = f.cpu_desc;
    info_.events = events_.events;
    const uint64_t length = f.last_sample - std::min(f.first_sample, f.last_sample);
    uint64_t begin = file_.mtime_ns - std::min(file_.mtime_ns, length);
    // The wall clock is read when the recording begins; perf record -N does not keep the times of samples.
    if (f.wall_clock != 0) begin = f.wall_clock + (f.first_sample ? f.first_sample - f.sample_clock : 0);
    info_.start_time = begin / nanoseconds_per_second;
    info_.stop_time = (begin + length) / nanoseconds_per_second;
    is_same_host_ = is_native_ && f.hostname == here.nodename;
    if (is_same_host_) files_ = RecordedFiles(begin);
    decoder_.set_walks_stacks(is_native_);
    for (const PerfDataAttr& attr : header_.attrs.attrs)
        if (attr.is_freq && !attr.is_dummy()) {
            remarks_.emplace_back(
                "events were sampled by frequency: samples are counted, as by perf report -n, not periods");
            break;
        }
    const auto has_copy = [](const PerfDataAttr& attr) {
        return (attr.sample_type & PERF_SAMPLE_STACK_USER) != 0;
    };
    if (!is_native_ && std::ranges::any_of(header_.attrs.attrs, has_copy))
        note("copied stacks of another kind of machine are not walked");
}

/// The type whose events they are, as of a live recording; the clock's are no processor's.
void PerfDataSource::describe_processor() {
    const PerfDataFeatures& f = header_.features;
    const bool is_counted = std::ranges::any_of(
        header_.attrs.attrs, [&](const PerfDataAttr& attr) { return is_of_processor(attr, f.pmus); });
    const Processor processor = is_counted ? recorded_processor(f.arch, f.cpu_id, f.cpu_desc) : Processor{};
    const RecordedCpuType type = recorded_cpu_type(processor, cpu_models());
    info_.cpu_type = type.number;
    info_.cpu_type_name = type.name;
}

/// Reads records into the window until some can be given out; false if there are no more.
bool PerfDataSource::fill_window() {
    while (!window_.has_next()) {
        const auto record = stream_.next();
        if (!record) {
            if (has_ended_) return false;
            has_ended_ = true;
            window_.end_all();
            return window_.has_next();
        }
        touched_ += record->body.size();
        if (record->type < first_own_type)
            window_.add(decoder_.time_of(*record), record->position);
        else if (record->type == perf_record_finished_round)
            window_.end_round();
        else
            take_own_record(*record, false);
        if (stream_.held_bytes() > most_unpacked) window_.give_half();
    }
    return true;
}

void PerfDataSource::release_memory() {
    if (stream_.held_bytes() > most_unpacked / 4)
        stream_.forget_before(window_.first_position(stream_.end_position()));
    if (touched_ < release_step) return;
    touched_ = 0;
    file_.file.release_first(header_.data_begin + stream_.read_bytes());
}

std::span<const Record> PerfDataSource::drain() {
    batch_.clear();
    chains_.clear();
    decoder_.forget_names();
    release_memory();
    if (!has_begun_) {
        // Region arithmetic needs offsets that are raw addresses, so the catch-all starts at 0.
        batch_.push_back(Mapping{0, 0, {}, UINT64_MAX, 0, true, no_vmlinux, {}});
        has_begun_ = true;
    }
    while (batch_.size() < batch_limit && chains_.has_room() && fill_window()) {
        const RawPerfRecord raw = stream_.at(window_.next().position);
        touched_ += raw.body.size();
        if (auto record = decoder_.decode(raw, chains_)) deliver(raw, *record);
    }
    if (batch_.empty()) finish();
    return batch_;
}

void PerfDataSource::deliver(const RawPerfRecord& raw, Record& record) {
    if (auto* const mapping = std::get_if<Mapping>(&record)) add_build_id(*mapping);
    if (const auto* const lost = std::get_if<Lost>(&record)) {
        if (raw.type == PERF_RECORD_LOST) lost_records_ = add_saturating(lost_records_, lost->count);
        if (raw.type == PERF_RECORD_LOST_SAMPLES) {
            if (raw.misc & lost_to_filter) return;
            // Of an event with its own count of losses they contain those that LOST reports.
            if (header_.attrs.attrs.front().read_format & reads_lost) {
                lost_samples_ = add_saturating(lost_samples_, lost->count);
                return;
            }
        }
    }
    batch_.push_back(record);
}

void PerfDataSource::add_build_id(Mapping& mapping) {
    if (mapping.kernel) {
        if (mapping.path != kallsyms_image) return;
        kernel_start_ = mapping.start.value();
        kernel_build_id_ = hex(mapping.build_id);
        return;
    }
    if (mapping.path == vdso_label) return add_vdso_build_id(mapping);
    if (jitdump_number(mapping.path)) return;  // no code
    if (mapping.build_id.empty()) mapping.build_id = files_.build_id(mapping);
    if (mapping.path.starts_with('/')) (mapping.build_id.empty() ? lacks_build_ids_ : has_build_ids_) = true;
}

/// A recording need not name it, but with the kernel that runs here it is this process's.
void PerfDataSource::add_vdso_build_id(Mapping& mapping) {
    const bool is_other = is_other_vdso(mapping.start.value());
    if (is_other) mapping.build_id = {};
    if (is_other || !mapping.build_id.empty()) return;
    if (!own_vdso_ && kernel_start_ != 0)
        own_vdso_ = is_running_kernel(kernel_start_) ? bytes_of_hex(own_vdso_build_id()) : "";
    if (own_vdso_) mapping.build_id = as_bytes(*own_vdso_);
}

/// What the file could not give, once.
void PerfDataSource::finish() {
    if (lost_samples_ > lost_records_)
        batch_.push_back(Lost{lost_samples_ - lost_records_, 0, LossCause::kernel_buffer});
    lost_samples_ = 0;
    if (!stream_.damage().empty()) note(stream_.damage() + "; what came before is used");
    if (window_.late() > 0)
        note(std::to_string(window_.late()) +
             " records are far out of order; some samples may be attributed "
             "to what their process had mapped later");
    if (lacks_build_ids_ && !has_build_ids_)
        note("it has no build-ids: functions are named after the files that have the recorded paths here");
}

/// Without a build-id it is the running kernel if this machine has not been started since.
bool PerfDataSource::is_running_kernel(uint64_t start) const {
    if (start == 0 || kernel_start_ != start) return false;
    if (!kernel_build_id_.empty()) return kernel_build_id_ == running_kernel_build_id();
    timespec up{};
    ::clock_gettime(CLOCK_BOOTTIME, &up);
    const uint64_t boot = epoch_seconds() - static_cast<uint64_t>(up.tv_sec);
    return is_same_host_ && info_.kernel_release == this_machine().release && info_.start_time > boot;
}

OpenedRecording open_perf_data(ImportedFile file, const ImportOptions&, Diagnostics& notes) {
    auto source = std::make_unique<PerfDataSource>(std::move(file), notes);
    OpenedRecording opened;
    opened.has_stacks = source->has_stacks();
    opened.is_running_kernel = [s = source.get()](uint64_t start) { return s->is_running_kernel(start); };
    opened.remarks = source->remarks();
    opened.has_dump_times = source->has_dump_times();
    opened.made_kernel_code = [s = source.get()] { return s->made_kernel_code(); };
    opened.is_same_host = source->is_same_host();
    opened.source = std::move(source);
    return opened;
}

}  // namespace op::collect
