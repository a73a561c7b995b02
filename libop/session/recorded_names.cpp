// SPDX-License-Identifier: GPL-2.0-or-later
// Names and their limits.
#include "libop/session/recorded_names.h"

#include "libop/session/ledger.h"

namespace op {

void RecordedNames::add_command(std::string_view application, std::string_view name, uint64_t samples) {
    if (samples == 0) return;
    Command key{application, name};
    auto known = commands_.find(key);
    if (known == commands_.end()) {
        const auto room = make_room(key);
        if (!room) return add_left_out_samples(samples);
        known = *room;
    }
    known->second = add_saturating(known->second, samples);
}

/// The place of a command that is new here: the program's name "" beyond the limits, nothing beyond the
/// programs'. A row is admitted by how many of its kind there are, so that the order of rows does not matter.
std::optional<RecordedNames::Commands::iterator> RecordedNames::make_room(Command key) {
    size_t names = 0;
    bool is_known = false;
    for (auto at = commands_.lower_bound({key.first, ""});
         at != commands_.end() && at->first.first == key.first; ++at) {
        is_known = true;
        names += !at->first.second.empty();
    }
    const bool is_full = names_ >= most_commands;
    if (!is_known && (programs_ >= most_commands || (is_full && !key.second.empty()))) return std::nullopt;
    if (is_full || names >= most_commands_each) key.second.clear();
    names_ += !key.second.empty();
    programs_ += !is_known;
    return commands_.try_emplace(std::move(key)).first;
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
