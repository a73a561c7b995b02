// SPDX-License-Identifier: GPL-2.0-or-later
// Images by cookie and by name.
#include "daemon/collect/known_images.h"

#include <elf.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "daemon/source/own_vdso.h"
#include "libop/base/access_policy.h"
#include "libop/base/checksum.h"
#include "libop/base/clock.h"
#include "libop/base/text.h"
#include "libop/session/sample_path.h"

namespace op::collect {

namespace {

/// What the kernel puts into every process.
bool is_the_same_everywhere(std::string_view label) {
    return label == vdso_label || label == "[vsyscall]" || label == "[vectors]" || label == "[sigpage]";
}

/// So many files of one path have names of their own: strangers may make any number.
constexpr size_t most_builds = 64;
/// The driver numbers images upwards and forgets those that were announced after each 16,384 new ones. One
/// that waited then, among 16,384 at most, lives as long again, and as many can wait behind it
/// (kernel/op_image.c): older cookies come in no sample. They are removed many at a time, which looks at all.
constexpr size_t living_cookies = size_t{3} << 14, most_cookies = living_cookies + (size_t{1} << 14);
/// Behind the path for the others together.
constexpr std::string_view other_builds = "@other";

/// It is an ELF file of the recorder's word size.
bool has_own_word_size(const Fd& file) {
    std::array<unsigned char, EI_CLASS + 1> ident{};
    return ::pread(file.get(), ident.data(), ident.size(), 0) == static_cast<ssize_t>(ident.size()) &&
           std::equal(ident.begin(), ident.begin() + SELFMAG, ELFMAG) &&
           ident[EI_CLASS] == (sizeof(void*) == sizeof(uint64_t) ? ELFCLASS64 : ELFCLASS32);
}

/// The file of that path now belongs to root or this user.
bool is_trusted_path(const std::string& path) {
    struct stat st {};
    return ::stat(path.c_str(), &st) == 0 && is_trusted_owner(st.st_uid);
}

/// Behind the path of a file that is not the first one of that path: part of its build-id, else its identity.
std::string name_suffix(const MappedFileFacts& facts) {
    constexpr size_t digits = 12;
    if (!facts.build_id.empty()) return "@" + facts.build_id.substr(0, digits);
    return "@" + hex(facts.id.device) + "-" + hex(facts.id.inode);
}

}  // namespace

/// The checksum of a file without a build-id, if it is known or there is room for such work; else 0.
uint32_t KnownImages::read_checksum(const ImageFile& file, std::string_view path) {
    if (!file.build_id.empty()) return 0;
    if (const auto builds = builds_.find(names_.find(path)); builds != builds_.end())
        for (const StringId name : builds->second)
            if (const KnownFile& known = files_.at(name); known.is_found && known.recorded.checksum != 0 &&
                                                          known.id == file.id &&
                                                          known.changed == file.changed)
                return known.recorded.checksum;
    const uint64_t cost = std::min(file.size, checksum_bytes);
    if (!checksum_room_.of(file.is_here && file.is_trusted).take(cost)) return 0;
    return file_checksum(file.fd, file.size, checksum_bytes).value_or(0);
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
        file.recorded.checksum = read_checksum(*found, file.facts.path);
        file.recorded.deleted |= found->is_deleted;
        file.recorded.root = found->root;
        file.has_own_word_size = has_own_word_size(found->fd);
        file.is_of_host = found->is_here && found->is_trusted;
    }
    file.recorded.build_id = file.facts.build_id;
}

bool KnownImages::is_too_long(std::string_view path) const {
    const auto components = static_cast<size_t>(std::ranges::count(path, '/'));
    if (path.size() > limits_.path || components > limits_.components) return true;
    for (size_t begin = 0; path.size() - begin > limits_.name;) {
        const size_t end = std::min(path.find('/', begin), path.size());
        if (end - begin > limits_.name) return true;
        begin = std::min(end + 1, path.size());
    }
    return false;
}

/// Takes room for a known name once in a run. Returns the name, or that of refused images.
StringId KnownImages::charge(StringId name, bool is_of_host, uint64_t cost) {
    if (charged_.contains(name)) return name;
    if (!room_.of(is_of_host).take(cost)) return ImageRef::refused;
    charged_.insert(name);
    return name;
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
        if (known.is_found && file.is_found && known.id == file.id) known.changed = file.changed;
        if (is_better) {
            file.recorded.path = known.recorded.path;
            file.recorded.several_builds = known.recorded.several_builds;
            if (file.recorded.checksum == 0 && file.recorded.size == known.recorded.size)
                file.recorded.checksum = known.recorded.checksum;
            known = std::move(file);
        }
        return charge(name, known.is_of_host, cost);
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
        return charge(names_.find(text), file.is_of_host, cost);
    while (files_.contains(names_.find(text)))
        text += "'";
    const bool is_long = base_name(text).size() > limits_.name;
    if (is_long || !room_.of(file.is_of_host).take(cost)) return ImageRef::refused;
    const StringId name = names_.intern(text);
    charged_.insert(name);
    const StringId path = names_.intern(file.facts.path);
    builds_[path].push_back(name);
    if (name != path) file.recorded.path = file.facts.path;
    files_[name] = std::move(file);
    return name;
}

void KnownImages::add_earlier(const SessionInfo& earlier) {
    for (const auto& [name, image] : earlier.images) {
        if (name == vdso_label) {
            is_earlier_vdso_known_ = true;
            continue;
        }
        KnownFile file{{.path = image.path.empty() ? name : image.path, .build_id = image.build_id}};
        file.recorded = image;
        file.is_earlier = true;
        file.is_of_host = local_ && !image.elsewhere && is_trusted_path(file.facts.path);
        const StringId id = names_.intern(name);
        charge(id, file.is_of_host, file.cost());
        builds_[names_.intern(file.facts.path)].push_back(id);
        files_.emplace(id, std::move(file));
    }
    for (const RecordedKernelImage& image : earlier.kernel_images)
        earlier_kernel_.insert(image.name);
}

/// Those of a session without a manifest, or of an older version, may be of another kernel.
void KnownImages::note_earlier_files(const std::vector<std::string>& paths) {
    const auto is_of_vdso = [](const std::string& path) {
        const auto name = parse_sample_path(path);
        return name && name->image.kind == ImageName::Kind::anon && name->image.name == vdso_label;
    };
    is_vdso_own_ &= is_earlier_vdso_known_ || std::ranges::none_of(paths, is_of_vdso);
}

StringId KnownImages::number(MappedImage& image, uint32_t tgid, const Region* region) {
    if (image.id_run == run_) return image.id;
    const bool is_kernel = region && region->kind == RegionKind::kernel;
    image.id = image.is_file ? number_file(image, tgid, region) : number_label(image.name, is_kernel);
    image.id_run = run_;
    return image.id;
}

/// A file that had its number in an earlier run needs no look again.
StringId KnownImages::number_file(const MappedImage& image, uint32_t tgid, const Region* region) {
    if (const auto known = files_.find(image.id); known != files_.end())
        return charge(image.id, known->second);
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
    const uint64_t cost = manifest_cost({label});
    const bool is_of_host = is_kernel || is_the_same_everywhere(label);
    if (const StringId name = names_.find(label); name != StringId::none)
        return charge(name, is_of_host, cost);
    if (!room_.of(is_of_host).take(cost)) return ImageRef::refused;
    const StringId name = names_.intern(label);
    charged_.insert(name);
    return name;
}

void KnownImages::begin_run() noexcept {
    used_.clear();
    charged_.clear();
    is_vdso_used_ = false;
    is_vdso_own_ = true;
    room_ = {{limits_.manifest_bytes}, {limits_.manifest_bytes}};
    checksum_room_ = {{limits_.bytes_for_checksums}, {limits_.bytes_for_checksums}};
    ++run_;
}

bool KnownImages::is_of_host(const ImageRef& image) const {
    if (image.kind == RegionKind::kernel) return true;
    if (image.kind == RegionKind::anon) return image.tgid == 0;
    const auto file = files_.find(image.name);
    return file != files_.end() && file->second.is_of_host;
}

bool KnownImages::is_earlier_of_host(std::string_view name) const {
    return earlier_kernel_.contains(name) || is_of_host(ImageRef::file(names_.find(name)));
}

/// What the kernel of another machine maps is known by its build-id alone.
void KnownImages::check_vdso(std::string_view build_id) {
    const std::string& own = own_vdso_build_id();
    is_vdso_own_ &= !own.empty() && (local_ || build_id == own);
}

ImageRef KnownImages::vdso(const char* label, RuntimeAddress end) {
    return {number_label(label), RegionKind::anon, 0, {}, end};
}

ImageRef KnownImages::of(const Region& region, uint32_t tgid) {
    const bool is_anon = region.kind == RegionKind::anon;
    if (is_anon && is_the_same_everywhere(region.image->name)) return of_all(region, tgid);
    const StringId name = number(*region.image, tgid, &region);
    if (!is_anon) return {name, region.kind, 0, {}, {}};
    return {name, region.kind, tgid, region.start, region.end};
}

/// The image of a region that all processes have.
ImageRef KnownImages::of_all(const Region& region, uint32_t tgid) {
    const RuntimeAddress end{region.end - region.start};
    if (region.image->name != vdso_label)
        return {number(*region.image, tgid, &region), region.kind, 0, {}, end};
    if (is_other_vdso(region.start.value())) return vdso(other_vdso_label, end);
    check_vdso(region.image->build_id);
    return vdso(vdso_label, end);
}

void KnownImages::take(const Mapping& mapping) {
    if (mapping.path == no_vmlinux) return;
    kernel_[names_.intern(mapping.path)] = {std::string(mapping.path), mapping.start.value(), mapping.length,
                                            hex(mapping.build_id)};
}

bool KnownImages::take(const ImageCookie& cookie) {
    Cookie now = announced(cookie);
    const auto [it, is_new] = cookies_.try_emplace(cookie.cookie, now);
    Cookie& known = it->second;
    bool changed = !is_new && !known.is_same(now);
    if (!is_new && known.run != 0) {
        // It may be another file of that path.
        now.image = image_of(now);
        now.run = run_;
        changed |= now.image != known.image;
    }
    known = std::move(now);
    if (cookies_.size() > most_cookies)
        std::erase_if(cookies_, [&](const auto& old) { return cookie.cookie - old.first > living_cookies; });
    return changed;
}

bool KnownImages::Cookie::is_same(const Cookie& other) const {
    return is_region == other.is_region && is_deleted == other.is_deleted && tgid == other.tgid &&
           start == other.start && length == other.length && file == other.file && path == other.path;
}

/// The driver reports a file, so it is one, whatever its path looks like.
KnownImages::Cookie KnownImages::announced(const ImageCookie& cookie) const {
    Cookie known{.is_region = cookie.region,
                 .tgid = cookie.tgid,
                 .start = cookie.start,
                 .length = cookie.length,
                 .file = {cookie.device, cookie.inode},
                 .path = std::string(cookie.path)};
    if (!known.is_region && known.path.ends_with(deletion_mark) &&
        !(local_ && is_real_name({0, known.path, known.file}))) {
        known.path.resize(known.path.size() - deletion_mark.size());
        known.is_deleted = true;
    }
    if (known.path.empty()) known.path = "(unnamed)";
    if (known.path.size() > limits_.path) known.path.resize(limits_.path + 1);  // still too long
    return known;
}

/// A file that had its name in an earlier run needs no look again.
ImageRef KnownImages::image_of(const Cookie& cookie) {
    if (cookie.is_region) return region_image(cookie);
    if (const auto known = files_.find(cookie.image.name); known != files_.end())
        return ImageRef::file(charge(known->first, known->second));
    return file_image(cookie);
}

ImageRef KnownImages::region_image(const Cookie& cookie) {
    const MappedPath label = classify_mapped_path(cookie.path);
    const uint64_t start = cookie.start.value();
    const uint64_t end = cookie.length > UINT64_MAX - start ? UINT64_MAX : start + cookie.length;
    const StringId name = number_label(label.kind == RegionKind::anon ? label.name : "anon");
    if (label.name == vdso_label) check_vdso({});
    if (is_the_same_everywhere(label.name))
        return {name, RegionKind::anon, 0, {}, RuntimeAddress{cookie.length}};
    return {name, RegionKind::anon, cookie.tgid, cookie.start, RuntimeAddress{end}};
}

ImageRef KnownImages::file_image(const Cookie& cookie) {
    KnownFile file{{0, cookie.path, cookie.file}};
    file.recorded.deleted = cookie.is_deleted;
    return ImageRef::file(name_of(std::move(file)));
}

const ImageRef* KnownImages::find(uint32_t cookie) {
    const auto it = cookies_.find(cookie);
    if (it == cookies_.end()) return nullptr;
    Cookie& known = it->second;
    if (known.run != run_) known.image = image_of(known);
    known.run = run_;
    return &known.image;
}

/// The driver has one number for libraries of one length. The kernel chooses by the program.
ImageRef KnownImages::in_program(const ImageRef& image, uint32_t app) {
    if (image.kind != RegionKind::anon || !local_ || names_.text(image.name) != vdso_label) return image;
    const ImageRef* const program = app != 0 ? find(app) : nullptr;
    const auto file = program ? files_.find(program->name) : files_.end();
    if (file != files_.end() && file->second.has_own_word_size) return image;
    return vdso(other_vdso_label, image.end);
}

ImagePtr KnownImages::mapped_image(uint32_t cookie) const {
    const auto it = cookies_.find(cookie);
    if (it == cookies_.end()) return nullptr;
    const Cookie& known = it->second;
    auto image = std::make_shared<MappedImage>();
    image->name = known.path;
    image->file = known.file;
    image->is_file = !known.is_region;
    image->is_deleted = known.is_deleted;
    return image;
}

std::string_view KnownImages::path(uint32_t cookie) const noexcept {
    const auto it = cookies_.find(cookie);
    return it == cookies_.end() ? std::string_view() : std::string_view(it->second.path);
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

RecordedImage KnownImages::recorded_vdso() const {
    if (!is_vdso_own_) return {.several_builds = true};
    return {.build_id = own_vdso_build_id(), .size = own_vdso_length()};
}

void KnownImages::describe(SessionInfo& info) const {
    for (const auto& [name, image] : kernel_)
        info.kernel_images.push_back(image);
    for (const StringId name : used_) {
        RecordedImage& recorded = info.images[std::string(names_.text(name))];
        if (const auto file = files_.find(name); file != files_.end()) recorded = file->second.recorded;
    }
    if (is_vdso_used_) info.images[vdso_label] = recorded_vdso();
}

}  // namespace op::collect
