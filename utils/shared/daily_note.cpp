// SPDX-License-Identifier: GPL-2.0-or-later
// Stamps. The directory is the XDG Base Directory Specification's for state.
#include "utils/shared/daily_note.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

#include "libop/base/clock.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"

namespace op::tool {
namespace {

constexpr const char* package = "oprofile";

std::string absolute_variable(const char* name) {
    const char* const value = ::secure_getenv(name);
    return value && *value == '/' ? value : "";
}

bool is_own(const Fd& dir) {
    struct stat st {};
    return dir && ::fstat(dir.get(), &st) == 0 && st.st_uid == ::geteuid() && !(st.st_mode & S_IWOTH);
}

/// Nobody but root can replace what root has there.
bool is_roots(const Fd& dir) {
    struct stat st {};
    return dir && ::fstat(dir.get(), &st) == 0 && st.st_uid == 0 &&
           (!(st.st_mode & (S_IWGRP | S_IWOTH)) || (st.st_mode & S_ISVTX));
}

/// The directory, reached through directories where only root replaces what is root's; none otherwise.
Fd open_as_root(const std::string& path) {
    Fd dir(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (const auto part : split(path, '/')) {
        if (!is_roots(dir)) return {};
        if (!part.empty()) dir = open_at(dir, std::string(part).c_str(), O_RDONLY | O_DIRECTORY);
    }
    return dir;
}

Fd open_base(const std::string& path) {
    Fd dir =
        ::geteuid() == 0 ? open_as_root(path) : Fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return is_own(dir) ? std::move(dir) : Fd();
}

Fd open_place(const StampPlace& place) {
    Fd dir = open_base(place.base);
    for (const std::string& name : place.below) {
        if (!dir) return {};
        ::mkdirat(dir.get(), name.c_str(), 0700);  // if it fails, so does opening
        dir = open_at(dir, name.c_str(), O_RDONLY | O_DIRECTORY);
        if (!is_own(dir)) return {};
    }
    return dir;
}

bool has_content(const Fd& dir, const std::string& name, std::string_view content) {
    const Fd file = open_at(dir, name.c_str(), O_RDONLY | O_NONBLOCK);
    struct stat st {};
    if (!file || ::fstat(file.get(), &st) != 0 || !S_ISREG(st.st_mode)) return false;
    std::string text(content.size() + 1, '\0');
    const ssize_t length = ::read(file.get(), text.data(), text.size());
    return length == static_cast<ssize_t>(content.size()) && text.starts_with(content);
}

}  // namespace

std::string fallback_stamp(std::string_view command) {
    return std::string(command) + "-no-hardware-counter";
}

std::optional<StampPlace> stamp_place() {
    if (std::string state = absolute_variable("XDG_STATE_HOME"); !state.empty())
        return StampPlace{std::move(state), {package}};
    if (std::string home = absolute_variable("HOME"); !home.empty())
        return StampPlace{std::move(home), {".local", "state", package}};
    return std::nullopt;
}

std::string today() {
    const std::time_t now = epoch_seconds();
    std::tm date{};
    ::localtime_r(&now, &date);
    char text[40];
    return std::strftime(text, sizeof text, "%Y-%m-%d", &date) > 0 ? text : "";
}

bool is_due(const std::optional<StampPlace>& place, const std::string& name, std::string_view day) noexcept
    try {
    const Fd dir = place ? open_place(*place) : Fd();
    if (!dir) return true;
    const std::string content = std::string(day) + "\n";
    if (has_content(dir, name, content)) return false;
    replace_file_at(dir, name, name, content, 0600);
    return true;
} catch (const std::exception&) {
    return true;
}

}  // namespace op::tool
