// SPDX-License-Identifier: GPL-2.0-or-later
// daemonrc and daemonrc_new.
#include "utils/settings_store.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>

#include "libop/directory.h"
#include "libop/error.h"
#include "utils/trusted_directory.h"

namespace op::tool {

namespace {

constexpr const char* directory_name = ".oprofile";
constexpr const char* active_name = "daemonrc";
constexpr const char* new_name = "daemonrc_new";
constexpr size_t longest_file = 1 << 20;

}  // namespace

SettingsStore::SettingsStore(const std::string& home, bool make)
    : path_(home + "/" + directory_name), dir_(open_trusted_directory(home, directory_name, make)) {}

std::optional<DaemonSettings> SettingsStore::read(const char* name) const {
    if (!dir_) return std::nullopt;
    const std::string label = path_ + "/" + name;
    const auto text = read_file_below(dir_, name, label, longest_file);
    if (!text) return std::nullopt;
    return parse_daemon_settings(as_bytes(*text), label);
}

DaemonSettings SettingsStore::load() const {
    const auto waiting = read(new_name);
    return waiting ? *waiting : load_active();
}

DaemonSettings SettingsStore::load_active() const {
    return read(active_name).value_or(DaemonSettings{});
}

void SettingsStore::save(const DaemonSettings& settings, bool is_daemon_running) const {
    replace_file_at(dir_, is_daemon_running ? new_name : active_name, to_text(settings));
    if (!is_daemon_running && ::unlinkat(dir_.get(), new_name, 0) != 0 && errno != ENOENT)
        throw_system("cannot remove " + path_ + "/" + new_name);
}

void SettingsStore::adopt_new() const {
    if (!dir_) return;
    if (::renameat(dir_.get(), new_name, dir_.get(), active_name) != 0 && errno != ENOENT)
        throw_system("cannot rename " + path_ + "/" + new_name);
}

}  // namespace op::tool
