// SPDX-License-Identifier: GPL-2.0-or-later
// Looking in one place after the other.
#include "daemon/jit/imported_files.h"

#include <sys/stat.h>

#include "libop/base/clock.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::collect {
namespace {

/// A recording may name any number.
constexpr size_t most_names = 65536;

Fd open(const std::string& path) try { return open_regular(path); } catch (const Error&) {
    return {};
}

}  // namespace

void ImportedFiles::note(const RecordedDump& dump) {
    if (by_name_.size() >= most_names) return;
    const auto [known, is_new] = by_name_.try_emplace(std::string(base_name(dump.path)), dump);
    if (!is_new && known->second != dump) known->second.reset();
}

FoundFile ImportedFiles::find_in(const std::string& directory, const std::string& name) const {
    if (directory.empty()) return {};
    std::string path = directory + "/" + name;
    Fd file = open(path);
    return file ? FoundFile{std::move(file), std::move(path)} : FoundFile{};
}

FoundFile ImportedFiles::find(const RecordedDump& dump) const {
    // The process may have another number for itself.
    const std::string name(base_name(dump.path));
    const auto known = by_name_.find(name);
    if (known != by_name_.end() && known->second)
        for (const std::string& directory : {places_.directory, places_.beside})
            if (FoundFile found = find_in(directory, name); found.file) return found;
    if (Fd file = open_recorded(dump)) return {std::move(file), dump.path};
    return {};
}

/// The path leads to what another process of that number wrote, unless it is the mapped file.
Fd ImportedFiles::open_recorded(const RecordedDump& dump) const {
    if (!places_.is_same_host || !dump.file.is_known() || !dump.path.starts_with('/')) return {};
    Fd file = open(dump.path);
    struct stat st {};
    if (!file || ::fstat(file.get(), &st) != 0) return {};
    const FileIdentity found{st.st_dev, st.st_ino};
    return dump.file.may_be(found) ? std::move(file) : Fd();
}

FoundFile ImportedFiles::find_dump(uint32_t tgid) const {
    return find_in(places_.directory, "jit-" + std::to_string(tgid) + ".dump");
}

FoundFile ImportedFiles::find_map(uint32_t tgid, Diagnostics& notes) const {
    FoundFile map = find_in(places_.directory, "perf-" + std::to_string(tgid) + ".map");
    struct stat st {};
    if (!map.file || ::fstat(map.file.get(), &st) != 0) return {};
    if (nanoseconds(st.st_mtim) >= places_.began) return map;
    notes.warn(printable(map.path) + " is not used: it is older than the recording");
    return {};
}

}  // namespace op::collect
