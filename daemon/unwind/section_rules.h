// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of one section of call frame information, built from its file as they are asked for.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/unwind/elf_frames.h"
#include "daemon/unwind/frame_index.h"
#include "daemon/unwind/unwind_table.h"
#include "libop/base/fd.h"

namespace op::collect {

/// Keeps rules, and of a section without a linker's table a list of its entries. Not thread-safe.
class SectionRules {
public:
    SectionRules(const FrameSectionPlace& place, const UnwindMachine& machine)
        : place_(place), machine_(machine) {}

    bool has_page(LinkAddress address) const { return table_.has_page(address); }
    /// See UnwindTable. Of a section that is too large to be read every rule is `unsupported`.
    const UnwindRule& find(LinkAddress address) const noexcept { return table_.find(address); }
    /// Builds the page of an address and returns what that cost, in bytes read and instructions executed.
    /// Throws a system or input error if the file cannot be read.
    uint64_t build_page(const Fd& file, LinkAddress address);
    /// The rule for an address with another register in the place of the frame pointer, read from the file;
    /// `no_info` where no entry has the address. Adds what that cost to `work`. Throws as build_page() does.
    UnwindRule find_register(const Fd& file, LinkAddress address, uint8_t number, uint64_t& work);
    /// True if an entry, which is that of a function, begins at the address. Costs and throws as
    /// find_register() does.
    bool begins(const Fd& file, LinkAddress address, uint64_t& work);
    /// The pages alone are forgotten.
    void forget_pages() { table_ = {}; }
    /// Everything is forgotten.
    void forget() { *this = SectionRules(place_, machine_); }

    size_t rows() const noexcept { return table_.rows(); }
    /// About what the pages take in memory.
    uint64_t page_memory() const noexcept { return table_.memory(); }
    /// The same with all else.
    uint64_t memory() const noexcept {
        return page_memory() + bytes_.capacity() + list_.entries.capacity() * sizeof(FdePlace);
    }

private:
    bool has_search_table() const noexcept { return place_.search.count != 0; }
    FrameSection section(const Fd& file) const;
    FrameIndex index(const Fd& file, uint64_t& work);
    uint64_t list(const Fd& file);

    FrameSectionPlace place_;
    UnwindMachine machine_;
    UnwindTable table_;
    std::vector<std::byte> bytes_;  ///< of a compressed section
    FdeList list_;
    bool is_listed_ = false;
};

}  // namespace op::collect
