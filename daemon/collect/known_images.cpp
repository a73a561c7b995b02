// SPDX-License-Identifier: GPL-2.0-or-later
// Images by cookie and by name.
#include "daemon/collect/known_images.h"

#include <sys/stat.h>

#include <utility>

#include "libop/base/build_id.h"
#include "libop/base/text.h"

namespace op::collect {

namespace {

/// What the kernel puts into every process.
bool is_the_same_everywhere(std::string_view label) {
    return label == "[vdso]" || label == "[vsyscall]" || label == "[vectors]" || label == "[sigpage]";
}

}  // namespace

StringId KnownImages::number(const ImagePtr& image) {
    if (image->id == StringId::none) {
        image->id = names_.intern(image->name);
        mapped_[image->id] = image;
    }
    return image->id;
}

ImageRef KnownImages::of(const Region& region, uint32_t tgid) {
    const StringId name = number(region.image);
    if (region.kind != RegionKind::anon) return {name, region.kind, 0, {}, {}};
    if (is_the_same_everywhere(region.image->name))
        return {name, region.kind, 0, {}, RuntimeAddress{region.end - region.start}};
    return {name, region.kind, tgid, region.start, region.end};
}

void KnownImages::take(const Mapping& mapping, const Region* region) {
    if (mapping.kernel) {
        if (mapping.path == no_vmlinux) return;
        kernel_[names_.intern(mapping.path)] = {std::string(mapping.path), mapping.start.value(),
                                                mapping.length, hex(mapping.build_id)};
        return;
    }
    if (!region || region->kind != RegionKind::file) return;
    RecordedImage& image = region->image->recorded;
    image.deleted = classify_mapped_path(mapping.path).deleted;
    std::string build_id = hex(mapping.build_id);
    if (build_id.empty()) return;
    if (!image.build_id.empty() && image.build_id != build_id) {
        notes_.warn(printable(region->image->name) +
                    " was replaced while profiling; its samples are of both versions");
        image.several_builds = true;
    }
    image.build_id = std::move(build_id);
}

bool KnownImages::take(const ImageCookie& cookie) {
    const ImageRef image = cookie.region ? region_image(cookie) : file_image(cookie);
    const auto [it, is_new] = cookies_.try_emplace(cookie.cookie, image);
    const bool changed = !is_new && it->second != image;
    it->second = image;
    return changed;
}

ImageRef KnownImages::region_image(const ImageCookie& cookie) {
    const MappedPath label = classify_mapped_path(cookie.path);
    const uint64_t start = cookie.start.value();
    const uint64_t end = cookie.length > UINT64_MAX - start ? UINT64_MAX : start + cookie.length;
    const StringId name = names_.intern(label.kind == RegionKind::anon ? label.name : "anon");
    if (is_the_same_everywhere(label.name))
        return {name, RegionKind::anon, 0, {}, RuntimeAddress{cookie.length}};
    return {name, RegionKind::anon, cookie.tgid, cookie.start, RuntimeAddress{end}};
}

/// The driver reports a file, so it is one, whatever its path looks like.
ImageRef KnownImages::file_image(const ImageCookie& cookie) {
    constexpr std::string_view mark = " (deleted)";
    std::string_view path = cookie.path;
    const bool deleted = path.ends_with(mark);
    if (deleted) path.remove_suffix(mark.size());
    const StringId name = names_.intern(path.empty() ? "(unnamed)" : path);
    if (deleted) deleted_.insert(name);
    check_identity(cookie, name, deleted);
    return ImageRef::file(name);
}

void KnownImages::check_identity(const ImageCookie& cookie, StringId name, bool deleted) {
    if (!local_) return;
    const std::string path(names_.text(name));
    struct stat st {};
    if (::stat(path.c_str(), &st) == 0 && st.st_dev == cookie.device && st.st_ino == cookie.inode) return;
    foreign_.insert(name);
    if (deleted || std::exchange(foreign_noted_, true)) return;
    notes_.warn(
        printable(path) +
        " is not here the file that runs (another mount namespace, or replaced since); symbols of such "
        "files may be missing or wrong");
}

const ImageRef* KnownImages::find(uint32_t cookie) const noexcept {
    const auto it = cookies_.find(cookie);
    return it == cookies_.end() ? nullptr : &it->second;
}

uint64_t KnownImages::mtime(const ImageRef& image) const {
    if (!local_ || image.kind == RegionKind::anon || foreign_.contains(image.name)) return 0;
    const std::string path(names_.text(image.name));
    struct stat st {};
    const bool regular = path.starts_with('/') && !path.starts_with("/proc/") &&
                         ::stat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode);
    return regular ? st.st_mtim.tv_sec : 0;
}

void KnownImages::note_used(const ImageRef& ref) {
    if (ref.kind != RegionKind::file || used_.contains(ref.name)) return;
    const auto mapped = mapped_.find(ref.name);
    RecordedImage image = mapped != mapped_.end() ? mapped->second->recorded : RecordedImage{};
    image.deleted |= deleted_.contains(ref.name);
    image.mtime = mtime(ref);
    if (image.build_id.empty() && local_ && !image.deleted && !foreign_.contains(ref.name))
        image.build_id = build_id_of_file(std::string(names_.text(ref.name)));
    used_.emplace(ref.name, std::move(image));
}

void KnownImages::describe(SessionInfo& info) const {
    for (const auto& [name, image] : kernel_)
        info.kernel_images.push_back(image);
    for (const auto& [name, image] : used_) {
        RecordedImage& recorded = info.images[std::string(names_.text(name))] = image;
        const auto later = mapped_.find(name);  // of what was replaced meanwhile
        if (later == mapped_.end() || later->second->recorded.build_id.empty()) continue;
        recorded.build_id = later->second->recorded.build_id;
        recorded.several_builds |= later->second->recorded.several_builds;
    }
}

}  // namespace op::collect
