// SPDX-License-Identifier: GPL-2.0-or-later
// daemonrc and daemonrc_new.
#include "utils/opcontrol/settings_store.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "utils/opcontrol/trusted_directory.h"

namespace op::tool {

namespace {

constexpr const char* directory_name = ".oprofile";
constexpr const char* active_name = "daemonrc";
constexpr const char* new_name = "daemonrc_new";
constexpr off_t longest_file = 1 << 20;

/// The content of the open settings file. Throws an input error if the file cannot be trusted.
std::string read_trusted(const Fd& file, const std::string& label) {
    struct stat st {};
    if (::fstat(file.get(), &st) != 0) throw_system("cannot stat " + label);
    if (!S_ISREG(st.st_mode)) throw_input(label + " is not a regular file; delete it");
    require_trusted(file, label);
    if (st.st_size > longest_file)
        throw_input(label + " is longer than " + std::to_string(longest_file) + " bytes; mend or delete it");
    return read_fd(file.get(), label);
}

}  // namespace

SettingsStore::SettingsStore(const std::string& home, bool make)
    : path_(home + "/" + directory_name), dir_(open_trusted_directory(home, directory_name, make)) {}

std::optional<DaemonSettings> SettingsStore::read(const char* name) const {
    if (!dir_) return std::nullopt;
    const std::string label = printable(path_) + "/" + name;
    const Fd file = open_at(dir_, name, O_RDONLY | O_NONBLOCK);
    if (!file && errno == ENOENT) return std::nullopt;
    if (!file && errno == ELOOP)
        throw_input(label + " is a symbolic link, which is not followed here; put the file in its place");
    if (!file) throw_system("cannot open " + label);
    return parse_daemon_settings(as_bytes(read_trusted(file, label)), label);
}

DaemonSettings SettingsStore::load() const {
    const auto waiting = read(new_name);
    return waiting ? *waiting : load_active();
}

DaemonSettings SettingsStore::load_active() const {
    return read(active_name).value_or(DaemonSettings{});
}

void SettingsStore::save(const DaemonSettings& settings, bool is_daemon_running) const {
    const std::string name = is_daemon_running ? new_name : active_name;
    replace_file_at(dir_, name, path_ + "/" + name, to_text(settings));
    if (!is_daemon_running && ::unlinkat(dir_.get(), new_name, 0) != 0 && errno != ENOENT)
        throw_system("cannot remove " + path_ + "/" + new_name);
}

void SettingsStore::adopt_new() const {
    if (!dir_) return;
    if (::renameat(dir_.get(), new_name, dir_.get(), active_name) != 0 && errno != ENOENT)
        throw_system("cannot rename " + path_ + "/" + new_name);
}

}  // namespace op::tool
