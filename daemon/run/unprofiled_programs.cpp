// SPDX-License-Identifier: GPL-2.0-or-later
// The exit of a process in the records beside /proc, and the mode of a file.
#include "daemon/run/unprofiled_programs.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

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
    if (!name.empty() && names_.size() < most_names)
        names_.push_back(name + " (process " + std::to_string(pid) + ")");
}

void UnprofiledPrograms::look_at_command(const std::string& word, uint32_t pid) {
    if (!is_left_out(find_program(word))) return;
    add(word, pid);
    command_ = pid;
}

void UnprofiledPrograms::look(std::span<const Record> records) {
    for (const Record& record : records) {
        const auto* const exit = std::get_if<Exit>(&record);
        if (!exit || exit->tgid != exit->tid || exit->tgid == command_) continue;
        if (names_.size() < most_names && !is_ending(static_cast<pid_t>(exit->tgid)))
            add(read_kernel_line(proc_path(exit->tgid, "comm")), exit->tgid);
    }
}

}  // namespace op::collect
