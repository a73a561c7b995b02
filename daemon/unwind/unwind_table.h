// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of one file, for each address of its code, four bytes a row.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "daemon/unwind/cfi_reader.h"
#include "daemon/unwind/unwind_rule.h"
#include "libop/base/address.h"

namespace op::collect {

/// What a section contains, and which entries are about which code: needed only while pages are built.
struct FrameIndex {
    std::vector<std::byte> bytes;
    FrameSection section;            ///< of `bytes`
    std::vector<FdeExtent> entries;  ///< by start

    /// Takes the bytes over. Entries of one start: the last one counts.
    FrameIndex(std::vector<std::byte> section_bytes, LinkAddress address, bool is_debug_frame,
               const UnwindMachine& machine);
    FrameIndex(const FrameIndex&) = delete;
    FrameIndex& operator=(const FrameIndex&) = delete;
    /// About what it takes in memory.
    uint64_t memory() const noexcept;
};

/// Rules by address, in pages of 64 KiB that are built when they are first asked for. Not thread-safe.
class UnwindTable {
public:
    static constexpr unsigned page_bits = 16;

    explicit UnwindTable(const UnwindMachine& machine) : machine_(machine) {}

    /// True if the page of the address was built.
    bool has_page(LinkAddress address) const { return pages_.contains(page_of(address)); }
    void build_page(LinkAddress address, const FrameIndex& index);
    /// The rule for the instruction at an address; `no_info` where no rule or no page exists. Valid until the
    /// next page is built.
    const UnwindRule& find(LinkAddress address) const noexcept;

    size_t rows() const noexcept { return row_count_; }
    /// About what it takes in memory.
    uint64_t memory() const noexcept;

private:
    /// Valid from its address on to that of the next one. The first row of a page begins with the page.
    struct Row {
        uint16_t address;  ///< within the page
        uint16_t rule;     ///< of rules_
    };
    using Page = std::vector<Row>;

    static uint64_t page_of(LinkAddress address) noexcept { return address.value() >> page_bits; }
    uint16_t number_of(const UnwindRule& rule);
    size_t slot_of(const UnwindRule& rule) const noexcept;
    void resize_slots();
    void add_row(Page& page, uint64_t at, const UnwindRule& rule);

    UnwindMachine machine_;
    std::vector<UnwindRule> rules_{UnwindRule{}, UnwindRule{CfaFrom::unsupported}};
    std::vector<uint16_t> slots_;  ///< hash table of numbers of rules_, 0 = free; a power of two
    std::unordered_map<uint64_t, Page> pages_;
    size_t row_count_ = 0;
};

}  // namespace op::collect
