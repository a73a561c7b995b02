// SPDX-License-Identifier: GPL-2.0-or-later
// Building pages of rules and looking them up.
#include "daemon/unwind/unwind_table.h"

#include <algorithm>
#include <bit>

namespace op::collect {

namespace {

constexpr uint16_t no_info = 0, unsupported = 1, first_own = 2;
constexpr uint64_t page_size = uint64_t{1} << UnwindTable::page_bits;
/// Functions are aligned to this; the bytes between two of them are the first one's for a walk.
constexpr uint64_t alignment = 16;

}  // namespace

FrameIndex::FrameIndex(std::vector<std::byte> section_bytes, LinkAddress address, bool is_debug_frame,
                       const UnwindMachine& machine)
    : bytes(std::move(section_bytes)), section{bytes, address, is_debug_frame} {
    entries = CfiReader(section, machine).entries();
    std::ranges::stable_sort(entries, {}, &FdeExtent::start);
}

uint64_t FrameIndex::memory() const noexcept {
    return bytes.size() + entries.capacity() * sizeof(FdeExtent);
}

/// The slot that holds the rule's number, or the free one where it belongs.
size_t UnwindTable::slot_of(const UnwindRule& rule) const noexcept {
    const size_t mask = slots_.size() - 1;
    size_t slot = UnwindRuleHash()(rule) & mask;
    while (slots_[slot] != 0 && rules_[slots_[slot]] != rule)
        slot = (slot + 1) & mask;
    return slot;
}

void UnwindTable::resize_slots() {
    slots_.assign(std::bit_ceil(2 * rules_.size() + 1), 0);
    for (size_t i = first_own; i < rules_.size(); ++i)
        slots_[slot_of(rules_[i])] = static_cast<uint16_t>(i);
}

uint16_t UnwindTable::number_of(const UnwindRule& rule) {
    if (rule.cfa == CfaFrom::no_info) return no_info;
    if (rule.cfa == CfaFrom::unsupported) return unsupported;
    if (4 * rules_.size() >= 3 * slots_.size()) resize_slots();
    uint16_t& slot = slots_[slot_of(rule)];
    if (slot != 0) return slot;
    if (rules_.size() > UINT16_MAX) return unsupported;
    slot = static_cast<uint16_t>(rules_.size());
    rules_.push_back(rule);
    return slot;
}

void UnwindTable::add_row(Page& page, uint64_t at, const UnwindRule& rule) {
    const uint16_t number = number_of(rule);
    const auto address = static_cast<uint16_t>(at);
    while (!page.empty() && page.back().address >= address)
        page.pop_back();  // overlaid by a later entry
    if (page.empty() || page.back().rule != number) page.push_back({address, number});
}

void UnwindTable::build_page(LinkAddress address, const FrameIndex& index) {
    const uint64_t number = page_of(address), start = number << page_bits, end = start + (page_size - 1);
    Page page{{0, no_info}};
    CfiReader reader(index.section, machine_);
    std::vector<UnwindRow> rows;
    const auto& all = index.entries;
    auto entry = std::ranges::upper_bound(all, LinkAddress{start}, {}, &FdeExtent::start);
    if (entry != all.begin()) --entry;
    for (; entry != all.end() && entry->start.value() <= end; ++entry) {
        if (entry->end.value() <= start) continue;
        rows.clear();
        reader.append_rows(*entry, rows);
        for (const UnwindRow& row : rows)
            if (row.start.value() <= end) add_row(page, std::max(row.start.value(), start) - start, row.rule);
        const auto next = entry + 1;
        const uint64_t after = entry->end.value();
        const bool is_followed = next != all.end() && next->start.value() < after + alignment;
        if (!is_followed && after <= end) add_row(page, after - start, UnwindRule{});
    }
    page.shrink_to_fit();
    row_count_ += page.size();
    pages_.emplace(number, std::move(page));
}

const UnwindRule& UnwindTable::find(LinkAddress address) const noexcept {
    const auto it = pages_.find(page_of(address));
    if (it == pages_.end()) return rules_[no_info];
    const Row* row = it->second.data();
    const auto at = static_cast<uint16_t>(address.value());
    for (size_t count = it->second.size(); count > 1;) {  // without branches that depend on the data
        const size_t half = count / 2;
        row += row[half].address <= at ? half : 0;
        count -= half;
    }
    return rules_[row->rule];
}

uint64_t UnwindTable::memory() const noexcept {
    uint64_t bytes = rules_.capacity() * sizeof(UnwindRule) + slots_.capacity() * sizeof(uint16_t);
    for (const auto& [number, page] : pages_)
        bytes += page.capacity() * sizeof(Row) + 64;
    return bytes;
}

}  // namespace op::collect
