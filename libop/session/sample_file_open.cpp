// SPDX-License-Identifier: GPL-2.0-or-later
// Opens sample files for counting: new, sound, to be rebuilt, foreign. New content is written under another
// name and renamed, so that no reader ever finds an incomplete file.
#include "libop/session/sample_file_open.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/session/sample_file_layout.h"
#include "libop/session/sample_file_recover.h"

namespace op {

namespace {

/// Longer than the longest half-grown file: not worth reading through.
constexpr size_t length_limit = sample_file_length(2 * max_sample_slots);

/// Opens the file that is there, if one is.
Fd open_existing(const SampleFilePlace& at) {
    Fd fd = open_at(at.dir, at.name.c_str(), O_RDWR | O_NONBLOCK);
    if (!fd && errno == ELOOP)
        throw Error(ErrorKind::system, at.label + " is a symbolic link, which is not followed here", ELOOP);
    if (!fd && errno != ENOENT) throw_system("cannot open " + at.label);
    return fd;
}

size_t length_of(const Fd& fd, const SampleFilePlace& at) {
    struct stat st {};
    if (::fstat(fd.get(), &st) != 0) throw_system("cannot stat " + at.label);
    if (!S_ISREG(st.st_mode))
        throw Error(ErrorKind::system, at.label + " is in the way: not a regular file", EEXIST);
    check_own_file(st, at.label);
    at.policy.check(st, at.label);
    // a store into a hole needs room, too
    const bool has_holes = static_cast<uint64_t>(st.st_blocks) * 512 < static_cast<uint64_t>(st.st_size);
    if (has_holes && static_cast<uint64_t>(st.st_size) <= length_limit && !reserve_space(fd, 0, st.st_size))
        throw_system("cannot write " + at.label);
    return st.st_size;
}

Fd create_temporary(const SampleFilePlace& at, const std::string& name) {
    for (const bool may_be_left_over : {true, false}) {
        Fd fd = open_at(at.dir, name.c_str(), O_RDWR | O_CREAT | O_EXCL, at.policy.first_file_mode());
        if (fd) at.policy.finish(fd);
        if (fd) return fd;
        const bool is_removed =
            may_be_left_over && errno == EEXIST && ::unlinkat(at.dir.get(), name.c_str(), 0) == 0;
        if (!is_removed) break;
    }
    throw_system("cannot create " + at.label);
}

/// What a file begins with.
struct Content {
    std::vector<SampleEntry> entries;
    bool are_numbered = false;  ///< entry i is to be slot i + 1
};

void fill(SampleTable& table, const Content& content, const SampleFilePlace& at) {
    const std::vector<SampleEntry>& entries = content.entries;
    bool has_room = true;
    for (const SampleEntry& entry : entries) {
        const auto samples = static_cast<uint32_t>(entry.count);
        if (content.are_numbered)
            has_room &= table.append(entry.key, samples);
        else
            table.add(entry.key, samples);
    }
    if (!has_room || table.counts().lost_no_space != 0) throw_system("cannot rebuild " + at.label, ENOSPC);
    if (!entries.empty()) table.sync(at.label);
    table.reset_counts();
}

/// Creates the file with this content, replacing any file of that name. Counts of equal keys are added up
/// unless the slots are numbered.
std::unique_ptr<SampleTable> make(const SampleFilePlace& at, const SampleHeader& header,
                                  const Content& content) {
    const std::string temporary = "." + at.name + ".new";
    Fd fd = create_temporary(at, temporary);
    try {
        auto table = std::make_unique<SampleTable>(std::move(fd), header, at.label);
        fill(*table, content, at);
        if (::renameat(at.dir.get(), temporary.c_str(), at.dir.get(), at.name.c_str()) != 0)
            throw_system("cannot create " + at.label);
        return table;
    } catch (...) {
        ::unlinkat(at.dir.get(), temporary.c_str(), 0);
        throw;
    }
}

void set_aside(const SampleFilePlace& at, const std::string& why, Diagnostics& notes) {
    const std::string damaged = at.name + ".damaged";
    if (::renameat(at.dir.get(), at.name.c_str(), at.dir.get(), damaged.c_str()) != 0)
        throw_system("cannot rename " + at.label);
    notes.warn(why + "; set aside as " + printable(damaged) + ", a new one is begun");
}

std::string fault_of(const SalvagedSamples& found) {
    if (!found.fault.empty()) return found.fault;
    if (found.is_growing) return "it was left half-grown";
    if (found.content.version != sample_version) return "it is of version 0x" + hex(found.content.version);
    return "its hash table does not fit its entries";
}

/// Drops the entries from the first one on that the check refuses, and returns how many samples they had.
uint64_t end_at_fault(std::vector<SampleEntry>& entries, const SlotCheck& check) {
    uint32_t slot = 1;
    const auto first =
        std::ranges::find_if(entries, [&](const SampleEntry& entry) { return !check(slot++, entry.key); });
    uint64_t dropped = 0;
    for (auto entry = first; entry != entries.end(); ++entry)
        dropped += entry->count;
    entries.erase(first, entries.end());
    return dropped;
}

/// The entries to begin with, of a file that cannot be counted in as it is.
Content rescue(const SharedMapping& map, const SampleFilePlace& at, const SlotCheck& check,
               Diagnostics& notes) {
    try {
        SalvagedSamples found =
            salvage_samples(map.bytes(), at.label, check ? SalvagedSlots::all : SalvagedSlots::counted);
        std::vector<SampleEntry>& entries = found.content.entries;
        const uint64_t dropped = check ? end_at_fault(entries, check) : 0;
        notes.warn(at.label + ": rebuilt with " + std::to_string(entries.size()) + " entries, for " +
                   fault_of(found) +
                   (dropped == 0 ? "" : "; " + std::to_string(dropped) + " samples are dropped"));
        return {std::move(entries), bool(check)};
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::input) throw;
        set_aside(at, error.what(), notes);
        return {};
    }
}

}  // namespace

std::unique_ptr<SampleTable> open_sample_table(const SampleFilePlace& at, const SampleHeader& header,
                                               Diagnostics& notes, const SlotCheck& check) {
    Fd fd = open_existing(at);
    const size_t length = fd ? length_of(fd, at) : 0;
    if (length == 0) return make(at, header, {});
    if (length > length_limit) {
        set_aside(at, at.label + ": too long for a sample file", notes);
        return make(at, header, {});
    }
    SharedMapping map(fd, length, at.label);
    if (!is_sound_sample_file(map.bytes(), check)) return make(at, header, rescue(map, at, check, notes));
    map.drop_pages();
    return std::make_unique<SampleTable>(std::move(fd), std::move(map), header);
}

}  // namespace op
