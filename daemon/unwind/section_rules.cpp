// SPDX-License-Identifier: GPL-2.0-or-later
// Building pages of one section.
#include "daemon/unwind/section_rules.h"

#include "libop/base/error.h"

namespace op::collect {

FrameSection SectionRules::section(const Fd& file) const {
    return {place_.is_compressed ? FrameBytes(bytes_) : FrameBytes(file, place_.offset, place_.size),
            place_.address, place_.is_debug_frame};
}

/// A compressed section that is damaged has no entries. Returns the bytes read.
uint64_t SectionRules::list(const Fd& file) {
    is_listed_ = true;
    if (place_.size > largest_listed_section) {
        list_.is_whole = false;
        return 0;
    }
    if (place_.is_compressed) try {
            bytes_ = read_compressed(file, place_);
        } catch (const Error&) {
            return place_.size;
        }
    list_ = list_entries(section(file), machine_);
    return place_.size + bytes_.size();
}

FrameIndex SectionRules::index(const Fd& file, uint64_t& work) {
    constexpr uint64_t pair_size = 8;
    const FrameSearchTable& search = place_.search;
    if (has_search_table())
        return {search, FrameBytes(file, search.offset, search.count * pair_size), place_.address};
    if (!is_listed_) work += list(file);
    return FrameIndex(list_.entries, list_.is_whole);
}

uint64_t SectionRules::build_page(const Fd& file, LinkAddress address) {
    uint64_t work = 0;
    FrameIndex entries = index(file, work);
    CfiReader reader(section(file), machine_);
    return work + table_.build_page(address, entries, reader);
}

bool SectionRules::begins(const Fd& file, LinkAddress address, uint64_t& work) {
    FrameIndex entries = index(file, work);
    return entries.size() != 0 && entries.at(entries.find(address)).start == address;
}

UnwindRule SectionRules::find_register(const Fd& file, LinkAddress address, uint8_t number, uint64_t& work) {
    FrameIndex entries = index(file, work);
    if (entries.size() == 0) return {};
    const FdePlace entry = entries.at(entries.find(address));
    UnwindMachine followed = machine_;
    followed.followed = number;
    CfiReader reader(section(file), followed);
    std::vector<UnwindRow> rows;
    const LinkAddress end =
        entry.start <= address ? reader.append_rows(entry, address + 1, rows) : entry.start;
    work += reader.work();
    return end <= address || rows.empty() ? UnwindRule{} : rows.back().rule;
}

}  // namespace op::collect
