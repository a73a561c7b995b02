// SPDX-License-Identifier: GPL-2.0-or-later
// Looking for image files.
#include "libpp/symbols/image_finder.h"

#include <algorithm>
#include <filesystem>

#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "libop/session/kept_images.h"

namespace op::pp {
namespace {

namespace fs = std::filesystem;

/// "nf_tables.ko.xz" -> "nf-tables.ko": the name by which modules are compared.
std::string module_key(std::string_view file) {
    const size_t extension = file.find(".ko");
    std::string key(file.substr(0, extension));
    std::ranges::replace(key, '_', '-');
    return key + ".ko";
}

bool is_module_file(std::string_view file) {
    for (const char* end : {".ko", ".ko.gz", ".ko.xz", ".ko.zst"})
        if (file.ends_with(end)) return true;
    return false;
}

void list_tree(const std::string& top, std::map<std::string, std::vector<std::string>>& by_base_name) {
    std::error_code error;
    fs::recursive_directory_iterator it(top, fs::directory_options::skip_permission_denied, error), end;
    for (; !error && it != end; it.increment(error)) {
        if (!it->is_regular_file(error)) continue;
        const std::string name = it->path().filename();
        by_base_name[name].push_back(it->path());
        if (is_module_file(name)) by_base_name["module:" + module_key(name)].push_back(it->path());
    }
}

}  // namespace

ImageFinder::ImageFinder(ImageSearch search, std::string kernel_release)
    : search_(std::move(search)), kernel_release_(std::move(kernel_release)) {
    for (std::string& path : search_.image_paths) {
        path = search_.archive + path;
        std::error_code error;
        if (fs::is_directory(path, error)) continue;
        // A path that cannot be looked at (too long, no permission) is another fault than one that is no
        // directory.
        const bool is_missing = !error || error == std::errc::no_such_file_or_directory;
        throw_usage("--image-path: " + path + (is_missing ? " is not a directory" : ": " + error.message()));
    }
}

std::optional<std::string> ImageFinder::find_kept(const std::string& build_id) const {
    for (const std::string& session : search_.sessions)
        if (auto kept = find_kept_image(session, build_id)) return kept;
    return std::nullopt;
}

const std::string& ImageFinder::path(const std::string& name) const {
    const auto it = search_.paths.find(name);
    return it == search_.paths.end() ? name : it->second;
}

std::optional<std::string> ImageFinder::find(const std::string& name, Diagnostics& notes) const {
    auto file = find_at_path(name);
    return file ? file : find_below_image_paths(name, notes);
}

std::optional<std::string> ImageFinder::find_at_path(const std::string& name) const {
    const std::string& recorded = path(name);
    if (recorded.find('/') == std::string::npos) return std::nullopt;
    if (!search_.archive.empty() && is_regular_file(search_.archive + name)) return search_.archive + name;
    if (!search_.archive.empty() && is_regular_file(search_.archive + recorded))
        return search_.archive + recorded;
    if (!search_.root.empty() && is_regular_file(search_.root + "/" + recorded))
        return search_.root + recorded;
    if (search_.archive.empty() && search_.root.empty() && is_regular_file(recorded)) return recorded;
    return std::nullopt;
}

std::optional<std::string> ImageFinder::find_below_image_paths(const std::string& name,
                                                               Diagnostics& notes) const {
    const std::string& recorded = path(name);
    const bool module = recorded.find('/') == std::string::npos;
    if (!listed_) {
        for (const std::string& path : search_.image_paths)
            list_tree(path, by_base_name_);
        listed_ = true;
    }
    const std::string key = module ? "module:" + module_key(recorded) : std::string(base_name(recorded));
    auto it = by_base_name_.find(key);
    if (it == by_base_name_.end() && module && !kernel_release_.empty() && !modules_listed_) {
        modules_listed_ = true;
        list_tree(search_.archive + search_.root + "/lib/modules/" + kernel_release_, by_base_name_);
        it = by_base_name_.find(key);
    }
    if (it == by_base_name_.end() || it->second.empty()) return std::nullopt;
    auto& files = it->second;
    std::ranges::sort(files);
    const auto is_first = [&](const std::string& file) {
        std::error_code ignored;
        return file == files.front() || fs::equivalent(file, files.front(), ignored);
    };
    if (std::ranges::all_of(files, is_first)) return files.front();
    notes.warn("several files named " + printable(base_name(recorded)) + " below the image paths (" +
               printable(files.front()) + ", " + printable(files.back()) + "): none is used");
    return std::nullopt;
}

}  // namespace op::pp
