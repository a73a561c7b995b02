// SPDX-License-Identifier: GPL-2.0-or-later
// The registers of NetBurst's counters and the words the driver writes into them, against Intel's figures and
// the event files.
#include "kernel/op_p4_encode.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "libop/events/event_catalogue.h"

namespace op {

namespace {

constexpr op_p4_processor willamette{1, 1}, northwood_ht{2, 2}, prescott{3, 1}, prescott_ht{4, 2};
constexpr op_u64 global_power_events = 0x1d, instr_retired = 0x23, tc_ms_xfer = 0x1e, ioq_allocation = 0xd;

op_p4_list escrs(const op_p4_processor& processor, unsigned half) {
    op_p4_list list{};
    op_p4_append_escrs(&list, &processor, half);
    return list;
}

op_p4_list own(const op_p4_processor& processor, unsigned thread) {
    op_p4_list list{};
    op_p4_append_own(&list, &processor, thread);
    return list;
}

std::set<unsigned> set_of(const op_p4_list& list) {
    return {list.msrs, list.msrs + list.length};
}

/// The counters that the event files give an event of a CPU type, by code.
std::map<uint32_t, CounterMask> counters_in_files(const char* cpu_type) {
    const char* const source = std::getenv("srcdir");
    const std::string dir = std::string(source ? source : ".") + "/events";
    const CpuModels models = load_cpu_models(dir);
    std::map<uint32_t, CounterMask> counters;
    const EventCatalogue catalogue = load_catalogue(*models.find(cpu_type), {dir, {}, false, ""});
    for (const CatalogueEvent& event : catalogue.events)
        if (event.origin == EventOrigin::file) counters[event.code] = event.counter_mask();
    return counters;
}

}  // namespace

TEST(P4Events, codes_go_from_1_to_39) {
    EXPECT_EQ(OP_P4_EVENTS, 39u);
    EXPECT_FALSE(op_p4_find_event(0));
    EXPECT_FALSE(op_p4_find_event(40));
    EXPECT_FALSE(op_p4_find_event(~0ull));
    EXPECT_EQ(op_p4_find_event(global_power_events)->event_select, 0x13);
    EXPECT_EQ(op_p4_find_event(39)->escr[1], 0x3c3);
}

TEST(P4Events, are_counted_by_the_half_of_their_escr) {
    for (op_u64 code = 1; code <= OP_P4_EVENTS; code++) {
        const op_p4_event* const event = op_p4_find_event(code);
        EXPECT_TRUE(event->escr[0] || event->escr[1]) << code;
        for (const unsigned half : {0u, 1u}) {
            if (!event->escr[half]) continue;
            EXPECT_EQ(op_p4_half(event->escr[half]), half) << code;
            EXPECT_TRUE(op_p4_has_escr(&prescott, event->escr[half])) << code;
        }
        EXPECT_LT(event->escr_select, 8) << code;
        EXPECT_LT(event->event_select, 64) << code;
    }
}

TEST(P4Events, of_two_counters_never_share_an_escr) {
    std::map<unsigned, unsigned> unit_of;
    for (op_u64 code = 1; code <= OP_P4_EVENTS; code++) {
        const op_p4_event* const event = op_p4_find_event(code);
        for (const unsigned escr : event->escr) {
            if (!escr) continue;
            EXPECT_EQ(unit_of.emplace(escr, event->unit).first->second, event->unit) << code;
        }
    }
}

TEST(P4Events, that_need_tags_are_the_three_at_retirement) {
    std::set<op_u64> codes;
    for (op_u64 code = 0; code <= OP_P4_EVENTS + 1; code++)
        if (op_p4_needs_tags(code)) codes.insert(code);
    EXPECT_EQ(codes, (std::set<op_u64>{0x20, 0x21, 0x22}));
    for (const auto& [code, counters] : counters_in_files("i386/p4"))
        EXPECT_FALSE(op_p4_needs_tags(code)) << code;
}

TEST(P4Events, have_the_counters_that_the_event_files_give_them) {
    const auto alone = counters_in_files("i386/p4"), shared = counters_in_files("i386/p4-ht");
    EXPECT_EQ(alone.size(), 36u);
    for (const auto& [code, counters] : alone) {
        const op_p4_event* const event = op_p4_find_event(code);
        const CounterMask both = (event->escr[0] ? 1u : 0u) | (event->escr[1] ? 1u << OP_P4_UNITS : 0u);
        EXPECT_EQ(counters, *both << event->unit) << code;
        if (!shared.contains(code)) continue;
        EXPECT_EQ(shared.at(code), 1u << event->unit) << code;
    }
}

TEST(P4Registers, counters_are_of_their_half) {
    for (unsigned n = 0; n < OP_P4_COUNTERS; n++) {
        EXPECT_EQ(op_p4_half(op_p4_counter(n)), n / OP_P4_UNITS);
        EXPECT_EQ(op_p4_half(op_p4_cccr(n)), n / OP_P4_UNITS);
    }
    EXPECT_EQ(op_p4_cccr(3), 0x370u);
    EXPECT_EQ(op_p4_cccr(7), 0x371u);
    EXPECT_EQ(op_p4_cpu_counters(&prescott), 8u);
    EXPECT_EQ(op_p4_cpu_counters(&prescott_ht), 4u);
}

TEST(P4Registers, the_instruction_queues_escrs_ended_with_model_3) {
    EXPECT_EQ(escrs(willamette, 2).length, 45u);
    EXPECT_EQ(escrs(prescott, 2).length, 43u);
    EXPECT_EQ(set_of(escrs(willamette, 2)).count(0x3ba), 1u);
    EXPECT_EQ(set_of(escrs(prescott, 2)).count(0x3ba), 0u);
    EXPECT_EQ(set_of(escrs(prescott, 2)).count(0x3bf), 0u);
}

TEST(P4Registers, of_one_logical_processor_are_all) {
    const op_p4_list list = own(willamette, 0);
    EXPECT_EQ(list.length, 8u + 45u + 18u);
    EXPECT_EQ(list.length, set_of(list).size());
    EXPECT_EQ(list.msrs[0], 0x300);
    EXPECT_EQ(list.msrs[8], 0x3a0);
    EXPECT_EQ(list.msrs[8 + 45], 0x360);
}

TEST(P4Registers, of_two_logical_processors_are_apart_and_together_all) {
    const auto first = set_of(own(northwood_ht, 0)), second = set_of(own(northwood_ht, 1));
    std::set<unsigned> both = first;
    both.insert(second.begin(), second.end());
    EXPECT_EQ(both.size(), first.size() + second.size());
    EXPECT_EQ(both, set_of(own(willamette, 0)));
    EXPECT_EQ(own(northwood_ht, 0).msrs[0], 0x300);
    EXPECT_EQ(own(northwood_ht, 1).msrs[0], 0x302);
    EXPECT_TRUE(second.contains(0x311));
}

TEST(P4Words, escr_has_event_mask_and_the_bits_of_its_logical_processor) {
    const op_p4_event* const event = op_p4_find_event(global_power_events);
    EXPECT_EQ(op_p4_escr_word(event, 1, 1, 1, 0), 0x2600020Cu);
    EXPECT_EQ(op_p4_escr_word(event, 1, 1, 1, 1), 0x26000203u);
    EXPECT_EQ(op_p4_escr_word(event, 1, 0, 1, 0), 0x26000204u);
    EXPECT_EQ(op_p4_escr_word(event, 1, 1, 0, 1), 0x26000202u);
    EXPECT_EQ(op_p4_escr_word(op_p4_find_event(ioq_allocation), 0xefe1, 0, 0, 0), 0x07DFC200u);
    EXPECT_EQ(op_p4_escr_word(event, ~0ull, 0, 0, 0), 0x27FFFE00u) << "16 bits of a unit mask";
}

TEST(P4Words, cccr_selects_the_escr_and_who_is_interrupted) {
    EXPECT_EQ(op_p4_cccr_word(op_p4_find_event(instr_retired), 0), 0x04038000u);
    EXPECT_EQ(op_p4_cccr_word(op_p4_find_event(global_power_events), 1), 0x0803C000u);
    EXPECT_EQ(op_p4_cccr_word(op_p4_find_event(tc_ms_xfer), 0), 0x04030000u);
}

TEST(P4Overflow, shows_in_the_flag_or_in_bit_31_of_the_counter) {
    EXPECT_FALSE(op_p4_overflowed(0xFFFFFE7960, 0x0403D000));
    EXPECT_TRUE(op_p4_overflowed(0xFFFFFE7960, 0x8403D000));
    EXPECT_TRUE(op_p4_overflowed(3, 0x0403D000));
}

}  // namespace op
