// SPDX-License-Identifier: GPL-2.0-or-later
// Questions to all readers at once, then their answers as they come.
#include "daemon/jit/jit_capture.h"

#include <poll.h>
#include <signal.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "daemon/jit/kept_code.h"
#include "daemon/jit/process_place.h"
#include "libop/base/deadline.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/jit/code_switches.h"

namespace op::collect {
namespace {

std::string process_text(uint32_t tgid, const std::string& program) {
    const std::string name = printable(base_name(program));
    return "process " + std::to_string(tgid) + (name.empty() ? "" : " (" + name + ")");
}

}  // namespace

JitCapture::Watch* JitCapture::find(uint32_t tgid) const {
    const auto found = live_.find(tgid);
    return found == live_.end() ? nullptr : found->second;
}

/// Null if there are too many.
JitCapture::Watch* JitCapture::find_or_begin(uint32_t tgid, std::string_view program) {
    if (Watch* const known = find(tgid)) return known;
    const bool are_many_live = live_.size() >= most_watched;
    if (are_many_live || watches_.size() >= reader_limit_) {
        if (!std::exchange(has_left_out_, true))
            notes_.warn("more than " + std::to_string(are_many_live ? most_watched : reader_limit_) +
                        " processes run code made at run time: some will have no names for it");
        return nullptr;
    }
    Watch& watch = watches_.emplace_back(tgid, std::string(program), spawner_.watch(tgid));
    watch.is_timed = !earlier_.contains(tgid);
    live_.emplace(tgid, &watch);
    return &watch;
}

void JitCapture::note(uint32_t tgid, std::string_view program) {
    if (Watch* const watch = find_or_begin(tgid, program)) watch->is_timed = false;
}

void JitCapture::note_mapping(uint32_t tgid, std::string_view path, const FileIdentity&,
                              std::string_view program) {
    if (!is_dump_path(path)) return;
    if (Watch* const watch = find_or_begin(tgid, program)) {
        watch->has_dump = true;
        watch->link.name_dump(path);
    }
}

HeldSamples* JitCapture::held_of(uint32_t tgid) {
    Watch* const watch = find(tgid);
    return watch && watch->has_dump && !watch->is_given_up && !watch->link.is_gone() ? &watch->held : nullptr;
}

void JitCapture::place(std::chrono::milliseconds limit, bool is_last) noexcept {
    if (held_ == 0) return;
    try {
        const Deadline deadline(limit);
        const auto nothing = [](Watch&) {};
        await_answers(is_last ? deadline.left() : std::chrono::milliseconds(0), nothing);  // late ones
        while (ask_places()) {
            await_answers(deadline.left(), nothing);
            if (!is_last || deadline.left().count() == 0) break;
        }
    } catch (const std::exception& e) {
        notes_.warn(std::string("samples in code made at run time are not separated by their times: ") +
                    e.what());
    }
    for (Watch& watch : watches_) {
        if (is_hanging(watch)) give_up(watch);
        if (is_last || watch.is_given_up || watch.link.is_gone()) give_back_late(watch);
    }
}

void JitCapture::give_up(Watch& watch) {
    if (!std::exchange(watch.is_given_up, true) && watch.has_dump) note_late(watch);
}

void JitCapture::give_back_late(Watch& watch) {
    if (!watch.held.empty() && watch.link.is_waiting()) note_late(watch);
    give_back(watch);
}

void JitCapture::note_late(Watch& watch) {
    if (!std::exchange(watch.is_late_noted, true))
        notes_.warn(
            "the jitdump of " + process_text(watch.tgid, watch.program) +
            " could not be read in time: addresses at which it had different functions have no names");
}

/// It may have been stopped by its user, or read a file that answers never.
bool JitCapture::is_hanging(const Watch& watch) const {
    return watch.link.is_waiting() && Clock::now() - watch.asked_at >= patience_;
}

/// As many as fit into a question. False if there was none to ask.
bool JitCapture::ask_places() {
    bool has_asked = false;
    for (Watch& watch : watches_) {
        if (watch.held.empty() || watch.link.is_gone() || watch.link.is_waiting()) continue;
        std::vector<CodeMoment> moments;
        watch.asked_places = 0;
        for (const HeldSample& held : watch.held.all()) {
            const std::span<const uint64_t> addresses = addresses_of_(held);
            if (moments.size() + addresses.size() > most_moments) break;
            for (const uint64_t address : addresses)
                moments.push_back({held.time, address});
            ++watch.asked_places;
        }
        watch.asked_moments = moments.size();
        has_asked = true;
        watch.question = Question::places;
        watch.asked_at = Clock::now();
        watch.link.ask_places(moments);
    }
    return has_asked;
}

void JitCapture::take_places(Watch& watch, const MapAnswer& answer) {
    if (watch.asked_places == SIZE_MAX) return;
    if (answer.generations.size() != watch.asked_moments) return give_back(watch);
    const std::vector<HeldSample> all = watch.held.take();
    held_ -= all.size();
    std::span<const uint8_t> generations = answer.generations;
    for (size_t i = 0; i < all.size(); ++i) {
        if (i >= watch.asked_places) {
            held_ += watch.held.add(all[i]);
            continue;
        }
        const size_t addresses = addresses_of_(all[i]).size();
        store_(all[i], generations.first(addresses));
        generations = generations.subspan(addresses);
    }
}

/// All, without their generations.
void JitCapture::give_back(Watch& watch) {
    watch.asked_places = SIZE_MAX;
    if (watch.held.empty()) return;
    watch.is_timed = false;
    const std::vector<HeldSample> all = watch.held.take();
    held_ -= all.size();
    std::vector<uint8_t> none;
    for (const HeldSample& held : all) {
        none.assign(addresses_of_(held).size(), 0);
        store_(held, none);
    }
}

void JitCapture::end(uint32_t tgid) {
    const auto found = live_.find(tgid);
    if (found == live_.end()) return;
    found->second->has_ended = true;
    found->second->link.seal();
    live_.erase(found);
}

void JitCapture::write(std::chrono::milliseconds limit, bool is_last) noexcept {
    try {
        write_all(limit, is_last);
    } catch (const std::exception& e) {
        notes_.warn(std::string("names of code made at run time were not kept: ") + e.what());
    }
}

void JitCapture::write_all(std::chrono::milliseconds limit, bool is_last) {
    if (watches_.empty()) return;
    end_gone();
    const AllHits all = hits_of_all();
    for (Watch& watch : watches_) {
        watch.is_to_ask = watch.link.is_waiting();
        if (!watch.is_to_ask) ask_names(watch, all, is_last);
    }
    await_answers(limit, [&](Watch& watch) {
        if (std::exchange(watch.is_to_ask, false)) ask_names(watch, all, is_last);
    });
    for (Watch& watch : watches_)
        if (watch.is_to_ask && all.contains(watch.tgid)) watch.is_answered = false;
    if (is_last) note_unanswered();
    note_gone();
    forget_ended();
}

JitCapture::AllHits JitCapture::hits_of_all() {
    std::set<uint32_t> tgids;
    for (const Watch& watch : watches_)
        if (!watch.link.is_gone()) tgids.insert(watch.tgid);
    return read_code_hits(session_, tgids, notes_);
}

/// Not again for addresses that were asked for already: of those the first names stand.
void JitCapture::ask_names(Watch& watch, const AllHits& all, bool is_last) {
    const auto hits = all.find(watch.tgid);
    if (hits == all.end() || watch.link.is_gone()) return;
    if (!watch.has_ended && !is_last && watch.asked == hits->second.addresses.size()) return;
    watch.application = hits->second.application;
    if (!watch.application && !watch.program.empty())
        watch.application = ImageName{ImageName::Kind::file, watch.program, 0, 0, 0};
    watch.asked = hits->second.addresses.size();
    watch.is_answered = false;
    watch.question = Question::names;
    watch.asked_at = Clock::now();
    watch.link.ask(hits->second.addresses, watch.has_dump && watch.is_timed);
}

/// Calls `then` for each that has answered.
template <class Then>
void JitCapture::await_answers(std::chrono::milliseconds limit, Then then) {
    const Deadline deadline(limit);
    for (;;) {
        std::vector<pollfd> fds;
        for (Watch& watch : watches_) {
            if (!watch.link.is_waiting()) continue;
            if (auto answer = watch.link.pump()) {
                take(watch, std::move(*answer));
                then(watch);
            }
            if (watch.link.is_waiting()) fds.push_back({watch.link.fd(), watch.link.events(), 0});
        }
        const auto left = deadline.left();
        if (fds.empty() || left.count() == 0) return;
        ::poll(fds.data(), fds.size(), static_cast<int>(left.count()));
    }
}

void JitCapture::take(Watch& watch, MapAnswer answer) {
    switch (std::exchange(watch.question, Question::none)) {
        case Question::none:
            return;
        case Question::places:
            return take_places(watch, answer);
        case Question::names:
            watch.is_answered = true;
            take_names(watch, std::move(answer));
    }
}

void JitCapture::take_names(Watch& watch, MapAnswer answer) {
    note_state(watch, answer);
    if (answer.state == MapState::read && watch.application) keep(watch, std::move(answer.symbols));
}

void JitCapture::note_state(const Watch& watch, const MapAnswer& answer) {
    const std::string process = process_text(watch.tgid, watch.program);
    if (answer.state == MapState::absent) {
        const std::string_view advice = code_switch(base_name(watch.program));
        if (!advice.empty() && watch.has_ended)
            notes_.warn(std::string(base_name(watch.program)) + " does not name the code that it makes; " +
                        std::string(advice));
        return;
    }
    const std::string what = (answer.is_dump ? "the jitdump of " : "the perf map of ") + process;
    note_map(answer, what, notes_);
}

void JitCapture::keep(Watch& watch, std::vector<CodeSymbol> symbols) {
    if (!watch.earlier) watch.earlier = kept_code(session_, *watch.application, watch.tgid);
    keep_code(session_, *watch.application, watch.tgid, *watch.earlier, std::move(symbols), notes_);
}

void JitCapture::note_unanswered() {
    for (const Watch& watch : watches_)
        if ((watch.asked > 0 || watch.is_to_ask) && !watch.is_answered && !watch.link.is_gone())
            notes_.warn("the perf map of " + process_text(watch.tgid, watch.program) +
                        " could not be read in time: it has no names for the code that it made");
}

/// It was killed, or has used more than it may.
void JitCapture::note_gone() {
    for (Watch& watch : watches_)
        if (watch.link.is_gone() && !std::exchange(watch.is_noted, true))
            notes_.warn("reading of the names of the code that " + process_text(watch.tgid, watch.program) +
                        " made has ended early: some may be missing");
}

/// The driver does not report ends of processes. Not at the first look: samples may still come.
void JitCapture::end_gone() {
    for (Watch& watch : watches_) {
        if (watch.has_ended) continue;
        const bool is_gone = ::kill(static_cast<pid_t>(watch.tgid), 0) != 0 && errno == ESRCH;
        if (is_gone && watch.was_gone) end(watch.tgid);
        watch.was_gone = is_gone;
    }
}

void JitCapture::forget_ended() {
    std::erase_if(watches_, [](const Watch& watch) {
        return watch.has_ended && watch.held.empty() && !watch.link.is_waiting();
    });
}

void JitCapture::drop_held() {
    for (Watch& watch : watches_) {
        watch.held.take();
        watch.asked_places = SIZE_MAX;
    }
    held_ = 0;
}

void JitCapture::begin_run() {
    earlier_.clear();
    for (Watch& watch : watches_) {
        watch.earlier.reset();
        watch.asked = 0;
        watch.is_timed = true;
        if (watch.question == Question::names) watch.question = Question::none;
    }
}

}  // namespace op::collect
