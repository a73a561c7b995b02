// SPDX-License-Identifier: GPL-2.0-or-later
// Two passes: one finds what the trace is and the parts that are in order of time, one merges these.
#include "daemon/import/akaros_source.h"

#include <fcntl.h>

#include <algorithm>
#include <functional>

#include "daemon/import/whole_user_memory.h"
#include "libop/base/build_id.h"
#include "libop/base/counted.h"
#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/events/event_catalogue.h"

namespace op::collect {
namespace {

// Small enough to stay in the first-level cache between decoding and collecting.
constexpr size_t batch_limit = 256;
// What was read is given back in pieces of this size.
constexpr size_t release_step = size_t{8} << 20;
/// Paths of processes that are remembered, and of files whose build-id was looked for.
constexpr size_t most_paths = size_t{1} << 17, most_build_ids = 4096;

/// As many addresses as an Akaros kernel follows.
constexpr size_t deepest = 16;

constexpr uint64_t second = 1'000'000'000;
/// Times since the epoch are beyond this one, of 2001; no machine has run so long.
constexpr uint64_t least_epoch_time = 1'000'000'000 * second;

std::string_view layout_text(AkarosLayout layout) {
    switch (layout) {
        case AkarosLayout::words:
            return "generation 1";
        case AkarosLayout::v1:
            return "version 1";
        case AkarosLayout::v2:
            return "version 2";
        case AkarosLayout::v3:
            break;
    }
    return "version 3";
}

std::vector<std::byte> bytes_of_hex(std::string_view digits) {
    std::vector<std::byte> bytes;
    for (size_t i = 0; i + 1 < digits.size(); i += 2)
        bytes.push_back(static_cast<std::byte>(parse_number(digits.substr(i, 2), 16).value_or(0)));
    return bytes;
}

/// Of the file at that path below the root; empty if it is not known. No part of the path may be a link.
std::vector<std::byte> read_build_id(const std::string& root, std::string_view path) try {
    const Fd dir = open_file(root, O_PATH | O_DIRECTORY);
    const Fd file = open_regular_below(dir, path.substr(1), printable(path));
    return file ? bytes_of_hex(op::build_id_of_fd(file)) : std::vector<std::byte>();
} catch (const Error&) {
    return {};
}

}  // namespace

OpenedRecording open_akaros(ImportedFile file, const ImportOptions& options, Diagnostics& notes) {
    auto source = std::make_unique<AkarosSource>(std::move(file), options.root, notes);
    const bool has_stacks = source->has_stacks();
    return {std::move(source), has_stacks};
}

AkarosSource::AkarosSource(ImportedFile file, std::string root, Diagnostics& notes)
    : file_(std::move(file)),
      root_(std::move(root)),
      notes_(notes),
      trace_(file_.file.bytes()),
      events_(trace_.layout()) {
    scan();
    describe_session(file_.mtime_ns);
    order_.begin();
}

/// The first pass.
void AkarosSource::scan() {
    Faults faults;
    bool has_entries = false, has_user = false;
    AkarosEntry entry;
    for (size_t at = 0, from = 0, released = 0;; from = at) {
        const AkarosPart part = trace_.read(at, entry);
        if (part == AkarosPart::end) break;
        if (part == AkarosPart::damaged && faults.damaged++ == 0) faults.first = from;
        faults.aliens += part == AkarosPart::alien;
        if (part != AkarosPart::entry) continue;
        order_.add(from, at, entry.time);
        has_entries = true;
        if (entry.is_trace()) {
            events_.note(entry);
            has_stacks_ |= entry.depth() > 1;
            has_user |= entry.kind == AkarosEntry::Kind::user_trace;
            first_time_ = std::min(first_time_, entry.time);
            last_time_ = std::max(last_time_, entry.time);
        }
        if (at - released < release_step) continue;
        released = at;
        file_.file.release_first(at);
    }
    if (!has_entries) throw_input(file_.label + ": no entry of an Akaros trace is in it");
    note_faults(faults);
    if (trace_.layout() == AkarosLayout::words && has_user)
        notes_.warn(file_.label +
                    ": a trace of generation 1 does not name processes; samples in programs are counted in "
                    "[user], by address");
    else if (has_user && root_.empty())
        notes_.warn(file_.label +
                    ": the trace has no build-ids, so names of functions come from whatever is at the "
                    "recorded paths; give --root=DIR, here and to opreport, if that machine's files are "
                    "below DIR");
}

void AkarosSource::note_faults(const Faults& faults) {
    damaged_ = faults.damaged;
    if (faults.damaged > 0)
        notes_.warn(
            file_.label + ": damaged or cut off at byte " + std::to_string(faults.first) +
            (faults.damaged > 1 ? " and at " + counted(faults.damaged - 1, "further place") : std::string()) +
            "; the rest is used");
    if (faults.aliens > 0)
        notes_.warn(file_.label + ": " +
                    counted(faults.aliens, "entry of another kind is left out",
                            "entries of another kind are left out"));
    if (order_.is_unordered())
        notes_.warn(file_.label + ": too much of it is out of order; a part is taken in the file's order");
}

void AkarosSource::describe_session(uint64_t mtime_ns) {
    info_.tool = std::string("opimport ") + OP_VERSION;
    info_.command = "Akaros trace, " + std::string(layout_text(trace_.layout()));
    info_.machine = "x86_64";
    info_.cpu_type = cpu_type_timer;
    info_.cpu_type_name = cpu_models().find_number(cpu_type_timer)->name;
    info_.events = events_.describe();
    const bool is_since_epoch = first_time_ >= least_epoch_time && first_time_ != UINT64_MAX;
    info_.stop_time = (is_since_epoch ? last_time_ : mtime_ns) / second;
    const uint64_t seconds = last_time_ < first_time_ ? 0 : (last_time_ - first_time_) / second;
    info_.start_time = info_.stop_time - std::min(seconds, info_.stop_time);
}

std::span<const Record> AkarosSource::drain() {
    batch_.clear();
    chains_used_ = 0;
    if (!has_begun_) add_first_records();
    AkarosEntry entry;
    while (!order_.is_done() && batch_.size() < batch_limit) {
        size_t at = order_.position();
        const size_t from = at;
        trace_.read(at, entry);
        add(entry);
        read_since_ += at - from;
        go_on(at);
    }
    if (read_since_ >= release_step) release();
    return batch_;
}

void AkarosSource::add_first_records() {
    has_begun_ = true;
    batch_.emplace_back(Mapping{0, 0, {}, UINT64_MAX, 0, true, no_vmlinux, {}});
    const uint64_t length = UINT64_MAX - akaros_kernel;
    batch_.emplace_back(Mapping{0, 0, {akaros_kernel}, length, 0, true, kallsyms_image, {}});
    if (damaged_ > 0) batch_.emplace_back(Lost{damaged_, 0, LossCause::damaged_stream});
    if (trace_.layout() != AkarosLayout::words) return;
    batch_.emplace_back(Name{0, only_process, only_process, true, user_program});
    batch_.emplace_back(whole_user_memory());
}

/// To the next entry of the part that `at` is in.
void AkarosSource::go_on(size_t at) {
    const size_t end = order_.end();
    AkarosEntry next;
    while (at < end) {
        const size_t from = at;
        if (trace_.read(at, next) == AkarosPart::entry) return order_.advance(from, next.time);
    }
    order_.advance();
}

void AkarosSource::release() {
    read_since_ = 0;
    file_.file.release_first(std::min(order_.first_needed(), trace_.size()));
}

void AkarosSource::add(const AkarosEntry& entry) {
    if (entry.is_trace()) return add_trace(entry);
    if (entry.kind == AkarosEntry::Kind::mapping) return add_mapping(entry);
    add_process(entry);
}

/// The kernel's traces had the sampled address twice until July 2016.
void AkarosSource::add_trace(const AkarosEntry& trace) {
    const bool is_kernel = trace.kind == AkarosEntry::Kind::kernel_trace;
    const bool is_twice = is_kernel && trace.depth() > 1 && trace.address(0) == trace.address(1);
    if (chains_used_ == chains_.size()) chains_.emplace_back();
    std::vector<uint64_t>& chain = chains_[chains_used_++];
    chain.clear();
    for (size_t i = is_twice ? 2 : 1; i < trace.depth(); ++i)
        chain.push_back(trace.address(i));
    Sample sample{};
    sample.time = trace.time;
    const bool is_user_word = trace_.layout() == AkarosLayout::words && !is_kernel;
    if (trace.pid != AkarosEntry::no_pid) sample.tgid = sample.tid = trace.pid;
    if (is_user_word) sample.tgid = sample.tid = only_process;
    sample.cpu = trace.cpu;
    sample.event = events_.index(trace);
    sample.mode = is_kernel ? CpuMode::kernel : CpuMode::user;
    sample.kernel_frames = is_kernel ? static_cast<uint16_t>(chain.size()) : uint16_t{0};
    sample.pc = {trace.address(0)};
    sample.chain = chain;
    if (has_stacks_)
        sample.stack_end = trace.depth() < deepest ? StackEnd::frame_pointers : StackEnd::too_deep;
    batch_.emplace_back(sample);
}

/// Processes that ran before the recording are known by their mappings only, of which the program's is the
/// lowest and comes first.
void AkarosSource::add_mapping(const AkarosEntry& mapping) {
    if (!paths_.contains(mapping.pid) && known_paths_ < most_paths) begin_program(mapping);
    has_path(mapping.pid, mapping.path);
    batch_.emplace_back(Mapping{mapping.time,
                                mapping.pid,
                                {mapping.start},
                                mapping.length,
                                mapping.offset,
                                false,
                                mapping.path,
                                build_id_of(mapping.path)});
}

/// Mappings of a program may come before its process: then it is not a new one.
void AkarosSource::add_process(const AkarosEntry& process) {
    if (has_path(process.pid, process.path)) return;
    if (const auto before = paths_.find(process.pid); before != paths_.end()) {
        known_paths_ -= before->second.size();
        paths_.erase(before);
    }
    begin_program(process);
    has_path(process.pid, process.path);
}

/// An empty mapping names the program, as the first one of a file after an exec.
void AkarosSource::begin_program(const AkarosEntry& entry) {
    batch_.emplace_back(Name{entry.time, entry.pid, entry.pid, true, base_name(entry.path)});
    batch_.emplace_back(Mapping{entry.time, entry.pid, {}, 0, 0, false, entry.path, build_id_of(entry.path)});
}

/// True if the process is known to have mapped it, or to have been started from it. Remembers it.
bool AkarosSource::has_path(uint32_t pid, std::string_view path) {
    const uint64_t hash = std::hash<std::string_view>()(path);
    const auto known = paths_.find(pid);
    if (known != paths_.end() && known->second.contains(hash)) return true;
    if (known_paths_ >= most_paths) return false;
    known_paths_ += paths_[pid].insert(hash).second;
    return false;
}

std::span<const std::byte> AkarosSource::build_id_of(std::string_view path) {
    if (root_.empty() || !path.starts_with('/')) return {};
    const auto known = build_ids_.find(std::string(path));
    if (known != build_ids_.end()) return known->second;
    if (build_ids_.size() >= most_build_ids) return {};
    return build_ids_[std::string(path)] = read_build_id(root_, path);
}

}  // namespace op::collect
