// SPDX-License-Identifier: GPL-2.0-or-later
// Finding entries.
#include "daemon/unwind/frame_index.h"

#include <algorithm>

#include "libop/base/bytes.h"

namespace op::collect {

FdePlace FrameIndex::at(uint64_t i) {
    constexpr uint64_t pair_size = 2 * sizeof(int32_t);
    if (!list_.empty()) return list_[i];
    ByteReader in(pairs_.read(i * pair_size, pair_size), "table of call frame information");
    const auto code = static_cast<uint64_t>(int64_t{in.get<int32_t>()});
    const auto entry = static_cast<uint64_t>(int64_t{in.get<int32_t>()});
    return {base_ + code, base_ + entry - section_};
}

uint64_t FrameIndex::find(LinkAddress address) {
    uint64_t first = 0;
    for (uint64_t count = size_; count > 1;) {
        const uint64_t half = count / 2;
        if (at(first + half).start <= address) first += half;
        count -= half;
    }
    return first;
}

FdeList list_entries(FrameSection section, const UnwindMachine& machine) {
    FdeList list;
    // Enough to read every entry, and the common part of each.
    const uint64_t work = 2 * section.bytes.size() + CfiReader::most_work;
    CfiReader reader(std::move(section), machine, work);
    reader.append_entries(list.entries);
    list.is_whole = !reader.is_spent();
    list.entries.shrink_to_fit();
    std::ranges::stable_sort(list.entries, {}, &FdePlace::start);
    return list;
}

}  // namespace op::collect
