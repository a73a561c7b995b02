// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/slot_cache.h"

#include <gtest/gtest.h>

namespace op::collect {
namespace {

constexpr uint64_t generation = 5;

Sample plain() {
    return {0, 7, 71, 2, 1, CpuMode::user, 0, {0x1080}, {}};
}
PlacedSample placed() {
    return {7, 71, 2, 11, 1, CpuMode::user, 0, {0x1080, 12}, {}};
}

/// A slot of [0x1000, 0x2000) that holds the sample.
Slot slot_of(const Sample& s) {
    Slot slot;
    slot.start = 0x1000;
    slot.end = 0x2000;
    slot.generation = generation;
    slot.tgid = s.tgid;
    slot.tid = s.tid;
    slot.cpu = s.cpu;
    slot.event = s.event;
    slot.mode = s.mode;
    slot.counter = 0;
    return slot;
}
Slot slot_of(const PlacedSample& s) {
    Slot slot = slot_of(Sample{0, s.tgid, s.tid, s.cpu, s.event, s.mode, 0, {0}, {}});
    slot.placed = true;
    slot.app = s.app;
    slot.cookie = s.place.cookie;
    return slot;
}

/// True if the sample's slot holds the sample after `change`.
template <class S, class Change>
bool still_holds(const SlotCache& cache, S sample, Change change) {
    const Slot slot = slot_of(sample);
    EXPECT_TRUE(cache.holds(slot, sample, generation));
    change(sample);
    return cache.holds(slot, sample, generation);
}

/// What either kind of sample has.
template <class S>
void check_common(const S& sample) {
    const SlotCache together(false, false), by_thread(true, false), by_cpu(false, true);
    const auto other_event = [](S& s) { s.event = 0; };
    const auto other_mode = [](S& s) { s.mode = CpuMode::kernel; };
    const auto other_thread = [](S& s) { s.tid = 72; };
    const auto other_cpu = [](S& s) { s.cpu = 3; };
    EXPECT_FALSE(still_holds(together, sample, other_event));
    EXPECT_FALSE(still_holds(together, sample, other_mode));
    EXPECT_TRUE(still_holds(together, sample, other_thread));
    EXPECT_TRUE(still_holds(together, sample, other_cpu));
    EXPECT_FALSE(still_holds(by_thread, sample, other_thread));
    EXPECT_TRUE(still_holds(by_thread, sample, other_cpu));
    EXPECT_FALSE(still_holds(by_cpu, sample, other_cpu));
    EXPECT_TRUE(still_holds(by_cpu, sample, other_thread));
    EXPECT_FALSE(together.holds(slot_of(sample), sample, generation + 1)) << "another generation";
}

}  // namespace

TEST(SlotCache, a_slot_is_of_one_event_and_mode_and_of_one_thread_and_cpu_if_they_are_apart) {
    check_common(plain());
    check_common(placed());
}

TEST(SlotCache, a_plain_slot_is_of_one_process_and_range) {
    const SlotCache cache(false, false);
    EXPECT_FALSE(still_holds(cache, plain(), [](Sample& s) { s.tgid = 8; }));
    EXPECT_TRUE(still_holds(cache, plain(), [](Sample& s) { s.pc = {0x1fff}; }));
    EXPECT_FALSE(still_holds(cache, plain(), [](Sample& s) { s.pc = {0x2000}; }));
    EXPECT_FALSE(still_holds(cache, plain(), [](Sample& s) { s.pc = {0xfff}; }));
}

TEST(SlotCache, a_placed_slot_is_of_one_image_and_application_and_any_process) {
    const SlotCache cache(false, false), by_thread(true, false);
    const auto other_process = [](PlacedSample& s) { s.tgid = 8; };
    EXPECT_TRUE(still_holds(cache, placed(), other_process));
    EXPECT_FALSE(still_holds(by_thread, placed(), other_process)) << "thread numbers are those of a process";
    EXPECT_FALSE(still_holds(cache, placed(), [](PlacedSample& s) { s.place.cookie = 13; }));
    EXPECT_FALSE(still_holds(cache, placed(), [](PlacedSample& s) { s.app = 13; }));
    EXPECT_FALSE(still_holds(cache, placed(), [](PlacedSample& s) { s.place.offset = 0x2000; }));
}

TEST(SlotCache, a_slot_of_one_kind_holds_no_sample_of_the_other) {
    const SlotCache cache(false, false);
    PlacedSample without_image = placed();
    without_image.place.cookie = without_image.app = 0;
    Slot slot = slot_of(plain());  // its counter 0 is no cookie
    EXPECT_FALSE(cache.holds(slot, without_image, generation));
    slot.placed = true;
    slot.cookie = 0;
    EXPECT_TRUE(cache.holds(slot, without_image, generation));
    EXPECT_FALSE(cache.holds(slot, plain(), generation));
}

TEST(SlotCache, an_empty_slot_holds_nothing) {
    SlotCache cache(false, false);
    EXPECT_FALSE(cache.holds(Slot{}, Sample{}, 0));
    cache.slot_for(placed()) = slot_of(placed());
    EXPECT_TRUE(cache.holds(cache.slot_for(placed()), placed(), generation));
    cache.clear();
    EXPECT_FALSE(cache.holds(cache.slot_for(placed()), placed(), generation));
}

}  // namespace op::collect
