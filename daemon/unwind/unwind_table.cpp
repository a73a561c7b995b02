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
    // By an eighth: a small file has hundreds of rules, which are five times as large as a row.
    if (rules_.size() == rules_.capacity()) rules_.reserve(rules_.size() + rules_.size() / 8 + 16);
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

uint64_t UnwindTable::build_page(LinkAddress address, FrameIndex& index, CfiReader& reader) {
    const uint64_t number = page_of(address), start = number << page_bits, end = start + (page_size - 1);
    const LinkAddress first{start}, stop = first + page_size;
    const UnwindRule unknown{CfaFrom::unsupported}, other = index.is_whole() ? UnwindRule{} : unknown;
    Page page{{0, number_of(other)}};
    std::vector<UnwindRow> rows;
    const auto within = [&](LinkAddress at) { return std::max(at.value(), start) - start; };
    uint64_t i = index.find(first);
    FdePlace next = i < index.size() ? index.at(i) : FdePlace{};
    for (; i < index.size() && next.start.value() <= end; ++i) {
        const FdePlace entry = next;
        if (i + 1 < index.size()) next = index.at(i + 1);
        if (reader.is_spent()) {
            add_row(page, within(entry.start), unknown);
            break;
        }
        rows.clear();
        const uint64_t after = reader.append_rows(entry, stop, rows).value();
        if (after <= start) continue;
        for (const UnwindRow& row : rows)
            add_row(page, within(row.start), row.rule);
        const bool is_followed = i + 1 < index.size() && next.start.value() < after + alignment;
        if (!is_followed && after <= end) add_row(page, after - start, other);
    }
    page.shrink_to_fit();
    row_count_ += page.size();
    pages_.emplace(number, std::move(page));
    return reader.work();
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

}  // namespace op::collect
