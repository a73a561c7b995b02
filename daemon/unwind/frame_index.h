// SPDX-License-Identifier: GPL-2.0-or-later
// Which entry of a section is about which code: by the table that linkers write for that (.eh_frame_hdr of
// the Linux Standard Base), or by a list of all entries where a file has no such table. Foreign bytes: an
// order that is wrong leads to wrong entries of the same section, or none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "daemon/unwind/cfi_reader.h"
#include "daemon/unwind/frame_bytes.h"
#include "libop/base/address.h"

namespace op::collect {

/// A linker's table: pairs of signed 32-bit numbers that are relative to `base`, the address of the code and
/// that of its entry, sorted by the former.
struct FrameSearchTable {
    uint64_t offset = 0, count = 0;  ///< in the file; number of pairs, 0 = the file has no table
    LinkAddress base = {};
};

/// The entries of a section by the start of their code. Not thread-safe.
class FrameIndex {
public:
    /// By a list, sorted by start, which must outlive the object. Not `is_whole`: code that is in no entry
    /// may have rules.
    explicit FrameIndex(std::span<const FdePlace> list, bool is_whole = true) noexcept
        : list_(list), pairs_({}), size_(list.size()), is_whole_(is_whole) {}
    /// By a linker's table, whose pairs `pairs` has, for a section at that address.
    FrameIndex(const FrameSearchTable& table, FrameBytes pairs, LinkAddress section) noexcept
        : pairs_(std::move(pairs)), base_(table.base), section_(section), size_(table.count) {}

    uint64_t size() const noexcept { return size_; }
    bool is_whole() const noexcept { return is_whole_; }
    /// Throws an input or system error if the table cannot be read.
    FdePlace at(uint64_t i);
    /// The last entry that begins at or before the address; 0 if all begin later. Throws as at() does.
    uint64_t find(LinkAddress address);

private:
    std::span<const FdePlace> list_;
    FrameBytes pairs_;
    LinkAddress base_, section_;
    uint64_t size_;
    bool is_whole_ = true;
};

/// All entries of a section.
struct FdeList {
    std::vector<FdePlace> entries;  ///< by start; of those with one start the last one counts
    bool is_whole = true;           ///< false = the section took more reading than is done
};

/// Reads the whole section once. Throws a system error if it cannot be read.
FdeList list_entries(FrameSection section, const UnwindMachine& machine);

}  // namespace op::collect
