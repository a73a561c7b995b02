// SPDX-License-Identifier: GPL-2.0-or-later
// Where distributions have debug symbols, as their own documentation has it: Debian's and Ubuntu's wikis
// (AutomaticDebugPackages, Debug Symbol Packages), and elfutils' list of debuginfod servers.
#include "libpp/symbols/distribution.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

#include "libop/base/fd.h"
#include "libop/base/text.h"

namespace op::pp {

namespace {

constexpr size_t most_bytes = 64 << 10;

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

/// The content of a regular file; empty of anything else, and of what cannot be read or is too large.
std::string content_of(const std::string& path) {
    const Fd file = reopen_regular(Fd(::open(path.c_str(), O_PATH | O_CLOEXEC)));
    std::string content(most_bytes + 1, '\0');
    const ssize_t size = file ? ::pread(file.get(), content.data(), content.size(), 0) : 0;
    content.resize(size > 0 && static_cast<size_t>(size) <= most_bytes ? static_cast<size_t>(size) : 0);
    return content;
}

Values read_values(const std::string& path) {
    Values values;
    const std::string content = content_of(path);
    for (std::string_view rest = content; !rest.empty();) {
        const std::string_view line = take_line(rest);
        if (const size_t equals = line.find('='); equals != line.npos)
            values.try_emplace(std::string(line.substr(0, equals)), unquoted(line.substr(equals + 1)));
    }
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
