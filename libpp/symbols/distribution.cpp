// SPDX-License-Identifier: GPL-2.0-or-later
// Where distributions have debug symbols, as their own documentation has it: Debian's and Ubuntu's wikis
// (AutomaticDebugPackages, Debug Symbol Packages), and elfutils' list of debuginfod servers.
#include "libpp/symbols/distribution.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>

namespace op::pp {

namespace {

namespace fs = std::filesystem;

constexpr uintmax_t most_bytes = 64 << 10;

using Values = std::map<std::string, std::string, std::less<>>;

struct Known {
    std::string_view id, debuginfod;
};
constexpr Known known[] = {{"arch", "https://debuginfod.archlinux.org"},
                           {"debian", "https://debuginfod.debian.net"},
                           {"fedora", "https://debuginfod.fedoraproject.org"},
                           {"opensuse-tumbleweed", "https://debuginfod.opensuse.org"},
                           {"ubuntu", "https://debuginfod.ubuntu.com"}};

/// Without the quotes that the shell takes off.
std::string_view unquoted(std::string_view value) {
    const bool is_quoted =
        value.size() >= 2 && value.front() == value.back() && (value.front() == '"' || value.front() == '\'');
    return is_quoted ? value.substr(1, value.size() - 2) : value;
}

Values read_values(const std::string& path) {
    Values values;
    std::error_code error;
    if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > most_bytes || error) return values;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
        if (const size_t equals = line.find('='); equals != line.npos)
            values.try_emplace(line.substr(0, equals), unquoted(std::string_view(line).substr(equals + 1)));
    return values;
}

/// A word that a distribution may have as its name, or nothing.
std::string word(const Values& values, std::string_view key) {
    const auto at = values.find(key);
    const auto is_plain = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '.' || c == '_'; };
    return at != values.end() && std::ranges::all_of(at->second, is_plain) ? at->second : "";
}

std::string archive_of(const std::string& id, const std::string& codename) {
    if (id == "debian" && !codename.empty()) return "archive debian-debug, suite " + codename + "-debug";
    if (id == "ubuntu" && !codename.empty()) return "archive ddebs, suite " + codename;
    return "";
}

}  // namespace

Distribution find_distribution(const std::string& root) {
    Values values = read_values(root + "/etc/os-release");
    if (values.empty()) values = read_values(root + "/usr/lib/os-release");
    const std::string id = word(values, "ID");
    const auto at = std::ranges::find(known, id, &Known::id);
    return {archive_of(id, word(values, "VERSION_CODENAME")),
            std::string(at == std::end(known) ? std::string_view() : at->debuginfod)};
}

}  // namespace op::pp
