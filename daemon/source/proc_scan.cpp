// SPDX-License-Identifier: GPL-2.0-or-later
// Reading /proc/PID. A process that vanishes meanwhile is passed over.
#include "daemon/source/proc_scan.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
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

std::string proc_path(uint32_t tgid, std::string_view file) {
    return "/proc/" + std::to_string(tgid) + "/" + std::string(file);
}

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

std::string executable_of(uint32_t tgid) {
    std::string path(4096, '\0');
    const ssize_t n = ::readlink(proc_path(tgid, "exe").c_str(), path.data(), path.size());
    path.resize(std::max<ssize_t>(n, 0));
    return path;
}

std::vector<uint32_t> numbers_in(const std::string& dir) {
    std::vector<uint32_t> numbers;
    std::error_code error;
    for (fs::directory_iterator it(dir, error), end; !error && it != end; it.increment(error))
        if (const auto n = parse_number(it->path().filename().native())) numbers.push_back(*n);
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

/// Its identity is that of the file behind the link, whatever its path leads to.
void add_executable(uint32_t tgid, std::string path, RecordList& out) {
    struct stat st {};
    FileIdentity file;
    if (::stat(proc_path(tgid, "exe").c_str(), &st) == 0) file = {st.st_dev, st.st_ino};
    add_mapping(tgid, {0, 0, 0, file, out.keep(std::move(path))}, out);
}

/// Throws if the process is gone or may not be looked into.
std::string_view read_maps(uint32_t tgid, RecordList& out) {
    return out.keep(read_file(proc_path(tgid, "maps")));
}

std::string without_newline(std::string text) {
    if (text.ends_with('\n')) text.pop_back();
    return text;
}

/// The name of a thread, if it has another than the process; nothing if the thread is gone.
void add_name(uint32_t tgid, uint32_t tid, std::string_view process, RecordList& out) {
    std::string text = read_kernel_file(proc_path(tgid, "task/" + std::to_string(tid) + "/comm"));
    if (text.empty()) return;
    std::string name = without_newline(std::move(text));
    if (name != process) out.add(Name{0, tgid, tid, false, out.keep(std::move(name))});
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

void RecordList::clear() {
    records_.clear();
    texts_.clear();
    bytes_ = 0;
}

void scan_process(uint32_t tgid, RecordList& out) {
    try {
        const std::string_view maps = read_maps(tgid, out);
        std::string comm = without_newline(read_file(proc_path(tgid, "comm")));
        const std::string_view name = out.keep(std::move(comm));
        out.add(Name{0, tgid, tgid, true, name});
        // An empty mapping goes first: the first file mapping after an exec names the application.
        if (auto path = executable_of(tgid); !path.empty()) add_executable(tgid, std::move(path), out);
        add_mappings(tgid, maps, out);
        const auto threads = threads_of(tgid);
        for (const uint32_t tid : threads)
            if (tid != tgid) out.add(Fork{0, tgid, tid, tgid, tgid});
        add_thread_names(tgid, threads, name, out);
    } catch (const Error&) {
        // Gone, or another user's: its samples show up under the image they are in.
    }
}

void scan_mappings(uint32_t tgid, RecordList& out) {
    add_mappings(tgid, read_maps(tgid, out), out);
}

void add_thread_names(uint32_t tgid, std::span<const uint32_t> threads, std::string_view process,
                      RecordList& out) {
    for (const uint32_t tid : threads)
        if (tid != tgid) add_name(tgid, tid, process, out);
}

void scan_all_processes(RecordList& out) {
    for (const uint32_t tgid : numbers_in("/proc"))
        scan_process(tgid, out);
}

std::vector<uint32_t> threads_of(uint32_t tgid) {
    return numbers_in(proc_path(tgid, "task"));
}

}  // namespace op::collect
