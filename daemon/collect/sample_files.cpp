// SPDX-License-Identifier: GPL-2.0-or-later
// Opening, naming and closing of sample files.
#include "daemon/collect/sample_files.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "libop/base/error.h"

namespace op::collect {
namespace {

void add_counts(SampleFileCounts& sum, const SampleFileCounts& n) {
    sum.stored += n.stored;
    sum.lost_saturated += n.lost_saturated;
    sum.lost_no_space += n.lost_no_space;
    sum.lost_limit += n.lost_limit;
}

/// Of a directory, or a file before it grows: a block of the file system.
constexpr uint64_t bytes_of_name = 4096;

void mix(size_t& hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL + (hash >> 29);
}

void mix(size_t& hash, const ImageRef& image) {
    mix(hash, static_cast<uint64_t>(image.name) << 8 | static_cast<uint64_t>(image.kind));
    if (image.kind == RegionKind::anon) mix(hash, image.start.value() ^ image.tgid);
}

/// The number of names on a path that another one does not have.
uint64_t names_beyond(std::string_view path, std::string_view other) {
    const auto [begin, ignored] = std::ranges::mismatch(path, other);
    return static_cast<uint64_t>(std::count(begin, path.end(), '/')) + 1;
}

/// The path that identifies a file; the parts of a name that cannot be spelled (and so not opened).
std::string spelled(const SampleName& name) {
    try {
        return mangle(name);
    } catch (const Error&) {
        return name.app.name + '\0' + name.image.name + '\0' + (name.callee ? name.callee->name : "");
    }
}

/// How many more files may be open, less what everything else needs now and then: directories on the way to a
/// sample file, manifest, files of /proc, images whose build-id is read.
size_t spare_descriptors() {
    constexpr size_t kept_free = 16, least = 1;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return least;
    std::error_code error;
    const std::filesystem::directory_iterator open("/proc/self/fd", error), end;
    const size_t used = kept_free + std::distance(open, end);
    return limit.rlim_cur > used + least ? limit.rlim_cur - used : least;
}

uint64_t anon_start(const ImageRef& image) {
    return image.kind == RegionKind::anon ? image.start.value() : 0;
}

}  // namespace

size_t FileKeyHash::operator()(const FileKey& key) const noexcept {
    size_t hash = key.event;
    mix(hash, key.app);
    mix(hash, key.image);
    mix(hash, key.callee);
    mix(hash, static_cast<uint64_t>(key.tgid) << 32 | key.tid);
    mix(hash, key.cpu);
    return hash;
}

SampleFiles::SampleFiles(SessionWriter& session, const SessionInfo& session_info, const StringTable& names,
                         const KnownImages& images, size_t limit, Diagnostics& notes,
                         const ImageLimits& limits)
    : session_(session),
      info_(session_info),
      names_(names),
      images_(images),
      notes_(notes),
      limit_(std::min(limit, spare_descriptors())),
      share_(limits.file_bytes) {}

void SampleFiles::begin_run() noexcept {
    closed_ = {};
    room_ = {{share_}, {share_}};
}

ByteRoom& SampleFiles::room_of(const FileKey& key) {
    const bool is_of_host = images_.is_of_host(key.app) && images_.is_of_host(key.image) &&
                            (key.callee.name == StringId::none || images_.is_of_host(key.callee));
    return room_.of(is_of_host);
}

bool SampleFiles::is_of_host(const ImageName& image) const {
    if (image.kind == ImageName::Kind::file) return images_.is_earlier_of_host(image.name);
    return image.kind == ImageName::Kind::kernel || image.tgid == 0;
}

void SampleFiles::count_earlier(const std::vector<std::string>& paths) {
    std::string_view before;
    for (const std::string& path : paths) {
        const auto name = parse_sample_path(path);
        if (!name) continue;
        const bool is_all_of_host =
            is_of_host(name->app) && is_of_host(name->image) && (!name->callee || is_of_host(*name->callee));
        ByteRoom& room = room_.of(is_all_of_host);
        const uint64_t cost = names_beyond(path, before) * bytes_of_name + session_.length_of(path);
        room.bytes -= std::min(room.bytes, cost);
        before = path;
    }
}

SampleFile* SampleFiles::get(const FileKey& key) {
    auto it = by_key_.find(key);
    if (it == by_key_.end()) it = by_key_.emplace(key, find_or_open(key)).first;
    Entries& entries = list_of(*it->second);
    entries.splice(entries.begin(), entries, it->second);
    return it->second->file ? &*it->second->file : nullptr;
}

SampleFiles::Entries::iterator SampleFiles::find_or_open(const FileKey& key) {
    const SampleName sample_name = name(key);
    std::string path = spelled(sample_name);
    if (const auto open_already = by_path_.find(path); open_already != by_path_.end()) {
        open_already->second->keys.push_back(key);
        return open_already->second;
    }
    Entries entry;
    entry.push_front({std::move(path), {key}, std::nullopt});
    open(entry.front(), sample_name, header(key), room_of(key));
    Entries& entries = list_of(entry.front());
    if (entries.size() >= limit_) close_oldest(entries);
    entries.splice(entries.begin(), entry);
    by_path_.emplace(entries.front().path, entries.begin());
    return entries.begin();
}

void SampleFiles::open(Entry& entry, const SampleName& name, const SampleHeader& header, ByteRoom& room) {
    for (;;) {
        const uint64_t room_before = room.bytes;
        size_t to_make = 0;
        try {
            to_make = session_.names_to_make(name);
            entry.is_over_limit = !room.take(to_make * bytes_of_name);
            if (entry.is_over_limit) return;
            entry.file = session_.open_sample_file(name, header, notes_);
            entry.file->limit_growth(room);
            return;
        } catch (const Error& e) {
            // The directories that were made stay. A name that cannot be spelled throws before any is.
            const size_t made = to_make == 0 ? 0 : to_make - std::min(to_make, session_.names_to_make(name));
            room.bytes = room_before - made * bytes_of_name;
            if ((e.code() == EMFILE || e.code() == ENFILE) && close_some()) continue;
            entry.error = e.code();
            note_failure(
                (entry.holds_arcs() ? "call-graph arcs lost: " : "samples lost: ") + std::string(e.what()),
                e.code());
            return;
        }
    }
}

/// A full disk refuses every file; one warning is enough.
void SampleFiles::note_failure(const std::string& what, int error) {
    if (!noted_failures_.insert(error).second) return;
    notes_.warn(what + " (further failures of this kind are counted, not printed)");
}

LossCause SampleFiles::failure() const noexcept {
    if (!unopened_.empty() && unopened_.front().is_over_limit) return LossCause::image_limit;
    const int error = unopened_.empty() ? 0 : unopened_.front().error;
    return error == ENOSPC || error == EDQUOT ? LossCause::disk_full : LossCause::sample_file;
}

bool SampleFiles::close_some() {
    const size_t quarter = (open_.size() + 3) / 4;
    for (size_t n = 0; n < quarter; ++n)
        close_oldest(open_);
    return quarter > 0;
}

void SampleFiles::close(Entries::iterator entry) {
    Entries& entries = list_of(*entry);
    add(closed_, *entry);
    for (const FileKey& key : entry->keys)
        by_key_.erase(key);
    by_path_.erase(entry->path);
    if (entry->file) ++generation_;
    entries.erase(entry);
}

void SampleFiles::close_all() {
    for (Entries* entries : {&open_, &unopened_})
        while (!entries->empty())
            close_oldest(*entries);
}

void SampleFiles::forget_unopened() {
    noted_failures_.clear();
    while (!unopened_.empty())
        close_oldest(unopened_);
}

void SampleFiles::add(StoredCounts& sum, Entry& entry) {
    if (entry.file) add_counts(entry.holds_arcs() ? sum.arcs : sum.samples, entry.file->flush_and_count());
}

StoredCounts SampleFiles::flush_and_count() {
    StoredCounts sum = closed_;
    for (Entry& entry : open_)
        add(sum, entry);
    return sum;
}

SampleHeader SampleFiles::header(const FileKey& key) const {
    const RecordedEvent& event = info_.events.at(key.event);
    SampleHeader h;
    h.cpu_type = info_.cpu_type;
    h.event_code = event.code;
    h.unit_mask = static_cast<uint32_t>(event.unit_mask);
    h.count = static_cast<uint32_t>(event.count);
    h.is_kernel = key.image.kind == RegionKind::kernel;
    h.cpu_speed_mhz = info_.cpu_speed_mhz;
    h.mtime = images_.mtime(key.image);
    h.cg_to_is_kernel = key.callee.name != StringId::none && key.callee.kind == RegionKind::kernel;
    h.anon_start = anon_start(key.image);
    h.cg_to_anon_start = anon_start(key.callee);
    return h;
}

SampleName SampleFiles::name(const FileKey& key) const {
    const SampleClass of = class_name({key.event, key.tgid, key.tid, key.cpu}, info_);
    SampleName name;
    name.app = image_name(key.app, names_);
    name.image = image_name(key.image, names_);
    if (key.callee.name != StringId::none) name.callee = image_name(key.callee, names_);
    name.event = of.event;
    name.count = of.count;
    name.unit_mask = of.unit_mask;
    name.tgid = of.tgid;
    name.tid = of.tid;
    name.cpu = of.cpu;
    return name;
}

}  // namespace op::collect
