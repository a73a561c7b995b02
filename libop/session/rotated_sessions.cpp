// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/session/rotated_sessions.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <tuple>

#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/session.h"
#include "libop/session/session_files.h"

namespace op {
namespace {

constexpr std::string_view prefix = "fleet-", shape = "00000000T000000Z";
/// Beyond the year 9999 names would have another shape.
constexpr uint64_t last_second = 253402300799;
/// Directories below one another that are counted: paths of images are not as deep.
constexpr int deepest = 256;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

Fd open_session(const Fd& samples, const std::string& name) noexcept {
    return open_at(samples, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

uint64_t tree_bytes(Fd dir, int depth) {
    uint64_t sum = 0;
    struct stat st {};
    if (::fstat(dir.get(), &st) == 0) sum += static_cast<uint64_t>(st.st_blocks) * 512;
    Fd again = open_at(dir, ".", O_RDONLY | O_DIRECTORY);
    if (!again || depth == 0) return sum;
    for (const DirectoryEntry& entry : read_directory(std::move(again), "")) {
        if (entry.is_directory) {
            Fd sub = open_session(dir, entry.name);
            if (sub) sum += tree_bytes(std::move(sub), depth - 1);
        } else if (::fstatat(dir.get(), entry.name.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0) {
            sum += static_cast<uint64_t>(st.st_blocks) * 512;
        }
    }
    return sum;
}

}  // namespace

std::string rotated_name(uint64_t start_time, unsigned nth) {
    const time_t time = static_cast<time_t>(std::min(start_time, last_second));
    std::tm parts{};
    char text[32];
    ::gmtime_r(&time, &parts);
    std::string name(prefix);
    name.append(text, std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts));
    return nth > 1 ? name + "-" + std::to_string(nth) : name;
}

bool is_rotated_name(std::string_view name) {
    if (!name.starts_with(prefix)) return false;
    name.remove_prefix(prefix.size());
    if (name.size() < shape.size()) return false;
    for (size_t i = 0; i < shape.size(); ++i)
        if (shape[i] == '0' ? !is_digit(name[i]) : name[i] != shape[i]) return false;
    name.remove_prefix(shape.size());
    return name.empty() ||
           (name.size() > 1 && name[0] == '-' && std::ranges::all_of(name.substr(1), is_digit));
}

bool is_marked_pushed(const Fd& dir) noexcept {
    struct stat st {};
    return ::fstatat(dir.get(), pushed_mark, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

void mark_pushed(const Fd& dir, const std::string& label) {
    const Fd mark = open_at(dir, pushed_mark, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0640);
    if (!mark || ::fsync(mark.get()) != 0 || ::fsync(dir.get()) != 0)
        throw_system("cannot write " + printable(label) + "/" + pushed_mark);
}

std::optional<RotatedSession> read_rotated(const Fd& samples, const std::string& name,
                                           const std::string& label, Diagnostics& notes) {
    const Fd dir = open_session(samples, name);
    if (!dir) return std::nullopt;
    RotatedSession session{.name = name, .is_pushed = is_marked_pushed(dir)};
    if (const auto info = read_manifest(dir, label + "/" + name, notes)) {
        session.start_time = info->start_time;
        session.stop_time = info->stop_time;
        session.samples = info->ledger.stored();
    }
    if (struct stat st{}; session.stop_time == 0 && ::fstat(dir.get(), &st) == 0)
        session.stop_time = static_cast<uint64_t>(std::max<time_t>(st.st_mtime, 0));
    return session;
}

std::vector<RotatedSession> list_rotated(const Fd& samples, const std::string& label, Diagnostics& notes,
                                         const std::map<std::string, RotatedSession>& known) {
    std::vector<RotatedSession> sessions;
    Fd again = open_at(samples, ".", O_RDONLY | O_DIRECTORY);
    if (!again) throw_system("cannot read directory " + printable(label));
    for (const DirectoryEntry& entry : read_directory(std::move(again), label)) {
        if (!entry.is_directory || !is_rotated_name(entry.name)) continue;
        if (const auto before = known.find(entry.name); before != known.end()) {
            sessions.push_back(before->second);
            sessions.back().is_pushed = is_marked_pushed(open_session(samples, entry.name));
        } else if (auto session = read_rotated(samples, entry.name, label, notes)) {
            sessions.push_back(std::move(*session));
        }
    }
    // Equal times differ by their number: "-10" comes after "-2".
    std::ranges::sort(sessions, {}, [](const RotatedSession& s) {
        return std::tuple(s.name.substr(0, prefix.size() + shape.size()), s.name.size(), s.name);
    });
    return sessions;
}

uint64_t disk_bytes(const Fd& dir, const std::string& name) noexcept {
    try {
        Fd top = open_session(dir, name);
        return top ? tree_bytes(std::move(top), deepest) : 0;
    } catch (const Error&) {
        return 0;
    }
}

std::string save_rotated(SessionWriter& session, uint64_t start_time) {
    for (unsigned nth = 1;; ++nth) {
        std::string name = rotated_name(start_time, nth);
        if (session.try_save_as(name)) return name;
    }
}

}  // namespace op
