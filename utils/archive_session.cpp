// SPDX-License-Identifier: GPL-2.0-or-later
// Finding and opening the files of a session.
#include "utils/archive_session.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/kept_images.h"
#include "libop/session/session_files.h"
#include "libop/stacks/stack_frame.h"

namespace op::tool {
namespace {

constexpr size_t most_statistics = 10000, most_stack_files = 100000;

/// Where a session lies in the archive, whatever its place on this machine.
std::string archived_session(const SessionReader& session) {
    return std::string(system_session_dir) + "/samples/" + std::string(base_name(session.path()));
}

/// Why a file is not taken from that directory; empty if it is. Stores its size.
std::string fault_of(const Fd& dir, SessionFile& file, uint64_t largest) {
    struct stat st {
    }, of_dir{};
    if (::fstat(file.file.get(), &st) != 0 || ::fstat(dir.get(), &of_dir) != 0) return "it cannot be read";
    file.size = static_cast<uint64_t>(st.st_size);
    if (file.size > largest) return "it is larger than " + std::to_string(largest) + " bytes";
    // The owner of a directory may have linked a file there that he cannot read.
    const bool is_anothers = st.st_uid != of_dir.st_uid && of_dir.st_uid != ::geteuid();
    if (st.st_nlink > 1 && is_anothers && !(st.st_mode & S_IROTH))
        return "it is private, of another owner than its directory, and has a second name";
    return "";
}

/// The directory at a path below another one; empty, with errno set, if a part is missing or a link.
Fd directory_below(const Fd& top, std::string_view path) {
    Fd at = open_at(top, ".", O_PATH | O_DIRECTORY);
    for (const std::string_view part : split(path, '/'))
        if (at && !part.empty()) at = open_at(at, std::string(part).c_str(), O_PATH | O_DIRECTORY);
    return at;
}

/// Takes the files of one session.
class SessionFiles {
public:
    SessionFiles(const SessionReader& session, Diagnostics& notes, const TakeSessionFile& take)
        : session_(session), notes_(notes), take_(take), target_(archived_session(session)) {}

    void run() {
        const Fd& dir = session_.directory();
        std::vector<std::string> others;
        for (const DirectoryEntry& entry : list(dir, session_.path())) {
            const std::string& name = entry.name;
            const SessionPart part = session_part(name);
            if (part == SessionPart::statistics && entry.is_directory)
                take_statistics(dir);
            else if (part == SessionPart::stacks && entry.is_directory)
                take_stacks(dir);
            else if (part == SessionPart::kept_images && entry.is_directory)
                take_vdso(dir);
            else if (part == SessionPart::manifest || part == SessionPart::kallsyms)
                take_one(dir, name, session_.path() + "/" + name, target_ + "/" + name);
            else if (part == SessionPart::unknown || part == SessionPart::statistics ||
                     part == SessionPart::stacks)
                others.push_back(name);
        }
        if (!others.empty()) note_others(others);
        take_beside();
    }

    /// One sample file. What counts is the directory that has it, whoever owns the session's own.
    void take_sample_file(const std::string& path) {
        const std::string label = session_.path() + "/" + path, name(base_name(path));
        const Fd dir = directory_below(session_.directory(), path.substr(0, path.size() - name.size()));
        if (!dir) return leave_out(label, std::strerror(errno));
        if (!take_one(dir, name, label, target_ + "/" + path, sample_file_limit))
            leave_out(label, "it is gone");
    }

private:
    static std::vector<DirectoryEntry> list(const Fd& dir, const std::string& path) {
        auto entries = read_directory(open_at(dir, ".", O_RDONLY | O_DIRECTORY), path);
        std::ranges::sort(entries, {}, &DirectoryEntry::name);
        return entries;
    }

    void note_others(const std::vector<std::string>& names) {
        notes_.warn(printable(session_.path()) +
                    " has files that no session has: they are not in the archive (" +
                    printable(short_list(names)) + ")");
    }

    void leave_out(const std::string& path, const std::string& reason) {
        notes_.warn(printable(path) + " is not in the archive: " + reason);
    }

    /// False if there is no such file.
    bool take_one(const Fd& dir, const std::string& name, const std::string& path, const std::string& target,
                  uint64_t largest = side_file_limit) {
        SessionFile file{{}, path, target};
        try {
            file.file = open_regular_below(dir, name, path);
        } catch (const Error& error) {
            notes_.warn(std::string(error.what()) + "; it is not in the archive");
            return true;
        }
        if (!file.file) return false;
        const std::string fault = fault_of(dir, file, largest);
        if (fault.empty())
            take_(file);
        else
            leave_out(path, fault);
        return true;
    }

    /// While a recorder adds to them: nodes name frames, and frames images.
    void take_stacks(const Fd& dir) {
        const std::string path = session_.path() + "/" + stacks_dir;
        const Fd stacks = open_directory_at(dir, stacks_dir, path, false);
        std::vector<std::string> names;
        for (const DirectoryEntry& entry : list(stacks, path))
            if (parse_class(entry.name)) names.push_back(entry.name);
        if (names.size() > most_stack_files) {
            leave_out(path, "of its files only " + std::to_string(most_stack_files) + " are taken");
            names.resize(most_stack_files);
        }
        names.insert(names.end(), {stack_frames_name, stack_images_name});
        for (const std::string& name : names)
            take_one(stacks, name, path + "/" + name, target_ + "/" + stacks_dir + "/" + name);
    }

    /// Other binaries that the session keeps go to their images' names, but this one has no path.
    void take_vdso(const Fd& dir) {
        Diagnostics noted_elsewhere;
        const auto info = session_.info(noted_elsewhere);
        const auto known = info ? info->images.find(kept_vdso_name) : decltype(info->images.end()){};
        if (!info || known == info->images.end()) return;
        const std::string& build_id = known->second.build_id;
        if (!find_kept_image(session_.path(), build_id)) return;
        const std::string images = std::string("/") + kept_images_dir, path = session_.path() + images;
        take_one(open_directory_at(dir, kept_images_dir, path, false), build_id, path + "/" + build_id,
                 target_ + images + "/" + build_id);
    }

    void take_statistics(const Fd& dir) {
        const std::string path = session_.path() + "/" + statistics_dir;
        taken_ = 0;
        take_statistics(open_directory_at(dir, statistics_dir, path, false), path,
                        target_ + "/" + statistics_dir, true);
        if (taken_ > most_statistics)
            leave_out(path, "of its files only " + std::to_string(most_statistics) + " are taken");
    }

    /// Those of the kernel's driver have one directory more for each processor.
    void take_statistics(const Fd& dir, const std::string& path, const std::string& target, bool is_top) {
        for (const DirectoryEntry& entry : list(dir, path)) {
            const std::string at = path + "/" + entry.name, to = target + "/" + entry.name;
            if (++taken_ > most_statistics) return;
            if (is_top && entry.is_directory)
                take_statistics(open_directory_at(dir, entry.name, at, false), at, to, false);
            else
                take_one(dir, entry.name, at, to, statistic_limit);
        }
    }

    /// The logs of all sessions, and `abi`. By descriptor: the session may have been moved meanwhile.
    void take_beside() {
        const std::string path = session_.path() + "/..", top = system_session_dir;
        const Fd samples = open_at(session_.directory(), "..", O_RDONLY | O_DIRECTORY);
        if (!samples) return;
        for (const char* const log : {daemon_log, operf_log})
            take_one(samples, log, plain(path + "/" + log), top + "/samples/" + log);
        if (const Fd session_dir = open_at(samples, "..", O_RDONLY | O_DIRECTORY))
            take_one(session_dir, abi_name, plain(path + "/../" + abi_name), top + "/" + abi_name);
    }

    static std::string plain(const std::string& path) {
        return std::filesystem::path(path).lexically_normal();
    }

    const SessionReader& session_;
    Diagnostics& notes_;
    const TakeSessionFile& take_;
    const std::string target_;
    size_t taken_ = 0;
};

/// The place of directory `name`, through a symbolic link only if it is not a stranger's; else an empty Fd.
Fd open_directory_place(const Fd& dir, const std::string& name) {
    Fd place = open_at(dir, name.c_str(), O_PATH);
    struct stat st {};
    if (!place || ::fstat(place.get(), &st) != 0 || !S_ISLNK(st.st_mode)) return place;
    char target[PATH_MAX + 1] = {};
    if (st.st_uid != 0 && st.st_uid != ::geteuid()) return {};
    if (::readlinkat(place.get(), "", target, PATH_MAX) < 0) return {};
    return Fd(::openat(dir.get(), target, O_PATH | O_DIRECTORY | O_CLOEXEC));
}

bool are_same(const Fd& one, const Fd& other) {
    struct stat a {
    }, b{};
    return ::fstat(one.get(), &a) == 0 && ::fstat(other.get(), &b) == 0 && is_same_file(a, b);
}

}  // namespace

void check_session_place(const SessionReader& session) {
    constexpr std::string_view between = "/samples/";
    const std::string& path = session.path();
    const size_t at = path.rfind(between);
    if (at == path.npos || path.find('/', at + between.size()) != path.npos) return;
    const Fd samples =
        open_directory_place(open_file(path.substr(0, at) + "/", O_PATH | O_DIRECTORY), "samples");
    const Fd found = samples ? open_directory_place(samples, path.substr(at + between.size())) : Fd();
    if (!found || !are_same(found, session.directory()))
        throw_input(printable(path) + " is not archived: a symbolic link of another user's leads there");
}

void take_session_files(const SessionReader& session, Diagnostics& notes, const TakeSessionFile& take) {
    SessionFiles(session, notes, take).run();
}

void take_sample_file(const SessionReader& session, const std::string& path, Diagnostics& notes,
                      const TakeSessionFile& take) {
    SessionFiles(session, notes, take).take_sample_file(path);
}

}  // namespace op::tool
