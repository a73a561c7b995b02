// SPDX-License-Identifier: GPL-2.0-or-later
// The exit of a process in the records beside /proc, and the mode of a file.
#include "daemon/run/unprofiled_programs.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <variant>

#include "daemon/run/child_process.h"
#include "daemon/source/attach.h"
#include "libop/base/kernel_file.h"

namespace op::collect {

namespace {

/// True if the program in a file, started by this process, has other rights than this process, or may not be
/// read. False if that is not known.
bool is_left_out(const std::string& path) noexcept {
    struct stat st {};
    if (::stat(path.c_str(), &st) != 0) return false;
    const bool is_other_user = (st.st_mode & S_ISUID) && st.st_uid != ::geteuid();
    const bool is_other_group =
        (st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st.st_gid != ::getegid();
    return is_other_user || is_other_group || ::access(path.c_str(), R_OK) != 0 ||
           ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

}  // namespace

void UnprofiledPrograms::add(const std::string& name, uint32_t pid) {
    if (!name.empty() && found_.size() < most_names && !has(pid)) found_.push_back({pid, name});
}

bool UnprofiledPrograms::has(uint32_t pid) const {
    return std::ranges::find(found_, pid, &Found::pid) != found_.end();
}

void UnprofiledPrograms::remove(uint32_t pid) {
    std::erase_if(found_, [pid](const Found& one) { return one.pid == pid; });
}

std::vector<std::string> UnprofiledPrograms::names() const {
    std::vector<std::string> names;
    for (const Found& one : found_)
        names.push_back(one.name + " (process " + std::to_string(one.pid) + ")");
    return names;
}

void UnprofiledPrograms::look_at_command(const std::string& word, uint32_t pid) {
    if (is_left_out(find_program(word))) add(word, pid);
}

/// A program that has a mapping in the records after that is profiled: one that a thread started reports the
/// exit of the first thread, and a file's mode may have no effect. What was there at the start has no time.
void UnprofiledPrograms::look(const Record& record) {
    if (const auto* const exit = std::get_if<Exit>(&record)) {
        const bool is_candidate = exit->tgid == exit->tid && found_.size() < most_names && !has(exit->tgid);
        if (is_candidate && !is_ending(static_cast<pid_t>(exit->tgid)))
            add(read_kernel_line(proc_path(exit->tgid, "comm")), exit->tgid);
    } else if (const auto* const mapping = std::get_if<Mapping>(&record)) {
        if (mapping->time > 0 && !found_.empty()) remove(mapping->tgid);
    }
}

}  // namespace op::collect
