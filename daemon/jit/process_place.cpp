// SPDX-License-Identifier: GPL-2.0-or-later
// Looks at /proc while it may, opens files as the process's user afterwards.
#include "daemon/jit/process_place.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "libop/base/clock.h"
#include "libop/base/kernel_file.h"
#include "libop/base/text.h"
#include "libop/jit/recorded_dumps.h"

namespace op::collect {
namespace {

/// A file's times are those of the last tick of the kernel's clock, a process's are in hundredths of a
/// second.
constexpr int64_t clock_slack = 100'000'000;

/// The words behind "NAME:" in a status file.
std::string_view field(std::string_view status, std::string_view name) {
    while (!status.empty()) {
        std::string_view line = take_line(status);
        if (line.starts_with(name)) return line.substr(name.size());
    }
    return {};
}

std::optional<uint64_t> word_number(std::string_view text, int index) {
    std::string_view word;
    for (int i = 0; i <= index; ++i)
        word = take_word(text);
    return parse_number(word);
}

std::optional<uint64_t> last_number(std::string_view text) {
    std::string_view last;
    for (std::string_view word = take_word(text); !word.empty(); word = take_word(text))
        last = word;
    return parse_number(last);
}

int64_t now_of(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return nanoseconds(now);
}

int64_t calendar_of_ticks(uint64_t ticks) {
    const auto second = static_cast<uint64_t>(::sysconf(_SC_CLK_TCK));
    const auto since_boot = static_cast<int64_t>(ticks * (1'000'000'000 / second));
    return now_of(CLOCK_REALTIME) - now_of(CLOCK_BOOTTIME) + since_boot;
}

bool drop_capabilities() noexcept {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> none{};
    return ::syscall(SYS_capset, &header, none.data()) == 0;
}

/// The reason why a file is not used, or MapState::read.
MapState judge(const struct stat& st, const ProcessPlace& place) {
    if (!S_ISREG(st.st_mode)) return MapState::no_file;
    if (st.st_uid != place.uid) return MapState::others;
    return nanoseconds(st.st_mtim) < place.start - clock_slack ? MapState::stale : MapState::read;
}

FoundMap open_found(const Fd& directory, const std::string& name, const ProcessPlace& place) {
    const Fd at = open_in_root(directory, name.c_str(), O_NOFOLLOW);
    FoundMap found;
    if (!at || ::fstat(at.get(), &found.status) != 0) return found;
    found.state = judge(found.status, place);
    if (found.state != MapState::read) return found;
    found.file = reopen_regular(at);
    if (!found.file) found.state = MapState::unreadable;
    return found;
}

FoundMap open_map(const Fd& directory, const ProcessPlace& place, uint32_t pid) {
    return open_found(directory, "perf-" + std::to_string(pid) + ".map", place);
}

}  // namespace

std::optional<ProcessNumbers> parse_process(std::string_view status, std::string_view stat) {
    const auto pid = last_number(field(status, "NSpid:"));
    const auto uid = word_number(field(status, "Uid:"), 3), gid = word_number(field(status, "Gid:"), 3);
    const size_t name_end = stat.rfind(')');
    if (name_end == std::string_view::npos) return std::nullopt;
    const auto start = word_number(stat.substr(name_end + 1), 19);
    if (!pid || !uid || !gid || !start) return std::nullopt;
    return ProcessNumbers{static_cast<uint32_t>(*pid), static_cast<uid_t>(*uid), static_cast<gid_t>(*gid),
                          *start};
}

ProcessPlace find_place(const WatchRequest& request) {
    ProcessPlace place{{}, request.tgid, request.tgid, ::geteuid(), ::getegid(), request.since};
    // It may end between two of these lines, or within one.
    const std::string status = read_kernel_file(proc_path(request.tgid, "status"));
    const std::string stat = read_kernel_file(proc_path(request.tgid, "stat"));
    if (const auto numbers = parse_process(status, stat)) {
        place.pid = numbers->pid;
        place.uid = numbers->uid;
        place.gid = numbers->gid;
        place.start = calendar_of_ticks(numbers->start);
    }
    place.clock_ahead = monotonic_offset(read_kernel_file(proc_path(request.tgid, "timens_offsets")));
    place.root.reset(::open(proc_path(request.tgid, "root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    // One that has ended has no root any more.
    if (!place.root) place.root.reset(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    return place;
}

bool become_owner(const ProcessPlace& place) noexcept {
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    const bool is_other = place.uid != ::geteuid() || place.gid != ::getegid();
    const bool is_alone = ::setgroups(0, nullptr) == 0;
    if (is_other && (!is_alone || ::setresgid(place.gid, place.gid, place.gid) != 0 ||
                     ::setresuid(place.uid, place.uid, place.uid) != 0))
        return false;
    return drop_capabilities();
}

Fd open_in_root(const Fd& root, const char* path, int flags) noexcept {
    open_how how{};
    how.flags = static_cast<uint64_t>(O_PATH | O_CLOEXEC | flags);
    how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
    return Fd(static_cast<int>(::syscall(SYS_openat2, root.get(), path, &how, sizeof how)));
}

FoundMap find_map(const Fd& directory, const ProcessPlace& place) {
    FoundMap own = open_map(directory, place, place.pid);
    if (own.state == MapState::read || place.pid == place.tgid) return own;
    FoundMap here = open_map(directory, place, place.tgid);
    return here.state == MapState::read || own.state == MapState::absent ? std::move(here) : std::move(own);
}

bool is_dump_path(std::string_view path) {
    return jitdump_number(path).has_value();
}

FoundMap find_dump(const std::string& path, const ProcessPlace& place) {
    const auto number = jitdump_number(path);
    if (number != place.pid && number != place.tgid) return {};
    return open_found(place.root, path, place);
}

}  // namespace op::collect
