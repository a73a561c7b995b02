// SPDX-License-Identifier: GPL-2.0-or-later
// Looking for source files.
#include "utils/source_finder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "libop/base/counted.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "utils/shared/file_access.h"

namespace op::tool {

namespace {

constexpr int64_t largest_source = 64 << 20;

std::string refusal(const struct stat& status) {
    if (!S_ISREG(status.st_mode)) return "it is not a regular file";
    if (status.st_size == 0) return "its size is 0";
    if (status.st_size > largest_source) return "it is larger than 64 MiB";
    return "";
}

/// As many of the file's first bytes as there are, up to `size`.
std::string read_first(const Fd& file, size_t size, const std::string& path) {
    std::string text(size, '\0');
    size_t length = 0;
    while (length < size) {
        const ssize_t n = ::read(file.get(), text.data() + length, size - length);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw_system("cannot read " + path);
        if (n == 0) break;
        length += static_cast<size_t>(n);
    }
    text.resize(length);
    return text;
}

/// The file at a path; empty if it does not exist, is a directory or cannot be read.
std::optional<Source> read_at(const std::string& path) try {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return std::nullopt;
    if (auto why = refusal(status); !why.empty()) return Source{"", 0, std::move(why)};
    const Fd file = open_regular(path);
    if (::fstat(file.get(), &status) != 0) return std::nullopt;
    if (auto why = refusal(status); !why.empty()) return Source{"", 0, std::move(why)};
    return Source{read_first(file, static_cast<size_t>(status.st_size), path), status.st_mtim.tv_sec, "",
                  std::pair(status.st_dev, status.st_ino)};
} catch (const Error&) {
    return std::nullopt;
}

/// The endings of names that compilers of the usual languages read.
bool has_source_suffix(const std::string& path) {
    constexpr std::string_view suffixes[] = {".c",   ".h",   ".cc",  ".hh",  ".cpp", ".hpp",  ".cxx", ".hxx",
                                             ".c++", ".C",   ".H",   ".inc", ".ipp", ".tcc",  ".tpp", ".i",
                                             ".ii",  ".s",   ".S",   ".asm", ".m",   ".mm",   ".cu",  ".l",
                                             ".y",   ".f",   ".f90", ".F90", ".for", ".go",   ".rs",  ".d",
                                             ".zig", ".nim", ".ml",  ".adb", ".ads", ".swift"};
    return std::ranges::find(suffixes, std::filesystem::path(path).extension().string()) !=
           std::end(suffixes);
}

}  // namespace

std::string source_refusal(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 ? refusal(status) : "";
}

std::string private_source_fault(const Fd& file, const std::string& path, std::optional<uid_t> image_owner) {
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) throw_system("cannot read " + path);
    if (!has_source_suffix(resolved_path(file))) return "it is private, and its name is not that of a source";
    if (status.st_nlink > 1) return "it is private, and has a second name";
    if (!image_owner || (*image_owner != 0 && *image_owner != status.st_uid))
        return "it is private, and of another owner than the binary that names it";
    if (!is_path_trusted(file, path, *image_owner))
        return "it is private, and a directory or link of another user leads to it";
    return "";
}

SourceFinder::SourceFinder(std::string archive, std::vector<std::string> search_dirs,
                           std::vector<std::string> base_dirs)
    : archive_(std::move(archive)), search_dirs_(std::move(search_dirs)), base_dirs_(std::move(base_dirs)) {}

std::string SourceFinder::without_base(const std::string& recorded) const {
    for (std::string base : base_dirs_) {
        while (base.ends_with('/'))
            base.pop_back();
        if (recorded.starts_with(base + "/")) return recorded.substr(base.size());
    }
    return recorded;
}

std::optional<Source> SourceFinder::read_below(std::string_view path) const {
    if (path.starts_with("../")) return std::nullopt;
    for (const auto& dir : search_dirs_)
        if (auto source = read_at(dir + "/" + std::string(path))) return source;
    return std::nullopt;
}

std::optional<Source> SourceFinder::read(const std::string& recorded) const {
    const std::string plain = std::filesystem::path(without_base(recorded)).lexically_normal();
    if (auto source = read_below(plain)) return source;
    if (!archive_.empty())
        if (auto source = read_at(archive_ + "/" + recorded))
            return Source{std::move(source->text), 0, std::move(source->refusal)};
    if (auto source = read_at(recorded)) return source;
    for (std::string_view end = plain; end.find('/') != end.npos;) {
        end.remove_prefix(end.find('/') + 1);
        if (auto source = read_below(end)) return source;
    }
    return std::nullopt;
}

std::string not_found_text(const std::vector<std::string>& sources) {
    if (sources.size() == 1) return "source " + printable(sources.front()) + " is not found";
    return counted(sources.size(), "source is not found", "sources are not found") + " (" +
           printable(short_list(sources)) + ")";
}

}  // namespace op::tool
