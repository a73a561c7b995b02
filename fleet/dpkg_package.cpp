// SPDX-License-Identifier: GPL-2.0-or-later
// From the path to the package by the lists of files; from there to its paragraph in `status` (deb822(5)) and
// to its digests: PACKAGE.md5sums or PACKAGE:ARCHITECTURE.md5sums, of "DIGEST  PATH" lines without the first
// slash.
#include "fleet/dpkg_package.h"

#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "fleet/md5.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libpp/symbols/packages.h"

namespace op::fleet {
namespace {

/// Of a file that dpkg notes, and of a binary.
constexpr uint64_t most_text_bytes = uint64_t{64} << 20, most_binary_bytes = uint64_t{1} << 30;
constexpr size_t digest_digits = 32;

/// The lines of a regular file, as far as it can be read.
void for_lines(const std::string& path, const std::function<bool(std::string_view)>& take) {
    if (!is_regular_file(path)) return;
    uint64_t bytes = 0;
    try {
        for_each_line(path, [&](std::string_view line) {
            bytes += line.size() + 1;
            return bytes <= most_text_bytes && take(line);
        });
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::internal) throw;
    }
}

/// A package in `status`.
struct Installed {
    std::string architecture, version;
    bool is_complete = false;
};

/// Those of that name: one for each architecture.
class StatusReader {
public:
    StatusReader(const std::string& file, std::string_view name) : name_(name) {
        for_lines(file, [this](std::string_view line) {
            add(line);
            return true;
        });
        add("");
    }
    const std::vector<Installed>& found() const { return found_; }

private:
    void add(std::string_view line) {
        if (line.empty()) return end();
        if (const auto name = value(line, "Package")) is_of_name_ = *name == name_;
        if (const auto status = value(line, "Status")) current_.is_complete = status->ends_with(" installed");
        if (const auto architecture = value(line, "Architecture")) current_.architecture = *architecture;
        if (const auto version = value(line, "Version")) current_.version = *version;
    }
    void end() {
        if (is_of_name_ && current_.is_complete) found_.push_back(current_);
        is_of_name_ = false;
        current_ = {};
    }
    static std::optional<std::string_view> value(std::string_view line, std::string_view field) {
        if (!line.starts_with(field) || !line.substr(field.size()).starts_with(": ")) return std::nullopt;
        return line.substr(field.size() + 2);
    }

    std::string_view name_;
    bool is_of_name_ = false;
    Installed current_;
    std::vector<Installed> found_;
};

/// Where /bin and /lib are links, a list may have a path without the /usr.
std::string_view without_usr(std::string_view path) {
    return path.starts_with("usr/") ? path.substr(4) : path;
}

/// The digest of a path without its first slash; empty if the file has no such line.
std::string noted_digest(const std::string& sums, std::string_view path) {
    std::string digest;
    for_lines(sums, [&](std::string_view line) {
        if (line.size() <= digest_digits + 2) return true;
        if (without_usr(line.substr(digest_digits + 2)) == without_usr(path))
            digest = line.substr(0, digest_digits);
        return digest.empty();
    });
    return digest;
}

}  // namespace

std::optional<Package> dpkg_package(const std::string& root, const std::string& path, const Fd& file) {
    if (!path.starts_with('/')) return std::nullopt;
    const auto owners = pp::owning_packages(root, std::span(&path, 1));
    if (owners.empty()) return std::nullopt;
    const std::string& name = owners.begin()->second;
    const std::string database = root + "/var/lib/dpkg/";
    const StatusReader status(database + "status", name);
    std::optional<std::string> content;
    for (const Installed& installed : status.found())
        for (const std::string& stem : {name, name + ":" + installed.architecture}) {
            const std::string noted = noted_digest(database + "info/" + stem + ".md5sums", path.substr(1));
            if (noted.empty()) continue;
            if (!content) content = md5_of_fd(file, most_binary_bytes);
            if (content == noted) return checked_package(name, installed.version);
        }
    return std::nullopt;
}

}  // namespace op::fleet
