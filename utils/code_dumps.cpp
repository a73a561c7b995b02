// SPDX-License-Identifier: GPL-2.0-or-later
// Names of files by process number, and their formats by their first bytes.
#include "utils/code_dumps.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "libop/base/clock.h"
#include "libop/base/counted.h"
#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/jit/agent_dump.h"
#include "libop/jit/jitdump.h"
#include "utils/shared/file_access.h"

namespace op::tool {
namespace {

constexpr std::string_view suffix = ".dump";
constexpr uint64_t ns_per_second = 1'000'000'000;

struct stat status_of(const Fd& file, const std::string& label) {
    struct stat st {};
    if (::fstat(file.get(), &st) != 0) throw_system("cannot stat " + printable(label));
    return st;
}

std::string below(const char* variable, const char* path) {
    const char* const value = std::getenv(variable);
    return value && value[0] == '/' ? value + std::string(path) : std::string();
}

/// Its times become calendar seconds.
std::vector<CodeLife> lives_of_jitdump(std::span<const std::byte> bytes, const std::string& label,
                                       Diagnostics& notes) {
    const auto seconds = [](uint64_t time) {
        return static_cast<uint64_t>(std::max<int64_t>(0, calendar_ns(time))) / ns_per_second;
    };
    CodeLives lives;
    JitdumpReader reader(
        {[&](const JitLoad& load) {
             lives.load(seconds(load.time), {load.address,
                                             load.size,
                                             std::string(load.name),
                                             load.lines,
                                             {load.code.begin(), load.code.end()}});
         },
         [&](const JitMove& move) { lives.move(seconds(move.time), move.from, move.to, move.size); },
         [&](const JitUnload& unload) { lives.unload(seconds(unload.time), unload.address); }});
    reader.feed(bytes);
    if (!reader.fault().empty()) notes.warn(label + " is read in part: " + std::string(reader.fault()));
    if (reader.bad_records() > 0)
        notes.warn(label + ": " + counted(reader.bad_records(), "record is damaged", "records are damaged"));
    return std::move(lives).take();
}

}  // namespace

CodeDumps::CodeDumps(const std::string& agent_dir, bool of_all_users, Diagnostics& notes) : notes_(notes) {
    add(agent_dir, true);
    add(below("XDG_RUNTIME_DIR", "/oprofile/jit"), false);
    add(below("HOME", "/.oprofile/jit"), false);
    const Fd users(of_all_users ? ::open("/run/user", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1);
    if (!users) return;
    for (const DirectoryEntry& user :
         read_directory(open_at(users, ".", O_RDONLY | O_DIRECTORY), "/run/user"))
        if (user.is_directory) add("/run/user/" + user.name + "/oprofile/jit", false);
}

void CodeDumps::add(const std::string& path, bool is_of_agent) {
    if (path.empty()) return;
    Fd dir(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!dir) return;
    // Others may have made what is above it.
    if (is_of_agent && ::geteuid() == 0 && path.starts_with('/') && resolved_path(dir) != path)
        return notes_.warn(printable(path) +
                           " leads through a link, or is not written plainly: it is not used");
    places_.push_back({std::move(dir), path, is_of_agent});
}

/// A dump that somebody else put there is not of the process.
void CodeDumps::consider(std::optional<Found>& best, const Fd& dir, const std::string& name,
                         const std::string& dir_path) const {
    const std::string label = dir_path + "/" + name;
    Fd file = open_regular_below(dir, name, printable(label));
    if (!file) return;
    const struct stat st = status_of(file, label), above = status_of(dir, dir_path);
    const bool is_trusted =
        st.st_uid == 0 || (::geteuid() == 0 ? st.st_uid == above.st_uid : st.st_uid == ::geteuid());
    if (!is_trusted) return notes_.warn(printable(label) + " belongs to another user: it is not used");
    if (!best || best->written < st.st_mtime) best = Found{std::move(file), label, st.st_mtime};
}

void CodeDumps::find_below(std::optional<Found>& best, const Place& place, uint32_t tgid) const {
    const std::string number = std::to_string(tgid);
    if (place.is_of_agent) return consider(best, place.dir, number + std::string(suffix), place.path);
    const std::string file = "jit-" + number + std::string(suffix), start = "jit-" + number + "-";
    for (const DirectoryEntry& entry :
         read_directory(open_at(place.dir, ".", O_RDONLY | O_DIRECTORY), place.path)) {
        if (!entry.is_directory || !entry.name.starts_with(start)) continue;
        if (const Fd dir = open_at(place.dir, entry.name.c_str(), O_RDONLY | O_DIRECTORY))
            consider(best, dir, file, place.path + "/" + entry.name);
    }
}

/// As much as there was when it was called: its process may still write. A mapping would show what changes.
std::string CodeDumps::bytes_of(const Found& found) {
    const std::string label = printable(found.path);
    const auto size = static_cast<uint64_t>(status_of(found.file, found.path).st_size);
    if (size > longest_dump)
        throw_input(label + " is longer than " + std::to_string(longest_dump >> 20) + " MiB");
    std::string bytes(size, '\0');
    size_t at = 0;
    while (at < size) {
        const ssize_t n = ::read(found.file.get(), bytes.data() + at, size - at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw_system("cannot read " + label);
        if (n == 0) break;
        at += static_cast<size_t>(n);
    }
    bytes.resize(at);
    return bytes;
}

DumpedCode CodeDumps::read(const Found& found) const {
    const std::string label = printable(found.path), text = bytes_of(found);
    const auto bytes = as_bytes(text);
    if (!is_agent_dump(bytes)) return {found.path, host_jo_target(), lives_of_jitdump(bytes, label, notes_)};
    AgentDump dump = parse_agent_dump(bytes, label);
    if (!dump.fault.empty()) notes_.warn(label + " is read in part: " + dump.fault);
    if (dump.bad_records > 0)
        notes_.warn(label + ": " + counted(dump.bad_records, "record is damaged", "records are damaged"));
    return {found.path, dump.target, std::move(dump.lives)};
}

std::optional<DumpedCode> CodeDumps::find(uint32_t tgid, time_t since) const {
    std::optional<Found> best;
    for (const Place& place : places_)
        find_below(best, place, tgid);
    if (!best || best->written < since) return std::nullopt;
    return read(*best);
}

size_t CodeDumps::remove_all() const {
    size_t removed = 0;
    for (const Place& place : places_) {
        if (!place.is_of_agent) continue;
        for (const DirectoryEntry& entry :
             read_directory(open_at(place.dir, ".", O_RDONLY | O_DIRECTORY), place.path)) {
            const std::string_view name = entry.name;
            if (!entry.is_regular || !name.ends_with(suffix)) continue;
            if (!parse_number(name.substr(0, name.size() - suffix.size()))) continue;
            struct stat st {};
            const int dir = place.dir.get();
            if (::fstatat(dir, entry.name.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0) continue;
            if (::geteuid() != 0 && st.st_uid != ::geteuid()) continue;
            if (::unlinkat(dir, entry.name.c_str(), 0) != 0)
                throw_system("cannot remove " + printable(place.path + "/" + entry.name));
            ++removed;
        }
    }
    return removed;
}

}  // namespace op::tool
