// SPDX-License-Identifier: GPL-2.0-or-later
// Files of call stacks: new, sound, to be ended earlier, foreign. All of it happens in place: a file is sound
// at any moment, also an empty one and one with bytes behind its entries.
#include "libop/stacks/stack_file_open.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "libop/base/counted.h"
#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op {

namespace {

Fd open_own(const StackFilePlace& at, uint64_t& length) {
    Fd file = open_at(at.dir, at.name.c_str(), O_RDWR | O_CREAT | O_NONBLOCK, at.policy.first_file_mode());
    struct stat st {};
    if (!file || ::fstat(file.get(), &st) != 0) throw_system("cannot open " + at.label);
    check_own_file(st, at.label);
    at.policy.check(st, at.label);
    length = static_cast<uint64_t>(st.st_size);
    if (length == 0) at.policy.finish(file);
    return file;
}

void begin(const Fd& file, const StackFilePlace& at) {
    const RawStackFileHeader header{stack_file_magic, stack_file_version, static_cast<uint32_t>(at.kind), 0};
    if (::pwrite(file.get(), &header, sizeof header, 0) == sizeof header) return;
    const int error = errno;
    [[maybe_unused]] const int ignored = ::ftruncate(file.get(), 0);
    throw_system("cannot write " + at.label, error);
}

/// The number of entries before the first refused one. Adds the counts of the others to `samples`.
uint32_t end_of(const StackEntries& entries, const StackEntryCheck& check, uint64_t& samples) {
    uint32_t end = 1;
    while (end <= entries.size() && check(end, entries[end]))
        ++end;
    for (uint32_t number = end; number <= entries.size(); ++number)
        samples += parse_stack_node(entries[number]).count;
    return end - 1;
}

void set_used(const SharedMapping& map, uint32_t used) {
    std::memcpy(map.bytes().data() + offsetof(RawStackFileHeader, used), &used, sizeof used);
}

struct Beginning {
    uint32_t used;
    bool is_whole;
};

/// The entries to go on with; none, with a warning, if the file is of another kind.
std::optional<Beginning> sound_entries(const SharedMapping& map, const StackFilePlace& at,
                                       const StackEntryCheck& check, Diagnostics& notes) {
    try {
        const ParsedStackFile found = parse_stack_file(map.bytes(), at.kind, at.label);
        uint64_t samples = 0;
        const uint32_t used = end_of(found.entries, check, samples);
        const bool is_ended = used < found.entries.size();
        if (!is_ended && found.fault.empty()) return Beginning{used, true};
        notes.warn(at.label + ": ends with entry " + std::to_string(used) + " from now on, for " +
                   (is_ended ? "the next one cannot be" : found.fault) +
                   (at.kind == StackFileKind::nodes && samples != 0
                        ? "; " + counted(samples, "sample is dropped", "samples are dropped")
                        : ""));
        set_used(map, used);
        return Beginning{used, false};
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::input) throw;
        notes.warn(std::string(error.what()) + "; set aside as " + printable(at.name) +
                   ".damaged, a new one is begun");
        return std::nullopt;
    }
}

void set_aside(const StackFilePlace& at) {
    const std::string damaged = at.name + ".damaged";
    if (::renameat(at.dir.get(), at.name.c_str(), at.dir.get(), damaged.c_str()) != 0)
        throw_system("cannot rename " + at.label);
}

}  // namespace

OpenStackFile open_stack_file(const StackFilePlace& at, const StackEntryCheck& check, Diagnostics& notes) {
    uint64_t length = 0;
    Fd file = open_own(at, length);
    if (length > stack_file_limit) {
        notes.warn(at.label + ": too long for a file of call stacks; set aside as " + printable(at.name) +
                   ".damaged, a new one is begun");
    } else if (length != 0) {
        // a store into a hole needs room, too
        if (!reserve_space(file, 0, length)) throw_system("cannot write " + at.label);
        SharedMapping map(file, length, at.label);
        if (const auto found = sound_entries(map, at, check, notes)) {
            const size_t needed = stack_file_length(found->used);
            if (!trim_stack_file(file, found->used) || !map.resize(needed))
                throw_system("cannot write " + at.label);
            return {std::move(file), std::move(map), found->used, found->is_whole};
        }
    }
    if (length != 0) {
        set_aside(at);
        file = open_own(at, length);
    }
    begin(file, at);
    SharedMapping map(file, stack_file_length(0), at.label);
    return {std::move(file), std::move(map), 0, false};
}

bool trim_stack_file(const Fd& file, uint32_t entries) noexcept {
    return ::ftruncate(file.get(), static_cast<off_t>(stack_file_length(entries))) == 0;
}

}  // namespace op
