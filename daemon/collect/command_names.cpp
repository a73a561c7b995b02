// SPDX-License-Identifier: GPL-2.0-or-later
// Counters by program and name.
#include "daemon/collect/command_names.h"

#include <algorithm>
#include <numeric>

namespace op::collect {

uint32_t CommandNames::counter(StringId application, std::string_view name) {
    if (application == StringId::none || name.empty()) return unnamed;
    const bool is_full = names_ >= RecordedNames::most_commands;
    const auto program = counters_.find(application);
    if (program == counters_.end()) return is_full ? left_out : add_counter(counters_[application], name);
    std::vector<NamedCounter>& known = program->second;
    const auto at = std::ranges::find(known, name, &NamedCounter::name);
    if (at != known.end()) return at->counter;
    if (!is_full && known.size() < RecordedNames::most_commands_each) return add_counter(known, name);
    const auto others = std::ranges::find(known, "", &NamedCounter::name);
    return others != known.end() ? others->counter : add_counter(known, "");
}

uint32_t CommandNames::add_counter(std::vector<NamedCounter>& known, std::string_view name) {
    const auto counter = static_cast<uint32_t>(counts_.size());
    counts_.push_back(0);
    names_ += !name.empty();
    known.push_back({std::string(name), counter});
    return counter;
}

uint64_t CommandNames::total() const noexcept {
    return std::accumulate(counts_.begin(), counts_.end(), uint64_t{0});
}

void CommandNames::note_thread(uint32_t tgid, uint32_t tid, std::string_view name) {
    if (!name.empty()) threads_.set_thread({tgid, tid}, name);
}

void CommandNames::rename_thread(uint32_t tgid, uint32_t tid, std::string_view name) {
    if (threads_.threads().contains({tgid, tid})) note_thread(tgid, tid, name);
}

void CommandNames::clear() {
    counters_.clear();
    counts_.assign(first_named, 0);
    names_ = 0;
    threads_ = {};
}

RecordedNames CommandNames::describe(const StringTable& names) const {
    RecordedNames recorded = threads_;
    for (const auto& [application, known] : counters_)
        for (const auto& [name, counter] : known)
            recorded.add_command(names.text(application), name, counts_[counter]);
    recorded.add_left_out_samples(counts_[left_out]);
    return recorded;
}

}  // namespace op::collect
