// SPDX-License-Identifier: GPL-2.0-or-later
// Limits as times of the next look.
#include "daemon/source/gap_filler.h"

#include <algorithm>

#include "daemon/source/kernel_map.h"
#include "libop/base/clock.h"

namespace op::collect {
namespace {

/// Not a process: the kernel's own modules in the table.
constexpr uint32_t kernel_slot = 0;
constexpr uint64_t second = 1'000'000'000;
constexpr size_t look_limit = 4096;
/// What a look costs besides what it reads, as bytes: opening files.
constexpr uint64_t look_bytes = 8192;

/// Of one look at all processes, during which no record is taken.
constexpr uint64_t all_bytes = uint64_t{32} << 20;

/// How long it takes, at so many bytes a second.
uint64_t time_for(uint64_t bytes, uint64_t bytes_a_second) {
    return bytes * (second / 1000) / (bytes_a_second / 1000);
}

}  // namespace

bool GapFiller::is_due(uint32_t tgid, uint64_t now) {
    if (next_look_.size() > look_limit) next_look_.clear();
    if (now < next_any_) return false;
    const auto it = next_look_.find(tgid);
    return it == next_look_.end() || now >= it->second;
}

void GapFiller::charge(uint32_t tgid, uint64_t now, uint64_t read) {
    const uint64_t bytes = look_bytes + read;
    next_any_ = std::max(next_any_, now - std::min(now, second)) + time_for(bytes, bytes_a_second);
    next_look_[tgid] = now + std::max(second, time_for(bytes, process_bytes_a_second));
}

std::optional<std::span<const Record>> GapFiller::operator()(const Sample& sample, Gap gap) {
    const uint32_t who = gap == Gap::module ? kernel_slot : sample.tgid;
    const uint64_t now = sample.time ? sample.time : sample_clock_ns();
    if (!is_due(who, now)) return std::nullopt;
    list_.clear();
    ScanBudget budget(ScanBudget::of_process);
    Look look = Look::done;
    if (gap == Gap::module)
        add_module_records(list_);
    else
        look = (gap == Gap::mapping ? scan_mappings : scan_process)(sample.tgid, sample.tid, budget, list_);
    charge(who, now, std::max<uint64_t>(budget.spent(), list_.bytes()));
    if (look == Look::refused) return std::nullopt;
    return list_.records();
}

std::span<const Record> LossScan::operator()(std::span<const Record> records, uint64_t now) {
    list_.clear();
    is_wanted_ |= std::ranges::any_of(
        records, [](const Record& record) { return std::holds_alternative<LostSideBand>(record); });
    if (!is_wanted_ || now < next_look_) return {};
    is_wanted_ = false;
    ScanBudget budget(all_bytes);
    scan_all_processes(budget, list_);
    next_look_ = now + std::max(second, time_for(budget.spent(), GapFiller::bytes_a_second / 4));
    return list_.records();
}

}  // namespace op::collect
