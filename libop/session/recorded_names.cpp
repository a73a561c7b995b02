// SPDX-License-Identifier: GPL-2.0-or-later
// Names and their limits.
#include "libop/session/recorded_names.h"

#include "libop/session/ledger.h"

namespace op {

void RecordedNames::add_command(std::string_view application, std::string_view name, uint64_t samples) {
    if (samples == 0) return;
    Command key{application, name};
    if (!commands_.contains(key)) {
        size_t names = 0;
        bool is_known = false;
        for (auto at = commands_.lower_bound({key.first, ""});
             at != commands_.end() && at->first.first == key.first; ++at) {
            is_known = true;
            names += !at->first.second.empty();
        }
        const bool is_full = commands_.size() >= most_commands;
        if (is_full && !is_known) return add_left_out_samples(samples);
        if (is_full || names >= most_commands_each) key.second.clear();
    }
    uint64_t& sum = commands_[std::move(key)];
    sum = add_saturating(sum, samples);
}

void RecordedNames::add_left_out_samples(uint64_t samples) noexcept {
    left_out_samples_ = add_saturating(left_out_samples_, samples);
}

void RecordedNames::set_thread(Thread thread, std::string_view name) {
    const auto known = threads_.find(thread);
    if (known != threads_.end())
        known->second = name;
    else if (threads_.size() < most_threads)
        threads_.emplace(thread, name);
    else
        has_left_out_threads_ = true;
}

void RecordedNames::merge(const RecordedNames& newer) {
    for (const auto& [command, samples] : newer.commands_)
        add_command(command.first, command.second, samples);
    for (const auto& [thread, name] : newer.threads_)
        set_thread(thread, name);
    add_left_out_samples(newer.left_out_samples_);
    has_left_out_threads_ |= newer.has_left_out_threads_;
}

}  // namespace op
