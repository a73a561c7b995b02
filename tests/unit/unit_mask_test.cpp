// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/events/unit_mask.h"

#include <gtest/gtest.h>

#include "tests/unit/faults.h"

namespace op {

namespace {

UnitMaskSet set_of(UnitMaskKind kind, uint32_t default_value, std::vector<UnitMaskEntry> entries) {
    return {"set", kind, default_value, "", true, std::move(entries)};
}

const UnitMaskSet bits = set_of(UnitMaskKind::bitmask, 3, {{1, 0, "", ""}, {2, 0, "", ""}, {12, 0, "", ""}});
const UnitMaskSet one_of = set_of(UnitMaskKind::exclusive, 2, {{0, 0, "", ""}, {2, 0, "", ""}});
const UnitMaskSet only = set_of(UnitMaskKind::mandatory, 0x4f, {{0x4f, 0, "", ""}});
constexpr uint32_t counter_mask_1 = 1u << extra_bits::counter_mask_shift;
const UnitMaskSet twins =
    set_of(UnitMaskKind::exclusive, 1,
           {{1, extra_bits::named, "plain", ""}, {1, counter_mask_1 | 1 << 8, "cycles", ""}});

std::variant<UnitMaskChoice, Refusal> ask(const UnitMaskSet& set, const std::string& mask,
                                          bool zero_always = false) {
    return choose_unit_mask(set, parse_event_spec("E:100:" + mask), zero_always);
}

UnitMaskChoice choose(const UnitMaskSet& set, const std::string& mask, bool zero_always = false) {
    return std::get<UnitMaskChoice>(ask(set, mask, zero_always));
}

/// Why it is refused; empty if it is not.
std::string fault(const UnitMaskSet& set, const std::string& mask) {
    const auto answer = ask(set, mask);
    const Refusal* const refusal = std::get_if<Refusal>(&answer);
    return refusal ? refusal->reason : "";
}

}  // namespace

TEST(UnitMask, the_default_is_taken_without_a_request) {
    EXPECT_EQ(choose(bits, "").value, 3u);
    EXPECT_EQ(choose(one_of, "").value, 2u);
    EXPECT_EQ(choose(only, "").value, 0x4fu);
}

TEST(UnitMask, mandatory_takes_its_one_value_only) {
    EXPECT_EQ(choose(only, "0x4f").value, 0x4fu);
    EXPECT_EQ(fault(only, "0"), "event 'E': unit mask 0x00 is not valid; it takes 0x4f");
}

TEST(UnitMask, exclusive_takes_one_of_its_values) {
    EXPECT_EQ(choose(one_of, "0").value, 0u);
    EXPECT_EQ(fault(one_of, "1"), "event 'E': unit mask 0x01 is not valid; it takes 0x00, 0x02");
    EXPECT_NE(fault(one_of, "0x100000000"), "");
}

TEST(UnitMask, bitmask_takes_unions_of_its_values) {
    EXPECT_EQ(choose(bits, "15").value, 15u);
    EXPECT_EQ(choose(bits, "0xd").value, 13u);
    EXPECT_EQ(fault(bits, "4"),
              "event 'E': unit mask 0x04 is not valid; it takes a union of 0x01, 0x02, 0x0c");
}

TEST(UnitMask, bitmask_takes_0_only_if_it_has_it_or_the_processor_always_does) {
    EXPECT_NE(fault(bits, "0"), "");
    EXPECT_EQ(choose(bits, "0", true).value, 0u);
    EXPECT_EQ(choose(set_of(UnitMaskKind::bitmask, 0, {{0, 0, "", ""}, {1, 0, "", ""}}), "0").value, 0u);
}

TEST(UnitMask, an_ambiguous_number_is_refused) {
    EXPECT_EQ(fault(twins, "1"),
              "event 'E': unit mask 0x01 is ambiguous; give it by name: 0x01 (plain), 0x01 (cycles)");
    const auto twin_bits =
        set_of(UnitMaskKind::bitmask, 2,
               {{1, extra_bits::named, "a", ""}, {1, extra_bits::edge, "b", ""}, {2, 0, "", ""}});
    EXPECT_EQ(choose(twin_bits, "2").value, 2u);
    EXPECT_NE(fault(twin_bits, "3"), "");
}

TEST(UnitMask, unions_are_of_entries_that_are_bits_and_nothing_else) {
    const auto mixed = set_of(UnitMaskKind::bitmask, 2,
                              {{1, extra_bits::edge | 1 << 8, "edges", ""},
                               {2, 0, "", ""},
                               {4, extra_bits::named, "four", ""},
                               {8, extra_bits::pebs, "precise", ""}});
    EXPECT_EQ(choose(mixed, "1").name, "edges");
    EXPECT_EQ(choose(mixed, "1").extra, extra_bits::edge | 1 << 8);
    EXPECT_EQ(choose(mixed, "0xe"), (UnitMaskChoice{14, 0, ""}));
    EXPECT_TRUE(test::contains(fault(mixed, "3"), "unit mask 0x03 is ambiguous; give it by name"));
    EXPECT_TRUE(test::contains(fault(mixed, "0x13"), "is not valid"));
}

TEST(UnitMask, a_union_may_go_round_an_entry_that_occurs_twice) {
    const auto round = set_of(UnitMaskKind::bitmask, 1,
                              {{1, 0, "", ""},
                               {2, 0, "", ""},
                               {3, extra_bits::edge | 3 << 8, "a", ""},
                               {3, extra_bits::any | 3 << 8, "b", ""}});
    EXPECT_EQ(choose(round, "3"), (UnitMaskChoice{3, 0, ""}));
    EXPECT_EQ(choose(round, "b").extra, extra_bits::any | 3 << 8);
}

TEST(UnitMask, every_union_of_as_many_bits_as_there_are_can_be_asked_for) {
    UnitMaskSet all = set_of(UnitMaskKind::bitmask, 1, {});
    for (unsigned bit = 0; bit < 64; ++bit)
        all.entries.push_back({uint64_t{1} << bit, 0, "", ""});
    EXPECT_EQ(choose(all, "0xffffffffffffffff").value, UINT64_MAX);
    EXPECT_EQ(choose(all, "0x8000000000000001").stored(), 0x8000000000000001u);
}

TEST(UnitMask, a_name_gives_value_and_further_bits) {
    const UnitMaskChoice choice = choose(twins, "cycles");
    EXPECT_EQ(choice.value, 1u);
    EXPECT_EQ(choice.extra, counter_mask_1 | 1 << 8);
    EXPECT_EQ(fault(twins, "cycle"),
              "event 'E': no unit mask is named 'cycle'; it takes 0x01 (plain), 0x01 (cycles)");
}

TEST(UnitMask, stored_is_the_value_or_the_upper_bits_of_the_select_register) {
    EXPECT_EQ(choose(twins, "plain").stored(), 1u);
    EXPECT_EQ(choose(twins, "cycles").stored(), counter_mask_1 | 1 << 8);
}

TEST(UnitMask, a_stored_number_can_be_requested) {
    EXPECT_EQ(choose(twins, std::to_string(counter_mask_1 | 1 << 8)).name, "cycles");
}

TEST(UnitMask, a_set_without_a_default_needs_a_unit_mask) {
    UnitMaskSet set = one_of;
    set.has_default = false;
    EXPECT_EQ(fault(set, ""), "event 'E': it needs a unit mask; it takes 0x00, 0x02");
    EXPECT_EQ(choose(set, "2").value, 2u);
}

TEST(UnitMask, long_lists_are_cut) {
    UnitMaskSet set = one_of;
    for (uint32_t i = 3; i < 40; ++i)
        set.entries.push_back({i, 0, "", ""});
    EXPECT_TRUE(test::contains(fault(set, "99"), "0x0c and more, see ophelp")) << fault(set, "99");
}

TEST(UnitMask, inconsistent_sets_are_reported) {
    EXPECT_EQ(unit_mask_fault(bits), "");
    EXPECT_EQ(unit_mask_fault(twins), "");
    EXPECT_NE(unit_mask_fault(set_of(UnitMaskKind::bitmask, 0, {})), "");
    EXPECT_NE(unit_mask_fault(set_of(UnitMaskKind::mandatory, 0, {{0, 0, "", ""}, {1, 0, "", ""}})), "");
    EXPECT_NE(unit_mask_fault(set_of(UnitMaskKind::mandatory, 1, {{0, 0, "", ""}})), "");
    EXPECT_NE(unit_mask_fault(set_of(UnitMaskKind::bitmask, 4, {{3, 0, "", ""}})), "");
    EXPECT_NE(unit_mask_fault(set_of(UnitMaskKind::exclusive, 1, {{1, 0, "", ""}, {1, 0, "", ""}})), "");
    EXPECT_NE(unit_mask_fault(set_of(UnitMaskKind::exclusive, 1, {{1, 1, "a", ""}, {2, 1, "a", ""}})), "");
    UnitMaskSet named = twins;
    named.default_name = "absent";
    EXPECT_EQ(unit_mask_fault(named), "its default 'absent' names no entry");
}

}  // namespace op
