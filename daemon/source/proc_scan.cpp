// SPDX-License-Identifier: GPL-2.0-or-later
// Reading /proc/PID. A process that vanishes meanwhile is passed over.
#include "daemon/source/proc_scan.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>

#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/kernel_file.h"
#include "libop/base/text.h"

namespace op::collect {
namespace {

namespace fs = std::filesystem;

/// seq_path() of the kernel escapes the newline and nothing else, not even the backslash.
constexpr std::string_view spelled_newline = "\\012";

/// "fd:01", hexadecimal; 0 if it is not a device.
dev_t parse_device(std::string_view text) {
    const size_t colon = text.find(':');
    if (colon == text.npos) return 0;
    const auto major = parse_number(text.substr(0, colon), 16),
               minor = parse_number(text.substr(colon + 1), 16);
    return major && minor ? makedev(static_cast<unsigned>(*major), static_cast<unsigned>(*minor)) : 0;
}

std::optional<MapsLine> parse_maps_line(std::string_view line) {
    const auto range = take_word(line), permissions = take_word(line), offset = take_word(line);
    const auto device = parse_device(take_word(line));
    const auto inode = parse_number(take_word(line));
    const size_t dash = range.find('-');
    if (dash == range.npos || permissions.size() < 3 || permissions[2] != 'x') return std::nullopt;
    const auto start = parse_number(range.substr(0, dash), 16),
               end = parse_number(range.substr(dash + 1), 16);
    const auto file_offset = parse_number(offset, 16);
    if (!start || !end || !file_offset || *start >= *end) return std::nullopt;
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    return MapsLine{*start, *end, *file_offset, {device, inode.value_or(0)}, line};
}

std::vector<uint32_t> numbers_in(const std::string& dir) {
    std::vector<uint32_t> numbers;
    std::error_code error;
    for (fs::directory_iterator it(dir, error), end; !error && it != end; it.increment(error))
        if (const auto number = parse_task_name(it->path().filename().native())) numbers.push_back(*number);
    return numbers;
}

void add_mapping(uint32_t tgid, const MapsLine& line, RecordList& out) {
    Mapping mapping{0, tgid, {line.start}, line.end - line.start, line.file_offset, false, line.path, {}};
    mapping.file = line.file;
    out.add(mapping);
}

std::optional<uint64_t> inode_here(const std::string& path) {
    struct stat st {};
    return ::lstat(path.c_str(), &st) == 0 ? std::optional<uint64_t>(st.st_ino) : std::nullopt;
}

void add_mappings(uint32_t tgid, std::string_view maps, RecordList& out) {
    for (MapsLine line : parse_maps(maps)) {
        if (line.path.find(spelled_newline) != line.path.npos)
            line.path = out.keep(mapped_path(line, inode_here));
        add_mapping(tgid, line, out);
    }
}

/// Its identity is that of the file behind the link, whatever its path leads to. An empty mapping: the first
/// file mapping after an exec names the application.
void add_executable(uint32_t tgid, const std::string& link, RecordList& out) {
    std::string path = read_kernel_link(link);
    if (path.empty()) return;
    struct stat st {};
    FileIdentity file;
    if (::stat(link.c_str(), &st) == 0) file = {st.st_dev, st.st_ino};
    add_mapping(tgid, {0, 0, 0, file, out.keep(std::move(path))}, out);
}

bool is_executable(std::string_view line) {
    take_word(line);
    const auto permissions = take_word(line);
    return permissions.size() >= 3 && permissions[2] == 'x';
}

/// What one line costs: to read it, and to keep it and its record.
uint64_t cost_of(std::string_view line, bool is_kept) {
    return line.size() + 1 + (is_kept ? line.size() + sizeof(Record) : 0);
}

/// What is read of a process through one of its threads.
struct ThreadView {
    Look look = Look::gone;
    std::string dir;   ///< "task/TID/", below the process's directory
    std::string maps;  ///< the executable lines; empty = it has no memory: it is ending, or of the kernel
    bool is_cut = false;
    std::optional<std::vector<uint32_t>> threads;  ///< of the process, if they had to be listed
};

/// Throws a system error if the thread is gone or may not be looked into.
void read_maps(const std::string& path, ScanBudget& budget, ThreadView& view) {
    ScanBudget of_this(std::min(budget.left(), ScanBudget::of_process));
    for_each_line(path, [&](std::string_view line) {
        const bool is_kept = is_executable(line);
        view.is_cut = !of_this.spend(cost_of(line, is_kept));
        if (is_kept && !view.is_cut) view.maps.append(line).append(1, '\n');
        return !view.is_cut;
    });
    budget.spend(of_this.spent());
}

/// False if there is no memory to be seen.
bool read_through(uint32_t tgid, uint32_t tid, ScanBudget& budget, ThreadView& view) try {
    view.maps.clear();  // of a thread that ended while its maps were read
    view.is_cut = false;
    view.dir = "task/" + std::to_string(tid) + "/";
    read_maps(proc_path(tgid, view.dir + "maps"), budget, view);
    const bool has_memory = !view.maps.empty() || view.is_cut;
    if (has_memory || view.look == Look::gone) view.look = Look::done;
    return has_memory;
} catch (const Error& error) {
    if (error.code() != ENOENT && error.code() != ESRCH) view.look = Look::refused;
    return false;
}

/// The system may hide processes of others in /proc.
bool is_gone(uint32_t tgid) {
    return tgid > INT32_MAX || (::kill(static_cast<pid_t>(tgid), 0) != 0 && errno == ESRCH);
}

ThreadView find_living_thread(uint32_t tgid, uint32_t tid, ScanBudget& budget) {
    constexpr size_t most_tries = 8;
    ThreadView view;
    if (read_through(tgid, tid, budget, view)) return view;
    const auto& threads = view.threads.emplace(threads_of(tgid));
    for (size_t i = 0; i < std::min(threads.size(), most_tries); ++i)
        if (threads[i] != tid && read_through(tgid, threads[i], budget, view)) return view;
    // The maps of a thread without memory are empty or, since Linux 6.16, not there.
    if (view.look == Look::gone && !is_gone(tgid)) view.look = threads.empty() ? Look::refused : Look::done;
    return view;
}

/// The name of a thread, if it has another than the process; nothing if the thread is gone.
void add_name(uint32_t tgid, uint32_t tid, std::string_view process, RecordList& out) {
    std::string text = read_kernel_file(proc_path(tgid, "task/" + std::to_string(tid) + "/comm"));
    if (text.empty()) return;
    std::string name = parse_comm(std::move(text));
    if (name != process) out.add(Name{0, tgid, tid, false, out.keep(std::move(name))});
}

/// The threads besides the first one, and their names, as far as the budget goes; false if it ends before.
bool add_threads(uint32_t tgid, std::span<const uint32_t> threads, std::string_view process,
                 ScanBudget& budget, RecordList& out) {
    constexpr uint64_t cost_of_thread = sizeof(Record), cost_of_name = 512;  // a file is opened
    size_t known = 0;
    for (; known < threads.size() && budget.spend(cost_of_thread); ++known)
        if (threads[known] != tgid) out.add(Fork{0, tgid, threads[known], tgid, tgid});
    size_t named = 0;
    while (named < known && budget.spend(cost_of_name))
        ++named;
    add_thread_names(tgid, threads.first(named), process, out);
    return named == threads.size();
}

}  // namespace

std::vector<MapsLine> parse_maps(std::string_view text) {
    std::vector<MapsLine> lines;
    while (!text.empty())
        if (const auto line = parse_maps_line(take_line(text))) lines.push_back(*line);
    return lines;
}

std::string mapped_path(const MapsLine& line, const InodeOf& inode_of) {
    std::string path(line.path);
    if (line.path.find(spelled_newline) == line.path.npos || inode_of(path) == line.file.inode) return path;
    for (size_t at = 0; (at = path.find(spelled_newline, at)) != path.npos; ++at)
        path.replace(at, spelled_newline.size(), "\n");
    return path;
}

std::optional<uint32_t> parse_task_name(std::string_view entry) {
    const auto number = parse_number(entry);
    if (!number || *number == 0 || *number > INT32_MAX) return std::nullopt;
    return static_cast<uint32_t>(*number);
}

std::string parse_comm(std::string text) {
    if (text.ends_with('\n')) text.pop_back();
    return text;
}

void RecordList::clear() {
    records_.clear();
    texts_.clear();
    bytes_ = 0;
}

bool ScanBudget::spend(uint64_t bytes) noexcept {
    const uint64_t now = std::min(bytes, left_);
    left_ -= now;
    spent_ += now;
    return now == bytes;
}

Look scan_process(uint32_t tgid, uint32_t tid, ScanBudget& budget, RecordList& out) {
    ThreadView view = find_living_thread(tgid, tid, budget);
    if (view.look != Look::done) return view.look;
    std::string comm = read_kernel_file(proc_path(tgid, "comm"));
    if (comm.empty()) return Look::gone;
    const std::string_view name = out.keep(parse_comm(std::move(comm)));
    out.add(Name{0, tgid, tgid, true, name});
    if (!view.maps.empty()) add_executable(tgid, proc_path(tgid, view.dir + "exe"), out);
    add_mappings(tgid, out.keep(std::move(view.maps)), out);
    if (!view.threads) view.threads = threads_of(tgid);
    const bool has_all_threads = add_threads(tgid, *view.threads, name, budget, out);
    if (view.is_cut || !has_all_threads) budget.note_cut();
    return Look::done;
}

Look scan_mappings(uint32_t tgid, uint32_t tid, ScanBudget& budget, RecordList& out) {
    ThreadView view = find_living_thread(tgid, tid, budget);
    if (view.is_cut) budget.note_cut();
    add_mappings(tgid, out.keep(std::move(view.maps)), out);
    return view.look;
}

std::string executable_maps(uint32_t tgid, ScanBudget& budget) {
    return find_living_thread(tgid, tgid, budget).maps;
}

void add_thread_names(uint32_t tgid, std::span<const uint32_t> threads, std::string_view process,
                      RecordList& out) {
    for (const uint32_t tid : threads)
        if (tid != tgid) add_name(tgid, tid, process, out);
}

void scan_all_processes(ScanBudget& budget, RecordList& out, const std::function<bool()>& is_over) {
    for (const uint32_t tgid : numbers_in("/proc")) {
        if (is_over && is_over()) return;
        if (budget.left() == 0)
            budget.note_cut();
        else
            scan_process(tgid, tgid, budget, out);
    }
}

std::vector<uint32_t> threads_of(uint32_t tgid) {
    return numbers_in(proc_path(tgid, "task"));
}

}  // namespace op::collect
