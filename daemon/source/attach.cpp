// SPDX-License-Identifier: GPL-2.0-or-later
// /proc/NUMBER/status, /proc/NUMBER/stat and pidfd_open(2).
#include "daemon/source/attach.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "daemon/source/proc_scan.h"
#include "libop/base/error.h"
#include "libop/base/kernel_file.h"
#include "libop/base/text.h"

namespace op::collect {
namespace {

[[noreturn]] void throw_gone(pid_t number) {
    throw_system("cannot profile process " + std::to_string(number), ESRCH);
}

std::string status_of(pid_t number) {
    std::string status = read_kernel_file(proc_path(static_cast<uint32_t>(number), "status"));
    if (status.empty()) throw_gone(number);
    return status;
}

/// Every thread has its own (proc(5), /proc/PID/task/TID/children).
std::vector<pid_t> children_of(pid_t pid) {
    std::vector<pid_t> children;
    for (const uint32_t thread : threads_of(static_cast<uint32_t>(pid))) {
        const std::string text = read_kernel_file(
            proc_path(static_cast<uint32_t>(pid), "task/" + std::to_string(thread) + "/children"));
        for (std::string_view rest = text; !rest.empty();)
            if (const auto child = parse_number(take_word(rest)))
                children.push_back(static_cast<pid_t>(*child));
    }
    return children;
}

constexpr int flags_field = 9, starttime_field = 22;

std::optional<uint64_t> stat_field(pid_t task, int number) {
    return parse_stat_field(read_file(proc_path(static_cast<uint32_t>(task), "stat")), number);
}

/// Sorted.
std::vector<pid_t> threads_of_all(const std::vector<pid_t>& processes) {
    std::vector<pid_t> threads;
    for (const pid_t process : processes)
        for (const uint32_t thread : threads_of(static_cast<uint32_t>(process)))
            threads.push_back(static_cast<pid_t>(thread));
    std::ranges::sort(threads);
    return threads;
}

}  // namespace

std::optional<uint64_t> parse_stat_field(std::string_view text, int number) {
    text.remove_prefix(text.rfind(')') + 1);
    for (int i = 3; i < number; ++i)
        take_word(text);
    return parse_number(take_word(text));
}

std::optional<pid_t> parse_tgid(std::string_view status) {
    while (!status.empty()) {
        std::string_view line = take_line(status);
        if (take_word(line) != "Tgid:") continue;
        const auto tgid = parse_number(take_word(line));
        if (tgid && *tgid > 0 && *tgid <= INT32_MAX) return static_cast<pid_t>(*tgid);
    }
    return std::nullopt;
}

pid_t process_of(pid_t number) {
    if (const auto tgid = parse_tgid(status_of(number))) return *tgid;
    throw_gone(number);
}

bool is_ending(pid_t task) try {
    constexpr uint64_t exiting = 0x4;  // PF_EXITING of linux/sched.h
    return stat_field(task, flags_field).value_or(0) & exiting;
} catch (const Error& error) {
    return error.code() == ENOENT || error.code() == ESRCH;  // else unknown, as with too many open files
}

std::optional<uint64_t> start_of(pid_t task) try {
    return stat_field(task, starttime_field);
} catch (const Error&) {
    return std::nullopt;
}

std::optional<uint64_t> tasks_since_boot() {
    const std::string text = read_kernel_file("/proc/stat");
    std::string_view rest = text;
    while (!rest.empty()) {
        std::string_view line = take_line(rest);
        if (take_word(line) == "processes") return parse_number(take_word(line));
    }
    return std::nullopt;
}

std::vector<pid_t> descendants_of(pid_t pid) {
    std::vector<pid_t> found, parents{pid};
    while (!parents.empty()) {
        const auto children = children_of(parents.back());
        parents.pop_back();
        found.insert(found.end(), children.begin(), children.end());
        parents.insert(parents.end(), children.begin(), children.end());
    }
    std::ranges::sort(found);
    return found;
}

std::vector<pid_t> other_descendants_of(std::span<const pid_t> processes) {
    std::vector<pid_t> own = descendants_of(::getpid()), found;
    own.push_back(::getpid());
    own.insert(own.end(), processes.begin(), processes.end());
    for (const pid_t process : processes)
        for (const pid_t descendant : descendants_of(process))
            if (std::ranges::find(own, descendant) == own.end()) found.push_back(descendant);
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

bool may_look_into(pid_t process) {
    char ignored = 0;
    const std::string path = proc_path(static_cast<uint32_t>(process), "exe");
    return ::readlink(path.c_str(), &ignored, sizeof ignored) >= 0 || errno != EACCES;
}

bool open_for_threads(const std::function<std::vector<pid_t>()>& processes,
                      const std::function<void(const std::vector<pid_t>&)>& open) {
    constexpr int most_tries = 20;
    std::vector<pid_t> threads = threads_of_all(processes());
    for (int tries = 0; tries < most_tries; ++tries) {
        open(threads);
        const std::vector<pid_t> after = threads_of_all(processes());
        if (std::ranges::includes(threads, after)) return true;
        threads = after;
    }
    return false;
}

Fd watch_process(pid_t pid) {
    Fd fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!fd) throw_system("cannot profile process " + std::to_string(pid));
    return fd;
}

}  // namespace op::collect
