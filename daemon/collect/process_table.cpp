// SPDX-License-Identifier: GPL-2.0-or-later
// Processes, address spaces, and what the kernel's words for mappings mean.
#include "daemon/collect/process_table.h"

#include <algorithm>
#include <utility>

namespace op::collect {
namespace {

/// Ended processes are remembered this long (ns of record time), for kernel samples of their last moments.
constexpr uint64_t grave_time = 2'000'000'000;
/// ... but never more than this many.
constexpr size_t grave_limit = 4096;

/// As many as the kernel allows a process by default (vm.max_map_count). Nobody reports the ends of mappings,
/// so here a process can seem to have any number.
constexpr size_t most_regions = 65536;
/// Of a process that changes what it has from its parent: copying more takes longer than a fork.
constexpr size_t most_copied_regions = 4096;
/// Of all processes.
constexpr uint64_t most_region_bytes = uint64_t{256} << 20;

/// Around a command name.
constexpr std::string_view command_start = "/[";
constexpr char command_end = ']';

constexpr std::string_view memfd_mark = "/memfd:";

/// Names that programs choose may hold any byte but '/', to be one component of a path.
std::string one_component(std::string_view text) {
    std::string name(text);
    std::ranges::replace(name, '/', '_');
    return name;
}

/// "/memfd:NAME (deleted)" -> "/memfd:NAME"
std::string memfd_name(std::string_view path) {
    if (path.ends_with(deletion_mark)) path.remove_suffix(deletion_mark.size());
    return std::string(memfd_mark) + one_component(path.substr(memfd_mark.size()));
}

MappedPath path_of(const Mapping& mapping) {
    return mapping.is_exact ? MappedPath{RegionKind::file, mapping.path} : classify_mapped_path(mapping.path);
}

RuntimeAddress end_of(RuntimeAddress start, uint64_t length) {
    return {length > UINT64_MAX - start.value() ? UINT64_MAX : start.value() + length};
}

}  // namespace

bool Process::add_thread(uint32_t tid, uint32_t parent_tid) {
    threads.insert(tid);
    const auto parent = thread_names.find(parent_tid);
    return parent == thread_names.end() || name_thread(tid, std::string(parent->second));
}

bool Process::name_thread(uint32_t tid, std::string_view name) {
    if (!threads.contains(tid)) return false;
    const auto known = thread_names.find(tid);
    if (known != thread_names.end()) {
        known->second = name;
        return true;
    }
    if (thread_names.size() >= most_thread_names) {
        has_nameless_threads = true;
        return false;
    }
    thread_names.emplace(tid, name);
    return true;
}

size_t Process::keep_thread_names() {
    if (has_nameless_threads || thread_names.size() == threads.size()) return 0;
    const std::string now(name());
    size_t left_out = 0;
    for (const uint32_t tid : threads)
        if (!thread_names.contains(tid)) left_out += !name_thread(tid, now);
    return left_out;
}

std::string_view Process::name() const noexcept {
    if (!command) return {};
    const std::string_view text = command->name;
    return text.substr(command_start.size(), text.size() - command_start.size() - 1);
}

std::string_view Process::name_of(uint32_t tid) const {
    const auto own = thread_names.find(tid);
    if (own != thread_names.end()) return own->second;
    return has_nameless_threads && threads.contains(tid) ? std::string_view() : name();
}

AddressSpace& ProcessTable::own_space(Process& process) {
    if (process.space.use_count() == 1) return *process.space;
    if (process.space && process.space->size() <= most_copied_regions) {
        process.space = std::make_shared<AddressSpace>(*process.space);
    } else {
        if (process.space) left_out_mappings_ += process.space->size();
        process.space = std::make_shared<AddressSpace>(&region_bytes_);
    }
    return *process.space;
}

void ProcessTable::forget_mappings(AddressSpace& space) {
    left_out_mappings_ += space.size();
    space.clear();
    note_change();  // also of processes that share it
}

void ProcessTable::make_room(AddressSpace& changed) {
    if (changed.size() > most_regions) forget_mappings(changed);
    const auto bytes_of = [](const auto& each) { return each.second.space ? each.second.space->bytes() : 0; };
    while (region_bytes_ > most_region_bytes)
        forget_mappings(*std::ranges::max_element(processes_, {}, bytes_of)->second.space);
}

/// A program that was started from a memfd is a file to us, or it would have no application.
void ProcessTable::map_program_in_memory(const Process& process, const Mapping& mapping, Region& region) {
    if (!mapping.path.starts_with(memfd_mark)) return;
    const std::string name = memfd_name(mapping.path);
    const bool is_program =
        process.awaiting_executable || (process.executable && process.executable->name == name);
    if (!is_program) return;
    region.kind = RegionKind::file;
    region.image = images_.get_file(name, mapping.file, mapping.build_id);
    region.image->is_deleted = true;
    region.image->mapped = mapping.time;
}

/// Of the kernel, or of all processes.
void ProcessTable::note_change() noexcept {
    ++changes_;
    ++changes_of_all_;
}

void ProcessTable::note_change(uint32_t tgid) noexcept {
    ++changes_;
    ++changes_of_[tgid % changes_of_.size()];
}

void ProcessTable::apply(const Mapping& mapping, ImagePtr image) {
    Region region{mapping.start, end_of(mapping.start, mapping.length), mapping.file_offset};
    if (mapping.kernel) {
        region.kind = RegionKind::kernel;
        region.file_offset = 0;
        region.image = images_.get(mapping.path);
        kernel_.map(region);
        return note_change();
    }
    if (mapping.tgid == unseen_process) return;
    note_change(mapping.tgid);
    const MappedPath path = path_of(mapping);
    region.kind = path.kind;
    if (path.kind == RegionKind::file) {
        region.image = image ? std::move(image) : images_.get_file(path.name, mapping.file, mapping.build_id);
        region.image->is_deleted = path.deleted;
        region.image->mapped = mapping.time;
    } else {
        region.image = images_.get_build(path.name, mapping.build_id);
    }
    Process& process = processes_[mapping.tgid];
    map_program_in_memory(process, mapping, region);
    if (region.kind == RegionKind::anon) region.file_offset = 0;
    AddressSpace& space = own_space(process);
    space.map(region);
    make_room(space);
    if (region.kind != RegionKind::file) return;
    if (process.awaiting_executable) process.executable = region.image;
    process.awaiting_executable = false;
}

ImagePtr ProcessTable::find_image(const Mapping& mapping) {
    const MappedPath path = path_of(mapping);
    if (mapping.kernel || path.kind != RegionKind::file) return nullptr;
    return images_.find_file(path.name, mapping.file, mapping.build_id);
}

ImagePtr ProcessTable::command_image(std::string_view name) {
    return images_.get(std::string(command_start) + one_component(name) + command_end);
}

void ProcessTable::apply(const Unmapping& unmapping) {
    const auto it = processes_.find(unmapping.tgid);
    if (it == processes_.end() || !it->second.space) return;
    note_change(unmapping.tgid);
    AddressSpace& space = own_space(it->second);
    space.unmap(unmapping.start, end_of(unmapping.start, unmapping.length));
    make_room(space);  // it may have made two regions of one
}

void ProcessTable::apply(const Name& name) {
    if (name.tgid == unseen_process) return;
    const auto known = processes_.find(name.tgid);
    if (!name.exec && known == processes_.end()) return;
    Process& process = name.exec ? processes_[name.tgid] : known->second;
    if (!name.exec && name.tid != name.tgid) {
        left_out_thread_names_ += !process.name_thread(name.tid, name.comm);
        return;
    }
    ImagePtr command = command_image(name.comm);
    if (!name.exec) {
        if (command == process.command) return;
        left_out_thread_names_ += process.keep_thread_names();
        process.command = std::move(command);
        return note_change(name.tgid);
    }
    note_change(name.tgid);
    process.command = std::move(command);
    process.space.reset();
    process.awaiting_executable = true;  // until then the kernel works for a program that has no name yet
    process.leader = true;
    process.threads.clear();
    process.thread_names.clear();
    process.has_nameless_threads = false;
    process.known_after = losses_;
}

void ProcessTable::apply(const Fork& fork) {
    if (fork.tgid == unseen_process) return;
    if (fork.tgid == fork.parent_tgid) {
        const auto it = processes_.find(fork.tgid);
        if (it != processes_.end() && fork.tid != fork.tgid)
            left_out_thread_names_ += !it->second.add_thread(fork.tid, fork.parent_tid);
        return;
    }
    note_change(fork.tgid);
    const auto parent = processes_.find(fork.parent_tgid);
    Process child;
    if (parent != processes_.end()) {
        child.space = parent->second.space;
        const auto own = parent->second.thread_names.find(fork.parent_tid);
        child.command =
            own == parent->second.thread_names.end() ? parent->second.command : command_image(own->second);
        child.executable = parent->second.executable;
        child.awaiting_executable = parent->second.awaiting_executable;
        child.known_after = parent->second.known_after;
    }
    processes_[fork.tgid] = std::move(child);
}

void ProcessTable::apply(const Exit& exit) {
    const auto it = processes_.find(exit.tgid);
    if (it == processes_.end()) return;
    Process& process = it->second;
    if (process.ended()) return;
    if (exit.tid == exit.tgid) process.leader = false;
    process.threads.erase(exit.tid);
    process.thread_names.erase(exit.tid);
    if (process.ended()) bury(exit.tgid, exit.time);
}

void ProcessTable::bury(uint32_t tgid, uint64_t time) {
    graves_.push_back({tgid, time});
    while (!graves_.empty() && (graves_.size() > grave_limit || graves_.front().time + grave_time < time)) {
        // A number that was given to a new process meanwhile stays.
        const auto it = processes_.find(graves_.front().tgid);
        if (it != processes_.end() && it->second.ended()) forget(it->first);
        graves_.pop_front();
    }
}

void ProcessTable::lose_track() {
    ++losses_;
    note_change();
    if (processes_.size() <= most_) return;
    std::erase_if(processes_, [this](const auto& each) { return each.second.known_after + 1 < losses_; });
    most_ = std::max(least_of_most, 2 * processes_.size());
}

bool ProcessTable::is_in_doubt(uint32_t tgid) const noexcept {
    const Process* const process = find(tgid);
    return process && process->known_after != losses_;
}

void ProcessTable::forget(uint32_t tgid) {
    if (processes_.erase(tgid) != 0) note_change(tgid);
}

const Process* ProcessTable::find(uint32_t tgid) const noexcept {
    const auto it = processes_.find(tgid);
    return it == processes_.end() ? nullptr : &it->second;
}

const Region* ProcessTable::find_user(uint32_t tgid, RuntimeAddress pc) const noexcept {
    const Process* process = find(tgid);
    return process && process->space ? process->space->find(pc) : nullptr;
}

std::map<StringId, std::vector<MappedPlace>> ProcessTable::places_of(const std::set<StringId>& images,
                                                                     size_t most) const {
    std::map<StringId, std::vector<MappedPlace>> places;
    for (const auto& [tgid, process] : processes_) {
        if (process.ended() || !process.space) continue;
        for (const auto& [start, region] : process.space->regions()) {
            if (region.kind != RegionKind::file || !images.contains(region.image->id)) continue;
            auto& known = places[region.image->id];
            if (known.size() < most) known.push_back({tgid, region.start, region.end});
        }
    }
    return places;
}

MappedPath classify_mapped_path(std::string_view path) {
    const bool deleted = path.ends_with(deletion_mark);
    if (deleted) path.remove_suffix(deletion_mark.size());
    if (path.starts_with('[')) return {RegionKind::anon, path};
    // Memory with a name only the kernel knows; JIT compilers keep code in memfd and shared anonymous memory.
    const bool nameless = !path.starts_with('/') || path.starts_with("//") || path.starts_with(memfd_mark) ||
                          path.starts_with("/anon_hugepage") || path.starts_with("/SYSV") ||
                          path == "/dev/zero";
    if (nameless) return {RegionKind::anon, "anon", deleted};
    return {RegionKind::file, path, deleted};
}

}  // namespace op::collect
