// SPDX-License-Identifier: GPL-2.0-or-later
// Opens sample files for counting: new, sound, to be rebuilt, foreign. New content is written under another
// name and renamed, so that no reader ever finds an incomplete file.
#include "libop/session/sample_file_open.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "libop/base/counted.h"
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

void fill(SampleTable& table, const std::vector<SampleEntry>& entries, const SampleFilePlace& at) {
    for (const SampleEntry& entry : entries)
        table.add(entry.key, static_cast<uint32_t>(entry.count));
    if (table.counts().lost_no_space != 0) throw_system("cannot rebuild " + at.label, ENOSPC);
    if (!entries.empty()) table.sync(at.label);
    table.reset_counts();
}

/// Creates the file with these entries, replacing any file of that name. Counts of equal keys are added up.
std::unique_ptr<SampleTable> make(const SampleFilePlace& at, const SampleHeader& header,
                                  const std::vector<SampleEntry>& entries) {
    const std::string temporary = "." + at.name + ".new";
    Fd fd = create_temporary(at, temporary);
    try {
        auto table = std::make_unique<SampleTable>(std::move(fd), header, at.label);
        fill(*table, entries, at);
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

/// The sound entries of a file that cannot be counted in as it is.
std::vector<SampleEntry> rescue(const SharedMapping& map, const SampleFilePlace& at, Diagnostics& notes) {
    try {
        SalvagedSamples found = salvage_samples(map.bytes(), at.label);
        notes.warn(at.label + ": rebuilt with " + counted(found.content.entries.size(), "entry", "entries") +
                   ", for " + fault_of(found));
        return std::move(found.content.entries);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::input) throw;
        set_aside(at, error.what(), notes);
        return {};
    }
}

}  // namespace

std::unique_ptr<SampleTable> open_sample_table(const SampleFilePlace& at, const SampleHeader& header,
                                               Diagnostics& notes) {
    Fd fd = open_existing(at);
    const size_t length = fd ? length_of(fd, at) : 0;
    if (length == 0) return make(at, header, {});
    if (length > length_limit) {
        set_aside(at, at.label + ": too long for a sample file", notes);
        return make(at, header, {});
    }
    SharedMapping map(fd, length, at.label);
    if (!is_sound_sample_file(map.bytes())) return make(at, header, rescue(map, at, notes));
    map.drop_pages();
    return std::make_unique<SampleTable>(std::move(fd), std::move(map), header);
}

}  // namespace op
