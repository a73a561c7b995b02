// SPDX-License-Identifier: GPL-2.0-or-later
// The rules of one file, for each address of its code, four bytes a row.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "daemon/unwind/cfi_reader.h"
#include "daemon/unwind/frame_index.h"
#include "daemon/unwind/unwind_rule.h"
#include "libop/base/address.h"

namespace op::collect {

/// Rules by address, in pages of 64 KiB that are built when they are first asked for. Not thread-safe.
class UnwindTable {
public:
    static constexpr unsigned page_bits = 16;

    /// True if the page of the address was built.
    bool has_page(LinkAddress address) const { return pages_.contains(page_of(address)); }
    /// Builds the page of an address from entries of the reader's section. Returns what that cost, see
    /// CfiReader; code whose turn comes when it is too much is `unsupported`. Throws an input or system error
    /// if the index cannot be read.
    uint64_t build_page(LinkAddress address, FrameIndex& index, CfiReader& reader);
    /// The rule for the instruction at an address; `no_info` where no rule or no page exists. Valid until the
    /// next page is built.
    const UnwindRule& find(LinkAddress address) const noexcept;

    size_t rows() const noexcept { return row_count_; }
    /// About what it takes in memory.
    uint64_t memory() const noexcept {
        constexpr uint64_t a_page = 64;
        return rules_.capacity() * sizeof(UnwindRule) + slots_.capacity() * sizeof(uint16_t) +
               row_count_ * sizeof(Row) + pages_.size() * a_page;
    }

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

    std::vector<UnwindRule> rules_{UnwindRule{}, UnwindRule{CfaFrom::unsupported}};
    std::vector<uint16_t> slots_;  ///< hash table of numbers of rules_, 0 = free; a power of two
    std::unordered_map<uint64_t, Page> pages_;
    size_t row_count_ = 0;
};

}  // namespace op::collect
