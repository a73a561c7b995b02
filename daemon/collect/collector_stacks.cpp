// SPDX-License-Identifier: GPL-2.0-or-later
// The callers of samples: whole stacks, and calls as pairs.
#include <algorithm>

#include "daemon/collect/collector.h"

namespace op::collect {
namespace {

template <class S>
StackEnd end_of(const S& sample) {
    return sample.stack_end.value_or(StackEnd::frame_pointers);
}

uint64_t offset_in(const Place& place) {
    return place.offset;
}

uint64_t offset_in(uint64_t address) {
    return address;
}

uint32_t app_cookie(const PlacedSample& sample) {
    return sample.app;
}

uint32_t app_cookie(const Sample&) {
    return 0;
}

/// Raw addresses, of kernel code of unknown origin, keep their lower bits.
uint64_t stored_offset(uint64_t offset) {
    return std::min(offset & StackFrame::application_offset, StackFrame::application_offset - 1);
}

uint32_t cookie_of(const Place& place) {
    return place.cookie;
}

uint32_t cookie_of(uint64_t) {
    return 0;
}

/// The run-time address of what lies in memory without a file.
uint64_t run_address(const Place& place, const ImageRef& region) {
    return place.cookie == 0 ? place.offset : place.offset - ImageRange::of_addresses(region).delta;
}

uint64_t run_address(uint64_t address, const ImageRef&) {
    return address;
}

Place byte_before(const Place& place) {
    return {place.offset - 1, place.cookie};
}

uint64_t byte_before(uint64_t address) {
    return address - 1;
}

}  // namespace

void Collector::prepare_stacks() {
    if (options_.stacks) stacks_.prepare(!options_.separation.thread && !options_.separation.cpu);
}

void Collector::take_callers(const Sample& sample, bool is_stored) {
    if (sample.mode == CpuMode::guest || sample.tgid == unseen_process) return;
    if (!is_stored && !options_.arcs) return;  // such as those of programs that are not wanted: no walk
    Sample walked = sample;
    if (sample.user_stack) {
        walked.stack_end = walker_.walk(sample, chain_);
        walked.chain = chain_;
        limit_chain(walked);
    }
    if (!walked.chain.empty() && options_.arcs) take_chain(walked, walked.pc.value());
    if (is_stored && (options_.stacks || walked.stack_end || !walked.chain.empty()))
        take_stack(walked, walked.pc.value());
}

void Collector::take_callers(const PlacedSample& sample, bool is_stored) {
    if (!is_stored && !options_.arcs) return;
    PlacedSample walked = sample;
    if (sample.user_stack) {
        walked.stack_end = walker_.walk(sample, driver_maps_.find(sample.maps), places_);
        walked.chain = places_;
        limit_chain(walked);
    }
    if (!walked.chain.empty() && options_.arcs) take_chain(walked, walked.place);
    if (is_stored && (options_.stacks || walked.stack_end || !walked.chain.empty()))
        take_stack(walked, walked.place);
}

template <class S>
void Collector::limit_chain(S& walked) const {
    if (walked.chain.size() <= options_.most_callers) return;
    walked.chain = walked.chain.first(options_.most_callers);
    walked.kernel_frames = static_cast<uint16_t>(std::min<size_t>(walked.kernel_frames, walked.chain.size()));
    walked.stack_end = StackEnd::too_deep;
}

/// Changes whenever numbers that were found for the sample's process may no longer hold.
template <class S>
uint64_t Collector::stack_generation(const S& sample) const {
    return static_cast<uint64_t>(table_.generation(sample.tgid)) << 32 | stacks_.generation();
}

template <class S, class Where>
void Collector::take_stack(const S& sample, const Where& innermost) {
    StackEnd end = end_of(sample);
    stack_.clear();
    held_.code.clear();
    const bool is_placed = add_frame(sample, innermost, sample.mode == CpuMode::kernel, true);
    const uint32_t image = is_placed ? stack_.front().image : 0;
    for (size_t i = 0; i < sample.chain.size(); ++i) {
        const bool kernel = i < sample.kernel_frames;
        if (add_frame(sample, sample.chain[i], kernel, false) || kernel) continue;
        end = StackEnd::no_mapping;  // whatever lies further out
        break;
    }
    if (stack_.empty()) return stacks_.lose(sample.weight);
    const ClassKey key{sample.event, options_.separation.thread ? sample.tgid : ClassKey::all,
                       options_.separation.thread ? sample.tid : ClassKey::all,
                       options_.separation.cpu ? sample.cpu : ClassKey::all};
    const uint32_t app = known_application(sample, innermost, image);
    if (!held_.code.empty()) {
        held_.key = key;
        held_.app = app;
        held_.end = end;
        if (hold_stack(sample)) return;
    }
    stacks_.add(key, app, stack_, end, sample.weight, sample.tid);
}

/// The number of the application that the sample's file is of. `image` is that of the sampled one, 0 if it
/// has none.
template <class S, class Where>
uint32_t Collector::known_application(const S& sample, const Where& innermost, uint32_t image) {
    const ApplicationKey key{stack_generation(sample), sample.tgid, app_cookie(sample), image,
                             sample.mode == CpuMode::kernel};
    ApplicationCache::Entry& known = applications_.entry_for(key);
    if (known.key == key) return known.number;
    const uint32_t number = stack_application(sample, innermost);
    if (image != 0 && number != 0 && is_app_known(sample)) known = {key, number};
    return number;
}

template <class S, class Where>
uint32_t Collector::stack_application(const S& sample, const Where& innermost) {
    if (options_.separation.library && options_.separation.kernel)
        if (const uint32_t app = stacks_.image(app_of(sample)); app != 0) return app;
    const auto found = key_of(sample, innermost, sample.mode == CpuMode::kernel);
    return found ? stacks_.image(key_for(origin_of(sample), found->image).app) : 0;
}

/// Of an address of a chain, which lies behind the code that ran: that may be the last of its mapping.
template <class S, class Where>
std::optional<ImageKey> Collector::key_of_caller(const S& sample, const Where& where, bool kernel) {
    auto found = key_of(sample, byte_before(where), kernel);
    if (found) ++found->key;
    return found;
}

/// False if the address is in no known code.
template <class S, class Where>
bool Collector::add_frame(const S& sample, const Where& where, bool kernel, bool is_exact) {
    const uint64_t now = stack_generation(sample);
    const uint64_t address = offset_in(where);
    FrameCache::Entry& known = frame_cache_.entry_for(address, sample.tgid ^ cookie_of(where) << 1);
    if (!known.holds(address, cookie_of(where), sample.tgid, now) || known.frame.is_exact != is_exact) {
        const auto found = is_exact ? key_of(sample, where, kernel) : key_of_caller(sample, where, kernel);
        if (!found) return false;
        if (!found->image.is_refused()) note_image(found->image, {sample.tgid});
        const bool lasts = look_for_dump(sample, found->image);
        if (can_wait(sample, found->image)) {
            add_held_frame(*found, run_address(where, found->image), is_exact);
            return true;
        }
        note_code(found->image, sample);
        known = {address,
                 lasts ? now : FrameCache::no_generation,
                 sample.tgid,
                 cookie_of(where),
                 {stacks_.image(found->image), stored_offset(found->key), is_exact}};
    }
    stack_.push_back(known.frame);
    return true;
}

template <class S, class Where>
void Collector::take_chain(const S& sample, const Where& innermost) {
    if (sample.mode == CpuMode::guest || sample.event >= info_.events.size() || !is_wanted(sample)) return;
    const Origin origin = origin_of(sample);
    auto callee = key_of(sample, innermost, sample.mode == CpuMode::kernel);
    if (callee) note_code(callee->image, sample);
    for (size_t i = 0; i < sample.chain.size(); ++i) {
        auto caller = key_of_caller(sample, sample.chain[i], i < sample.kernel_frames);
        if (caller) note_code(caller->image, sample);
        store_arc(origin, caller, callee);
        callee = std::move(caller);
    }
}

void Collector::store_arc(const Origin& origin, const std::optional<ImageKey>& caller,
                          const std::optional<ImageKey>& callee) {
    SampleFile* file = nullptr;
    if (caller && callee) {
        FileKey key = key_for(origin, caller->image);
        key.callee = callee->image;
        const bool is_refused = key.image.is_refused() || key.app.is_refused() || key.callee.is_refused();
        if (!is_refused) file = files_.get(key);
        has_refused_arcs_ |= is_refused || (!file && files_.failure() == LossCause::image_limit);
    }
    if (!file) {
        arcs_lost_ += origin.weight;
        return;
    }
    note_image(caller->image, {origin.tgid});
    const uint64_t key = caller->key << 32 | (callee->key & 0xffffffff);
    if (origin.weight == 1)
        file->add(key);  // may be deferred
    else
        file->add(key, origin.weight);
}

}  // namespace op::collect
