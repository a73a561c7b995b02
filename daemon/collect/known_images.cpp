// SPDX-License-Identifier: GPL-2.0-or-later
// Images by cookie and by name.
#include "daemon/collect/known_images.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "libop/base/clock.h"
#include "libop/base/text.h"

namespace op::collect {

namespace {

/// What the kernel puts into every process.
bool is_the_same_everywhere(std::string_view label) {
    return label == "[vdso]" || label == "[vsyscall]" || label == "[vectors]" || label == "[sigpage]";
}

/// So many files of one path have names of their own: strangers may make any number.
constexpr size_t most_builds = 64;
/// The driver knows 65,536 images at a time and numbers them upwards: older cookies come in no sample.
constexpr size_t most_cookies = size_t{1} << 18;
/// Behind the path for the others together.
constexpr std::string_view other_builds = "@other";

/// What an image takes in the manifest besides its texts, bytes.
constexpr uint64_t manifest_row = 300;

/// The greatest length of a text in the manifest, bytes.
uint64_t manifest_length(std::string_view text) {
    constexpr uint64_t escaped = 6;  // of a control character in JSON
    const auto is_plain = [](unsigned char c) {
        return c >= 0x20 && c < 0x7f && c != '%' && c != '"' && c != '\\';
    };
    const auto plain = static_cast<uint64_t>(std::ranges::count_if(text, is_plain));
    return plain + escaped * (text.size() - plain);
}

/// The file of that path now belongs to root or this user.
bool is_trusted_path(const std::string& path) {
    struct stat st {};
    return ::stat(path.c_str(), &st) == 0 && (st.st_uid == 0 || st.st_uid == ::geteuid());
}

/// Behind the path of a file that is not the first one of that path: part of its build-id, else its identity.
std::string name_suffix(const MappedFileFacts& facts) {
    constexpr size_t digits = 12;
    if (!facts.build_id.empty()) return "@" + facts.build_id.substr(0, digits);
    return "@" + hex(facts.id.device) + "-" + hex(facts.id.inode);
}

}  // namespace

bool KnownImages::KnownFile::is_blank() const {
    return facts.build_id.empty() && !facts.id.is_known() && recorded.mtime == 0;
}

bool KnownImages::KnownFile::is_same(const KnownFile& other) const {
    if (!facts.build_id.empty() && !other.facts.build_id.empty())
        return facts.build_id == other.facts.build_id;
    if (is_found && other.is_found) return id == other.id && changed == other.changed;
    if (facts.id.is_known() && other.facts.id.is_known())
        return facts.id.may_be(other.facts.id) && !is_newer(other) && !other.is_newer(*this);
    if (recorded.elsewhere || other.recorded.elsewhere)
        return !is_earlier && !other.is_earlier && is_blank() && other.is_blank();
    if (recorded.mtime != 0 && other.recorded.mtime != 0) return !recorded.is_other_build(other.recorded);
    return is_blank() || other.is_blank();
}

bool KnownImages::KnownFile::is_newer(const KnownFile& other) const {
    return is_found && other.facts.mapped != 0 && changed > other.facts.mapped;
}

/// Adds what the file itself shows. A path that leads to another file is no file of the image.
void KnownImages::look_for(KnownFile& file) {
    if (!local_ || file.is_found) return;
    const auto found = find_image_file(file.facts, search_);
    file.is_found = found.has_value();
    file.recorded.elsewhere = !found || !found->is_here;
    if (found) {
        file.id = found->id;
        file.changed = found->changed;
        file.facts.build_id = found->build_id;
        file.recorded.mtime = found->mtime;
        file.recorded.size = found->size;
        file.recorded.deleted |= found->is_deleted;
        file.recorded.root = found->root;
        file.is_hosts = found->is_here && found->is_trusted;
    }
    file.recorded.build_id = file.facts.build_id;
}

bool KnownImages::is_too_long(std::string_view path) const {
    const auto components = static_cast<size_t>(std::ranges::count(path, '/'));
    return path.size() > limits_.path || components > limits_.components;
}

bool KnownImages::take_room(bool is_hosts, uint64_t cost) {
    uint64_t& room = is_hosts ? room_.hosts : room_.strangers;
    if (cost > room) return false;
    room -= cost;
    return true;
}

/// Takes room for a known name once in a run. Returns the name, or that of refused images.
StringId KnownImages::charge(StringId name, bool is_hosts, uint64_t cost) {
    if (charged_.contains(name)) return name;
    if (!take_room(is_hosts, cost)) return ImageRef::refused;
    charged_.insert(name);
    return name;
}

uint64_t KnownImages::KnownFile::cost() const {
    return manifest_row + 2 * manifest_length(facts.path) + manifest_length(recorded.root) +
           facts.build_id.size();
}

/// The name in the session: the path for the first file that has it, for others with a suffix.
StringId KnownImages::name_of(KnownFile file) {
    if (is_too_long(file.facts.path)) return ImageRef::refused;
    look_for(file);
    file.recorded.build_id = file.facts.build_id;
    const uint64_t cost = file.cost();
    const auto builds = builds_.find(names_.find(file.facts.path));
    if (builds == builds_.end()) return add_file(std::move(file));
    for (const StringId name : builds->second) {
        KnownFile& known = files_[name];
        if (!known.is_same(file)) continue;
        const bool is_here_now = known.recorded.elsewhere && file.is_found && !file.recorded.elsewhere;
        const bool is_better =
            (!known.is_found && file.is_found) || (known.is_blank() && !file.is_blank()) || is_here_now;
        if (is_better) {
            file.recorded.path = known.recorded.path;
            known = std::move(file);
        }
        return charge(name, known.is_hosts, cost);
    }
    return add_file(std::move(file));
}

/// Adds a file that has no name yet. Where there is no room, not even its path is kept.
StringId KnownImages::add_file(KnownFile file) {
    const uint64_t cost = file.cost();
    std::string text = file.facts.path;
    if (const auto builds = builds_.find(names_.find(text)); builds != builds_.end()) {
        file.recorded.several_builds = builds->second.size() >= most_builds;
        text += file.recorded.several_builds ? std::string(other_builds) : name_suffix(file.facts);
    }
    if (file.recorded.several_builds && files_.contains(names_.find(text)))
        return charge(names_.find(text), file.is_hosts, cost);
    if (!take_room(file.is_hosts, cost)) return ImageRef::refused;
    StringId name = names_.intern(text);
    while (files_.contains(name))
        name = names_.intern(text += "'");
    charged_.insert(name);
    const StringId path = names_.intern(file.facts.path);
    builds_[path].push_back(name);
    if (name != path) file.recorded.path = file.facts.path;
    files_[name] = std::move(file);
    return name;
}

void KnownImages::add_earlier(const SessionInfo& earlier) {
    for (const auto& [name, image] : earlier.images) {
        KnownFile file{{.path = image.path.empty() ? name : image.path, .build_id = image.build_id}};
        file.recorded = image;
        file.is_earlier = true;
        file.is_hosts = local_ && !image.elsewhere && is_trusted_path(file.facts.path);
        const StringId id = names_.intern(name);
        charge(id, file.is_hosts, file.cost());
        builds_[names_.intern(file.facts.path)].push_back(id);
        files_.emplace(id, std::move(file));
    }
}

StringId KnownImages::number(MappedImage& image, uint32_t tgid, const Region* region) {
    if (image.id_run == run_) return image.id;
    const bool is_kernel = region && region->kind == RegionKind::kernel;
    image.id = image.is_file ? number_file(image, tgid, region) : number_label(image.name, is_kernel);
    image.id_run = run_;
    if (!image.is_file && image.is_deleted && image.id != ImageRef::refused) deleted_.insert(image.id);
    return image.id;
}

/// A file that had its number in an earlier run needs no look again.
StringId KnownImages::number_file(const MappedImage& image, uint32_t tgid, const Region* region) {
    if (const auto known = files_.find(image.id); known != files_.end())
        return charge(image.id, known->second.is_hosts, known->second.cost());
    KnownFile file{{tgid, image.name, image.file, image.build_id}};
    file.recorded.deleted = image.is_deleted;
    if (local_ && image.mapped != 0) file.facts.mapped = calendar_ns(image.mapped);
    if (region) {
        file.facts.start = region->start.value();
        file.facts.end = region->end.value();
    }
    return name_of(std::move(file));
}

/// Of what is no file of a process: anonymous memory, a program of which only the name is known, the kernel.
StringId KnownImages::number_label(std::string_view label, bool is_kernel) {
    if (is_too_long(label)) return ImageRef::refused;
    const uint64_t cost = manifest_row + manifest_length(label);
    const bool is_hosts = is_kernel || is_the_same_everywhere(label);
    if (const StringId name = names_.find(label); name != StringId::none) return charge(name, is_hosts, cost);
    if (!take_room(is_hosts, cost)) return ImageRef::refused;
    const StringId name = names_.intern(label);
    charged_.insert(name);
    return name;
}

void KnownImages::begin_run() noexcept {
    used_.clear();
    charged_.clear();
    room_ = {limits_.manifest_bytes, limits_.manifest_bytes};
    ++run_;
}

bool KnownImages::is_hosts(const ImageRef& image) const {
    if (image.kind == RegionKind::kernel) return true;
    if (image.kind == RegionKind::anon) return image.tgid == 0;
    const auto file = files_.find(image.name);
    return file != files_.end() && file->second.is_hosts;
}

bool KnownImages::has_changed(const MappedImage& image, uint32_t tgid) const {
    const auto known = files_.find(image.id);
    if (known == files_.end() || !image.build_id.empty() || !image.file.is_known()) return false;
    const KnownFile& file = known->second;
    const auto now = change_time(tgid, image.name, image.file);
    if (!now) return false;
    return file.is_found ? *now != file.changed : file.facts.mapped != 0 && *now > file.facts.mapped;
}

ImageRef KnownImages::of(const Region& region, uint32_t tgid) {
    const StringId name = number(*region.image, tgid, &region);
    if (region.kind != RegionKind::anon) return {name, region.kind, 0, {}, {}};
    if (is_the_same_everywhere(region.image->name))
        return {name, region.kind, 0, {}, RuntimeAddress{region.end - region.start}};
    return {name, region.kind, tgid, region.start, region.end};
}

void KnownImages::take(const Mapping& mapping) {
    if (mapping.path == no_vmlinux) return;
    kernel_[names_.intern(mapping.path)] = {std::string(mapping.path), mapping.start.value(), mapping.length,
                                            hex(mapping.build_id)};
}

bool KnownImages::take(const ImageCookie& cookie) {
    const ImageRef image = cookie.region ? region_image(cookie) : file_image(cookie);
    const auto [it, is_new] = cookies_.try_emplace(cookie.cookie, image);
    const bool changed = !is_new && it->second != image;
    it->second = image;
    if (cookies_.size() > most_cookies)
        std::erase_if(cookies_,
                      [&](const auto& old) { return cookie.cookie - old.first > most_cookies / 2; });
    return changed;
}

ImageRef KnownImages::region_image(const ImageCookie& cookie) {
    const MappedPath label = classify_mapped_path(cookie.path);
    const uint64_t start = cookie.start.value();
    const uint64_t end = cookie.length > UINT64_MAX - start ? UINT64_MAX : start + cookie.length;
    const StringId name = number_label(label.kind == RegionKind::anon ? label.name : "anon");
    if (is_the_same_everywhere(label.name))
        return {name, RegionKind::anon, 0, {}, RuntimeAddress{cookie.length}};
    return {name, RegionKind::anon, cookie.tgid, cookie.start, RuntimeAddress{end}};
}

/// The driver reports a file, so it is one, whatever its path looks like.
ImageRef KnownImages::file_image(const ImageCookie& cookie) {
    KnownFile file{{0, std::string(cookie.path), {cookie.device, cookie.inode}}};
    if (cookie.path.ends_with(deletion_mark) && !(local_ && is_real_name(file.facts))) {
        file.facts.path.resize(cookie.path.size() - deletion_mark.size());
        file.recorded.deleted = true;
    }
    if (file.facts.path.empty()) file.facts.path = "(unnamed)";
    return ImageRef::file(name_of(std::move(file)));
}

const ImageRef* KnownImages::find(uint32_t cookie) const noexcept {
    const auto it = cookies_.find(cookie);
    return it == cookies_.end() ? nullptr : &it->second;
}

StringId KnownImages::path(StringId name) const {
    const auto it = files_.find(name);
    if (it == files_.end() || it->second.recorded.path.empty()) return name;
    return names_.find(it->second.recorded.path);
}

uint64_t KnownImages::mtime(const ImageRef& image) const {
    if (image.kind == RegionKind::anon) return 0;
    if (const auto file = files_.find(image.name); file != files_.end()) return file->second.recorded.mtime;
    const std::string path(names_.text(image.name));
    struct stat st {};
    const bool is_kernel_file = local_ && image.kind == RegionKind::kernel && path.starts_with('/') &&
                                !path.starts_with("/proc/") && ::stat(path.c_str(), &st) == 0 &&
                                S_ISREG(st.st_mode);
    return is_kernel_file ? st.st_mtim.tv_sec : 0;
}

/// Limits what strangers make the recorder search: a file ever more rarely, and all together.
bool KnownImages::may_search(KnownFile& file) {
    constexpr uint64_t between_all = 50'000'000, between = 100'000'000;
    constexpr uint32_t most_doublings = 7;
    const uint64_t now = monotonic_ns();
    if (now < next_search_ || now < file.next_search) return false;
    next_search_ = now + between_all;
    file.next_search = now + (between << std::min(file.searches++, most_doublings));
    return true;
}

const MappedFileFacts* KnownImages::note_used(const ImageRef& ref, const MappedAt& at) {
    if (ref.kind != RegionKind::file) return nullptr;
    const bool is_first = used_.insert(ref.name).second;
    const auto known = files_.find(ref.name);
    if (!local_ || known == files_.end()) return nullptr;
    KnownFile& file = known->second;
    const bool is_further = file.facts.tgid != at.tgid;
    if (!is_first && !(file.is_pending && is_further && may_search(file))) return nullptr;
    file.facts.tgid = at.tgid;
    file.facts.start = at.start;
    file.facts.end = at.end;
    if (is_further) look_for(file);
    file.is_pending = file.recorded.elsewhere && !(file.is_found && file.facts.build_id.empty());
    return file.recorded.elsewhere ? &file.facts : nullptr;
}

void KnownImages::settle(const ImageRef& image) {
    if (const auto file = files_.find(image.name); file != files_.end()) file->second.is_pending = false;
}

/// Other modes or names of a file are no other file, nor is the same build written again.
bool KnownImages::is_still_there(KnownFile& file) {
    struct stat st {};
    if (::stat(file.facts.path.c_str(), &st) == 0) {
        const bool is_same_file = st.st_dev == file.id.device && st.st_ino == file.id.inode;
        const bool is_unchanged = static_cast<uint64_t>(st.st_mtim.tv_sec) == file.recorded.mtime &&
                                  static_cast<uint64_t>(st.st_size) == file.recorded.size;
        if (is_same_file && is_unchanged) return true;
    }
    if (file.facts.build_id.empty()) return false;
    const auto found = find_image_file({.path = file.facts.path, .build_id = file.facts.build_id}, search_);
    if (!found) return false;
    file.id = found->id;
    file.recorded.mtime = found->mtime;
    file.recorded.size = found->size;
    return true;
}

std::set<StringId> KnownImages::find_replaced(size_t most) {
    std::set<StringId> replaced;
    if (!local_) return replaced;
    auto at = used_.lower_bound(next_to_check_);
    for (most = std::min(most, used_.size()); most > 0; --most) {
        if (at == used_.end()) at = used_.begin();
        const StringId name = *at++;
        const auto known = files_.find(name);
        if (known == files_.end() || !known->second.is_found || known->second.recorded.elsewhere) continue;
        if (is_still_there(known->second)) continue;
        known->second.recorded.elsewhere = true;
        known->second.is_pending = !known->second.facts.build_id.empty();
        replaced.insert(name);
    }
    next_to_check_ = at == used_.end() ? StringId::none : *at;
    return replaced;
}

void KnownImages::describe(SessionInfo& info) const {
    for (const auto& [name, image] : kernel_)
        info.kernel_images.push_back(image);
    for (const StringId name : used_) {
        RecordedImage& recorded = info.images[std::string(names_.text(name))];
        if (const auto file = files_.find(name); file != files_.end())
            recorded = file->second.recorded;
        else
            recorded.deleted = deleted_.contains(name);
    }
}

}  // namespace op::collect
