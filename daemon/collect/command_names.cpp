// SPDX-License-Identifier: GPL-2.0-or-later
// Counters by program and name.
#include "daemon/collect/command_names.h"

namespace op::collect {

uint32_t CommandNames::counter(StringId application, std::string_view name) {
    if (application == StringId::none || name.empty()) return unnamed;
    std::pair key{application, std::string(name)};
    if (const auto known = counters_.find(key); known != counters_.end()) return known->second;
    const auto each = counters_each_.find(application);
    const bool is_known = each != counters_each_.end(),
               is_full = counters_.size() >= RecordedNames::most_commands;
    if (is_full && !is_known) return left_out;
    if (is_known && (is_full || each->second >= RecordedNames::most_commands_each)) {
        key.second.clear();
        if (const auto others = counters_.find(key); others != counters_.end()) return others->second;
    } else {
        ++counters_each_[application];
    }
    const auto number = static_cast<uint32_t>(counts_.size());
    counts_.push_back(0);
    counters_.emplace(std::move(key), number);
    return number;
}

void CommandNames::note_thread(uint32_t tgid, uint32_t tid, std::string_view name) {
    if (!name.empty()) threads_.set_thread({tgid, tid}, name);
}

void CommandNames::rename_thread(uint32_t tgid, uint32_t tid, std::string_view name) {
    if (threads_.threads().contains({tgid, tid})) note_thread(tgid, tid, name);
}

void CommandNames::clear() {
    counters_.clear();
    counters_each_.clear();
    counts_ = {0, 0};
    threads_ = {};
}

RecordedNames CommandNames::describe(const StringTable& names) const {
    RecordedNames recorded = threads_;
    for (const auto& [key, number] : counters_)
        recorded.add_command(names.text(key.first), key.second, counts_[number]);
    recorded.add_left_out_samples(counts_[left_out]);
    return recorded;
}

}  // namespace op::collect
