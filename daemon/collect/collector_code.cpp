// SPDX-License-Identifier: GPL-2.0-or-later
// Samples in code made at run time wait until their code is known, and are stored with its generation.
#include <algorithm>
#include <type_traits>

#include "daemon/collect/collector.h"
#include "libop/jit/code_symbol.h"

namespace op::collect {
namespace {

/// The same region as code of that generation has it.
ImageRef with_generation(ImageRef region, unsigned generation) {
    region.start = RuntimeAddress{tagged_address(region.start.value(), generation)};
    region.end = RuntimeAddress{tagged_address(region.end.value(), generation)};
    return region;
}

/// In the number of a place that is one of a stack.
constexpr uint32_t stack_mark = uint32_t{1} << 31;

/// Those of the image, by run-time addresses.
ImageRange by_addresses(const PlacedSample& sample, const ImageRange& range) {
    return sample.place.cookie == 0 ? range : ImageRange::of_addresses(range.image);
}

ImageRange by_addresses(const Sample&, const ImageRange& range) {
    return range;
}

uint64_t address_in(const PlacedSample& sample, const ImageRange& by_address) {
    return sample.place.cookie == 0 ? sample.place.offset : sample.place.offset - by_address.delta;
}

uint64_t address_in(const Sample& sample, const ImageRange&) {
    return sample.pc.value();
}

}  // namespace

void Collector::watch_code(CodeWatch& watch) {
    code_ = &watch;
    watch.store_held_by([this](const HeldSample& held) { return addresses_of(held); },
                        [this](const HeldSample& held, std::span<const uint8_t> generations) {
                            if ((held.place & stack_mark) == 0)
                                store_held(held, generations);
                            else
                                store_held_stack(held, generations);
                        });
}

std::span<const uint64_t> Collector::addresses_of(const HeldSample& held) const {
    if ((held.place & stack_mark) == 0) return {&held.address, 1};
    return held_stacks_.at(held.place & ~stack_mark).addresses;
}

void Collector::place_code(std::chrono::milliseconds limit, bool is_last) noexcept {
    if (!code_) return;
    if (!code_->is_holding_none()) code_->place(limit, is_last);
    if (code_->is_holding_none()) drop_held();
}

void Collector::place_much_code() noexcept {
    if (!code_) return;
    const size_t full = std::max(held_stacks_.quarters_full(), held_places_.quarters_full());
    // The answer may come with the next call, but only when nothing waits are the tables emptied.
    const std::chrono::milliseconds time_to_ask{full < 2 ? 20 : 200};
    if (full > 0 || code_->is_holding_many()) place_code(time_to_ask, false);
}

void Collector::drop_held() {
    if (code_) code_->drop_held();
    held_places_.clear();
    held_stacks_.clear();
    held_weight_ = 0;
}

/// What the kernel maps into every process belongs to process 0.
template <class S>
void Collector::note_code(const ImageRef& image, const S& sample) {
    if (code_ && image.kind == RegionKind::anon && image.tgid != 0)
        code_->note(image.tgid, program_path(sample));
}

template void Collector::note_code(const ImageRef&, const Sample&);
template void Collector::note_code(const ImageRef&, const PlacedSample&);

/// True for memory of a process whose samples wait, as it has a jitdump.
bool Collector::is_to_hold(const ImageRef& image) const {
    return code_ && image.kind == RegionKind::anon && image.tgid != 0 && code_->is_to_hold(image.tgid);
}

/// The driver's samples have no time if the driver is of an earlier version.
template <class S>
bool Collector::can_wait(const S& sample, const ImageRef& image) const {
    if (std::is_same_v<S, PlacedSample> && (sample.time == 0 || image.tgid != sample.tgid)) return false;
    return is_to_hold(image);
}

template bool Collector::can_wait(const Sample&, const ImageRef&) const;
template bool Collector::can_wait(const PlacedSample&, const ImageRef&) const;

/// The driver does not report what processes map, so /proc is asked once memory without a file is sampled.
/// False if it has to be asked again.
bool Collector::look_for_dump(const PlacedSample& sample, const ImageRef& image) {
    const bool is_code = code_ && image.kind == RegionKind::anon && image.tgid == sample.tgid;
    if (!is_code || !fill_gaps_ || sample.time == 0 || code_->is_to_hold(sample.tgid)) return true;
    const auto records =
        fill_gaps_({0, sample.tgid, sample.tid, sample.cpu, sample.event, sample.mode, 0, image.start, {}},
                   Gap::mapping);
    if (!records) return false;
    for (const Record& record : *records)
        if (const auto* const mapping = std::get_if<Mapping>(&record))
            code_->note_mapping(sample.tgid, mapping->path, mapping->file, program_path(sample));
    if (code_->is_to_hold(sample.tgid)) {
        cache_.clear();
        frame_cache_.clear();
    }
    return true;
}

/// False if the sample has to be stored at once.
template <class S>
bool Collector::hold(const S& sample, const Origin& origin, const ImageRange& range) {
    constexpr bool is_placed = std::is_same_v<S, PlacedSample>;
    if (!can_wait(sample, range.image)) return false;
    HeldPlace place{origin, by_addresses(sample, range), is_placed ? HeldPlace::in_run : counter_of(origin)};
    place.origin.weight = 0;
    if (!options_.separation.thread) place.origin.tid = 0;
    const auto number = held_places_.number(place);
    const uint64_t address = address_in(sample, place.range);
    const bool is_held = number && code_->hold(sample.tgid, {sample.time, address, *number, sample.weight});
    if (is_held) held_weight_ += sample.weight;
    has_plain_samples_ |= is_held && !is_placed;
    return is_held;
}

template bool Collector::hold(const Sample&, const Origin&, const ImageRange&);
template bool Collector::hold(const PlacedSample&, const Origin&, const ImageRange&);

void Collector::store_held(const HeldSample& held, std::span<const uint8_t> generations) {
    held_weight_ -= held.weight;
    HeldPlace place = held_places_.at(held.place);
    place.origin.weight = held.weight;
    place.range.image = with_generation(place.range.image, generations.front());
    SampleFile* const file = file_for(place.origin, place.range);
    if (!file) return;
    file->add(held.address + place.range.delta, held.weight);
    if (place.counter != HeldPlace::in_run) commands_.add(place.counter, held.weight);
}

/// Its image has no number before the generation is known.
void Collector::add_held_frame(const ImageKey& where, uint64_t address, bool is_exact) {
    if (held_.code.empty()) held_.addresses.clear();
    held_.code.push_back({static_cast<uint32_t>(stack_.size()), where.image});
    held_.addresses.push_back(is_exact ? address : address - 1);
    stack_.push_back({0, where.key, is_exact});
}

/// The stack of the sample being taken. If it has to be stored at once, all its frames have images then.
template <class S>
bool Collector::hold_stack(const S& sample) {
    held_.tid = sample.tid;
    held_.numbering = stacks_.generation();
    held_.frames = stack_;
    const auto number = held_stacks_.number(held_);
    if (number && code_->hold(sample.tgid, {sample.time, 0, *number | stack_mark, sample.weight}))
        return true;
    code_->note(sample.tgid, {});
    for (const HeldStack::Code& code : held_.code)
        stack_[code.frame].image = stacks_.image(code.region);
    return false;
}

template bool Collector::hold_stack(const Sample&);
template bool Collector::hold_stack(const PlacedSample&);

void Collector::store_held_stack(const HeldSample& held, std::span<const uint8_t> generations) {
    const HeldStack& stack = held_stacks_.at(held.place & ~stack_mark);
    stack_ = stack.frames;
    const bool is_same_store = stack.numbering == stacks_.generation();
    if (!is_same_store)
        for (StackFrame& frame : stack_)
            frame.image = 0;
    for (size_t i = 0; i < stack.code.size(); ++i)
        stack_[stack.code[i].frame].image =
            stacks_.image(with_generation(stack.code[i].region, generations[i]));
    stacks_.add(stack.key, is_same_store ? stack.app : 0, stack_, stack.end, held.weight, stack.tid);
}

}  // namespace op::collect
