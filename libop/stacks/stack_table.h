// SPDX-License-Identifier: GPL-2.0-or-later
// One file of a set of stacks, mapped for adding entries and counting. Does not interpret entries, except
// for the counts of nodes. Somebody else may write to the file meanwhile: whatever is in it, no access leaves
// the mapping and no search is endless.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"
#include "libop/base/shared_mapping.h"
#include "libop/session/sample_file.h"
#include "libop/stacks/stack_file_open.h"
#include "libop/stacks/stack_index.h"

namespace op {

/// Readers, and the next writer after a crash, find a sound file after every store. Not thread-safe.
class StackTable {
public:
    /// Opens the file as open_stack_file does, which throws. It has no more than `most` entries, and grows
    /// within `room`, which must outlive the object and does not have the bytes that are there. Throws a
    /// system error if there is no space for any entry, unless `room` is why.
    StackTable(const StackFilePlace& at, const StackEntryCheck& check, uint32_t most, ByteRoom& room,
               Diagnostics& notes);
    StackTable(const StackTable&) = delete;
    StackTable& operator=(const StackTable&) = delete;
    /// Takes the unused end off the file.
    ~StackTable();

    /// The number of the entry with that key, added without samples if it is new; 0 if there is no room.
    uint32_t number_of(uint64_t key) noexcept {
        const uint32_t known = index_.find(entries_, key);
        return known != 0 ? known : append(key);
    }
    /// Counts samples on a node. Returns the number of those counted: there may be no room for all.
    uint32_t count(uint32_t number, uint32_t samples) noexcept;
    /// The next entry tries to grow the file even if that failed a moment ago.
    void retry_growth() noexcept { retry_after_ = 0; }

    /// True if the file was there when it was opened, with all entries that it should have had.
    bool was_intact() const noexcept { return was_intact_; }
    /// The number of entries.
    uint32_t size() const noexcept { return used_; }
    uint64_t entry(uint32_t number) const noexcept;

private:
    uint32_t append(uint64_t key) noexcept;
    uint32_t count_here(uint32_t number, uint32_t samples) noexcept;
    bool has_room() noexcept;
    bool grow() noexcept;
    bool extend(size_t length) noexcept;
    void use_mapping() noexcept;

    const unsigned low_bits_;
    const uint32_t most_;
    ByteRoom& room_;
    bool is_out_of_room_ = false;  ///< the last attempt to grow failed for that
    Fd file_;
    SharedMapping map_;
    uint64_t* entries_ = nullptr;  ///< entry n is entries_[n], from 1
    uint32_t used_;                ///< what the header's `used` should be
    uint32_t capacity_ = 0;        ///< entries that the mapping has room for
    uint32_t retry_after_ = 0;     ///< entries to refuse before the next attempt to grow
    bool was_intact_ = false;
    StackIndex index_;
};

}  // namespace op
