// SPDX-License-Identifier: GPL-2.0-or-later
// Further looks at files that are known: whether they changed, are where they were, or can be found now.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "daemon/collect/known_images.h"
#include "daemon/source/own_vdso.h"
#include "libop/base/clock.h"

namespace op::collect {
namespace {

/// What packages install, which the archives of distributions have, as the Filesystem Hierarchy Standard 3.0
/// (2.3, 3 and 4) has it, and the stores of Nix and Guix, where no file is ever replaced. Not /usr/local and
/// /opt.
bool is_of_system(std::string_view path) {
    if (path.starts_with("/usr/local/")) return false;
    constexpr std::string_view directories[] = {"/usr/",       "/bin/",      "/sbin/",   "/lib/",
                                                "/lib32/",     "/lib64/",    "/libx32/", "/boot/",
                                                "/nix/store/", "/gnu/store/"};
    return std::ranges::any_of(directories,
                               [&](std::string_view directory) { return path.starts_with(directory); });
}

}  // namespace

/// The file as it is now, seen through that process. A new link or another mode changes its time, too: its
/// build-id or content shows whether it is what it was.
bool KnownImages::has_other_content(KnownFile& file, uint32_t tgid) {
    KnownFile now{{.tgid = tgid, .path = file.facts.path, .id = file.facts.id}};
    look_for(now);
    if (!file.is_found || !now.is_found || !file.is_same(now)) return true;
    file.changed = now.changed;
    return false;
}

bool KnownImages::has_changed(const MappedImage& image, uint32_t tgid, uint64_t mapped) {
    const auto known = files_.find(image.id);
    if (known == files_.end() || !image.build_id.empty() || !image.file.is_known()) return false;
    KnownFile& file = known->second;
    if (mapped <= file.looked_at) return false;
    const uint64_t before = sample_clock_ns();
    const auto now = change_time(tgid, image.name, image.file);
    const bool is_later = file.facts.mapped != 0 && now > file.facts.mapped;
    const bool has_other_time = now && (file.is_found ? *now != file.changed : is_later);
    const bool has_changed = has_other_time && has_other_content(file, tgid);
    if (now && !has_changed) file.looked_at = before;
    return has_changed;
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
    if (is_further || at.end != 0) {  // a caller's mapping is not known
        file.facts.tgid = at.tgid;
        file.facts.start = at.start;
        file.facts.end = at.end;
    }
    if (is_further) look_for(file);
    file.is_pending = file.recorded.elsewhere && !(file.is_found && file.facts.build_id.empty());
    return file.recorded.elsewhere ? &file.facts : nullptr;
}

bool KnownImages::note_used_vdso(const ImageRef& ref) {
    if (ref.kind != RegionKind::anon || names_.text(ref.name) != vdso_label) return false;
    const bool is_first = !std::exchange(is_vdso_used_, true);
    return is_first && is_vdso_own_ && ref.end.value() == own_vdso_length();
}

void KnownImages::settle(const ImageRef& image) {
    if (const auto file = files_.find(image.name); file != files_.end()) file->second.is_pending = false;
}

/// Other modes or names of a file are no other file, nor is the same build written again.
KnownImages::PathState KnownImages::look_at_path(KnownFile& file) {
    struct stat st {};
    if (::stat(file.facts.path.c_str(), &st) != 0)
        return errno == ENOENT || errno == ENOTDIR ? PathState::elsewhere : PathState::unknown;
    const bool is_same_file = st.st_dev == file.id.device && st.st_ino == file.id.inode;
    const bool is_unchanged = static_cast<uint64_t>(st.st_mtim.tv_sec) == file.recorded.mtime &&
                              static_cast<uint64_t>(st.st_size) == file.recorded.size;
    if (is_same_file && is_unchanged) return PathState::to_it;
    if (file.facts.build_id.empty()) return PathState::elsewhere;
    const auto found = find_image_file({.path = file.facts.path, .build_id = file.facts.build_id}, search_);
    if (!found) return PathState::elsewhere;
    file.id = found->id;
    file.recorded.mtime = found->mtime;
    file.recorded.size = found->size;
    return PathState::to_it;
}

bool KnownImages::is_newly_replaced(KnownFile& file) {
    if (!file.is_found || (file.recorded.elsewhere && !file.is_replaced)) return false;
    const PathState state = look_at_path(file);
    if (state == PathState::unknown || file.is_replaced == (state == PathState::elsewhere)) return false;
    file.is_replaced = file.recorded.elsewhere = state == PathState::elsewhere;
    file.is_pending = file.is_replaced && !file.facts.build_id.empty();
    return file.is_replaced;
}

std::set<StringId> KnownImages::find_replaced(size_t most) {
    std::set<StringId> replaced;
    if (!local_) return replaced;
    auto at = used_.lower_bound(next_to_check_);
    for (most = std::min(most, used_.size()); most > 0; --most) {
        if (at == used_.end()) at = used_.begin();
        const StringId name = *at++;
        const auto known = files_.find(name);
        if (known == files_.end() || !is_newly_replaced(known->second)) continue;
        if (known->second.is_pending) replaced.insert(name);
    }
    next_to_check_ = at == used_.end() ? StringId::none : *at;
    return replaced;
}

std::vector<StringId> KnownImages::own_builds() const {
    std::vector<StringId> names;
    for (const StringId name : used_) {
        const auto known = files_.find(name);
        if (known == files_.end()) continue;
        const KnownFile& file = known->second;
        if (file.is_found && file.is_of_host && !file.recorded.elsewhere && !file.facts.build_id.empty() &&
            !is_of_system(file.facts.path))
            names.push_back(name);
    }
    return names;
}

}  // namespace op::collect
