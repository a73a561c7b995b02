// SPDX-License-Identifier: GPL-2.0-or-later
// dpkg's lists of files: /var/lib/dpkg/info/PACKAGE[:ARCHITECTURE].list, a path a line. See dpkg(1), FILES.
#include "libpp/symbols/packages.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <vector>

#include "libop/base/error.h"
#include "libop/base/fd.h"

namespace op::pp {
namespace {

namespace fs = std::filesystem;

constexpr size_t most_lines = 10'000'000;
constexpr size_t most_list_bytes = 16 << 20, most_bytes = 256 << 20;
constexpr std::string_view list_extension = ".list", merged = "/usr";

/// Sorted, so that the same package is found where two claim a file.
std::vector<std::string> file_lists(const std::string& directory) {
    std::vector<std::string> lists;
    std::error_code error;
    for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
        if (std::error_code unknown;
            at->path().extension() == list_extension && at->is_regular_file(unknown) && !unknown)
            lists.push_back(at->path());
    std::ranges::sort(lists);
    return lists;
}

/// "libc6" of ".../libc6:amd64.list".
std::string package_of(const std::string& list) {
    const std::string name = fs::path(list).stem();
    return name.substr(0, name.find(':'));
}

/// Paths without a leading /usr, with the spelling they were asked for in.
using Wanted = std::map<std::string_view, const std::string*, std::less<>>;

std::string_view plain(std::string_view path) {
    if (path.starts_with(merged) && path.substr(merged.size()).starts_with('/'))
        path.remove_prefix(merged.size());
    return path;
}

}  // namespace

std::map<std::string, std::string> owning_packages(const std::string& root,
                                                   std::span<const std::string> paths) {
    Wanted wanted;
    for (const std::string& path : paths)
        wanted.emplace(plain(path), &path);
    std::map<std::string, std::string> found;
    if (wanted.empty()) return found;
    size_t lines = 0, bytes = 0;
    for (const std::string& list : file_lists(root + "/var/lib/dpkg/info")) {
        if (found.size() == wanted.size() || lines >= most_lines || bytes >= most_bytes) break;
        const size_t list_end = std::min(bytes + most_list_bytes, most_bytes);
        const auto take = [&](std::string_view line) {
            bytes += line.size() + 1;
            if (bytes > list_end) return false;
            const auto at = wanted.find(plain(line));
            if (at != wanted.end()) found.try_emplace(*at->second, package_of(list));
            return ++lines < most_lines;
        };
        try {
            for_each_line(list, take);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::internal) throw;
        }
    }
    return found;
}

bool is_in_debug_archive(std::string_view package) {
    return package != "libc6" && !package.starts_with("linux-image-");
}

std::string debug_package(std::string_view package) {
    return std::string(package) + (is_in_debug_archive(package) ? "-dbgsym" : "-dbg");
}

}  // namespace op::pp
