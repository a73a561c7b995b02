// SPDX-License-Identifier: GPL-2.0-or-later
// Follows a session directory.
#include "utils/optop/live_session.h"

#include <sys/stat.h>

#include <algorithm>

#include "libop/base/directory.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "libop/session/session_lock.h"

namespace op::tool {

namespace {

/// True if `path` leads to the open directory.
bool leads_to(const std::string& path, const Fd& dir) noexcept {
    struct stat there {
    }, open{};
    return ::stat(path.c_str(), &there) == 0 && ::fstat(dir.get(), &open) == 0 && is_same_file(there, open);
}

}  // namespace

LiveSession::LiveSession(const std::string& session_dir, size_t most_open)
    : dir_(session_dir), path_(session_dir + "/samples/" + current_session), most_open_(most_open) {}

/// Opens the directory that is there now, if it is another one than before; false if there is no directory.
bool LiveSession::reopen(LiveState& state) {
    if (reader_ && leads_to(path_, reader_->directory())) return true;
    std::optional<SessionReader> found;
    try {
        found.emplace(path_);
    } catch (const Error& error) {
        if (!is_gone(error.code())) throw;
        return false;
    }
    state.has_restarted = reader_.has_value();
    reader_ = std::move(found);
    tree_.emplace(path_, most_files);
    files_.clear();
    ++generation_;
    return true;
}

LiveState LiveSession::look(double now) {
    LiveState state;
    state.is_recorded = is_session_in_use(dir_);
    state.is_there = reopen(state);
    if (!reader_) return state;
    ++looks_;
    bool has_news = state.has_restarted;
    if (state.is_there) {
        find_files(state);
        has_news |= read_files(state);
    }
    if (has_news || looks_ == 1 || (state.is_there && (state.is_recorded || was_recorded_)))
        remember(now, state.has_restarted);
    else
        --looks_;
    was_recorded_ = state.is_recorded;
    return state;
}

void LiveSession::find_files(LiveState& state) {
    for (const std::string& path : tree_->find_new(reader_->directory())) {
        const auto name = parse_sample_path(path);
        if (!name || name->callee) continue;
        files_.try_emplace(
            path, LiveFile{*name, event_number(*name), name_number(name->image), name_number(name->app),
                           next_number_++, FollowedFile(path, printable(path_ + "/" + path))});
    }
    state.has_files_left_out = tree_->is_full();
}

/// True if any file has other samples than before.
bool LiveSession::read_files(LiveState& state) {
    bool has_news = false;
    Diagnostics ignored;  // an unread file is counted
    std::string buffer;
    size_t left_open = most_open_;
    for (auto at = files_.begin(); at != files_.end();) {
        LiveFile& file = at->second;
        const bool stays_open = left_open > 0;
        if (stays_open) --left_open;
        FileNews news = FileNews::same;
        try {
            news = file.file.read(reader_->directory(), stays_open, buffer, ignored);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::internal) throw;
            ++state.unread_files;
        }
        has_news |= news != FileNews::same;
        if (news == FileNews::gone) {
            tree_->forget(at->first);
            at = files_.erase(at);
            state.has_restarted = true;
            continue;
        }
        if (news == FileNews::changed && !file.counts.update(file.file.take_content(), looks_, looks_ == 1))
            state.has_restarted = true;
        ++at;
    }
    return has_news;
}

/// Enters the look, and forgets what is too old or too much.
void LiveSession::remember(double now, bool has_restarted) {
    times_.push_back({looks_, last_.value_or(now), now});
    last_ = now;
    uint64_t first = times_.front().look;
    if (has_restarted) {
        clear_base();
        first = looks_;
    }
    for (const LookTime& time : times_)
        if (time.from < now - remembered_seconds) first = std::max(first, time.look + 1);
    forget_before(first);
    const auto kept = [this] {
        size_t sum = 0;
        for (const auto& [path, file] : files_)
            sum += file.counts.kept();
        return sum;
    };
    while (times_.size() > 2 && kept() > most_remembered)
        forget_before(times_.front().look + 1);
}

void LiveSession::forget_before(uint64_t look) {
    while (times_.size() > 1 && times_.front().look < look)
        times_.pop_front();
    for (auto& [path, file] : files_)
        file.counts.forget_before(times_.front().look);
}

void LiveSession::set_base() {
    for (auto& [path, file] : files_)
        file.counts.set_base();
    base_time_ = last_;
    times_.clear();
    for (auto& [path, file] : files_)
        file.counts.forget_before(looks_ + 1);
}

void LiveSession::clear_base() {
    for (auto& [path, file] : files_)
        file.counts.clear_base();
    base_time_.reset();
}

Looks LiveSession::looks_between(double from, double to) const {
    Looks looks;
    for (const LookTime& time : times_) {
        if (time.look == 1 || time.from < from || time.to > to) continue;
        if (looks.is_empty()) looks.first = time.look;
        looks.last = time.look;
    }
    return looks;
}

double LiveSession::seconds(const Looks& looks) const {
    double seconds = 0;
    for (const LookTime& time : times_)
        if (time.look >= looks.first && time.look <= looks.last) seconds += time.to - time.from;
    return seconds;
}

uint32_t LiveSession::event_number(const SampleName& name) {
    SampleClass event{name.event, name.count, name.unit_mask, {}, {}, {}};
    const auto [at, is_new] = event_numbers_.try_emplace(event, static_cast<uint32_t>(events_.size()));
    if (is_new) events_.push_back(std::move(event));
    return at->second;
}

uint32_t LiveSession::name_number(const ImageName& name) {
    const auto [at, is_new] = name_numbers_.try_emplace(name, static_cast<uint32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    return at->second;
}

}  // namespace op::tool
