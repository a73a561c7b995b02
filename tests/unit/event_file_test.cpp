// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/events/event_file.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/unit/faults.h"

namespace op {

namespace {

using Files = std::map<std::string, EventTexts>;

constexpr const char* zero = "name:zero type:mandatory default:0x0\n\t0x0 No unit mask\n";
constexpr const char* cycles = "event:0x3c counters:0,2 um:zero minimum:6000 name:CYCLES : Clock cycles\n";

std::vector<EventDescription> parse(const std::string& events, const std::string& unit_masks = zero,
                                    const Files& files = {}) {
    return parse_events({"d", events, unit_masks}, [&](const std::string& type) {
        const auto file = files.find(type);
        return file == files.end() ? std::nullopt : std::optional(file->second);
    });
}

std::string fault(const std::string& events, const std::string& unit_masks = zero, const Files& files = {}) {
    return test::fault(ErrorKind::input, [&] { parse(events, unit_masks, files); });
}

std::string masks_fault(const std::string& unit_masks) {
    return fault(cycles, zero + unit_masks);
}

}  // namespace

TEST(EventFile, every_tag_is_taken) {
    const auto events =
        parse("# comment\n\n" + std::string(cycles) +
              "event:0xC0 counters:cpuid um:zero minimum:500 filter:1 name:INST: Instructions, #1: retired \n"
              "event:0xf000 ext:ibs_fetch um:zero minimum:50000 name:IBS : Fetches\n");
    ASSERT_EQ(events.size(), 3u);
    EXPECT_EQ(events[0].name, "CYCLES");
    EXPECT_EQ(events[0].description, "Clock cycles");
    EXPECT_EQ(events[0].code, 0x3cu);
    EXPECT_EQ(events[0].counters, 5u);
    EXPECT_EQ(events[0].minimum_count, 6000u);
    EXPECT_EQ(events[0].filter, std::nullopt);
    EXPECT_EQ(events[1].description, "Instructions, #1: retired");
    EXPECT_TRUE(events[1].counters_of_cpuid);
    EXPECT_EQ(events[1].filter, 1u);
    EXPECT_EQ(events[2].extended, "ibs_fetch");
    EXPECT_EQ(events[2].counters, 0u);
    EXPECT_EQ(events[2].unit_masks->name, "zero");
}

TEST(EventFile, faults_of_events_are_reported_with_file_and_line) {
    EXPECT_EQ(fault("\nevent:0x1 counters:0 um:zero minimum:1 name:A\n"),
              "d/events:2: no description; write ' : TEXT' after the tags");
    EXPECT_EQ(fault("event:0x1 counters:0 um:zero minimum:1 : A\n"), "d/events:1: no tag 'name:'");
    EXPECT_EQ(fault("event:0x1 um:zero minimum:1 name:A : A\n"), "d/events:1: no tag 'counters:'");
    EXPECT_EQ(fault("event:0x1 event:0x2 : A\n"), "d/events:1: tag 'event:' is given twice");
    EXPECT_EQ(fault("event:0x1 counters:0 um:zero minimum:1 name:A x:y : A\n"),
              "d/events:1: unknown tag 'x:'");
    EXPECT_EQ(fault("event:0x100000000 counters:0 um:zero minimum:1 name:A : A\n"),
              "d/events:1: '0x100000000' is no hexadecimal number of 32 bits, 0xNN");
    EXPECT_EQ(fault("event:12 counters:0 um:zero minimum:1 name:A : A\n"),
              "d/events:1: '12' is no hexadecimal number of 32 bits, 0xNN");
    EXPECT_EQ(fault("event:0x1 counters:0,32 um:zero minimum:1 name:A : A\n"),
              "d/events:1: '32' is no decimal number up to 31");
    EXPECT_EQ(fault("event:0x1 counters:0 um:none minimum:1 name:A : A\n"),
              "d/events:1: there are no unit masks 'none'");
    EXPECT_EQ(fault("event:0x1 counters:0 um:zero minimum:1 name:A/B : A\n"),
              "d/events:1: the name 'A/B' holds a '/', '.', ',' or ':'");
    EXPECT_EQ(fault("event:0x1 counters:0 um:zero minimum:1 name:A:B : A\n"),
              "d/events:1: the name 'A:B' holds a '/', '.', ',' or ':'");
    EXPECT_EQ(fault("nonsense\n"), "d/events:1: 'nonsense' is no tag");
    EXPECT_EQ(fault("event: 0x1 : A\n"), "d/events:1: tag 'event:' has no value");
    EXPECT_EQ(fault("event:0x1 \xff : A\n"), "d/events:1: this line is not UTF-8");
}

TEST(EventFile, unit_masks_are_sets_with_entries) {
    const auto events = parse("event:0x1 counters:0 um:a minimum:1 name:A : A\n",
                              "name:a type:exclusive default:two # comment\n"
                              "\t0x01 extra: one The first\n"
                              "\t0x1 extra:edge,cmask=1f,inv two The  second\n"
                              "\t0x02 Plain\n");
    const UnitMaskSet& set = *events.at(0).unit_masks;
    EXPECT_EQ(set.kind, UnitMaskKind::exclusive);
    EXPECT_EQ(set.default_name, "two");
    ASSERT_EQ(set.entries.size(), 3u);
    EXPECT_EQ(set.entries[0], (UnitMaskEntry{1, extra_bits::named, "one", "The first"}));
    EXPECT_EQ(set.entries[1].extra,
              extra_bits::edge | extra_bits::inverted | 0x1fu << extra_bits::counter_mask_shift | 1 << 8);
    EXPECT_EQ(set.entries[1].description, "The  second");
    EXPECT_EQ(set.entries[2], (UnitMaskEntry{2, 0, "", "Plain"}));
}

TEST(EventFile, faults_of_unit_masks_are_reported_with_file_and_line) {
    EXPECT_EQ(masks_fault("name:a type:odd default:0x0\n"),
              "d/unit_masks:3: type 'odd' is not mandatory, bitmask or exclusive");
    EXPECT_EQ(masks_fault("name:a type:bitmask default:0x4\n\t0x1 One\n"),
              "d/unit_masks:3: unit masks 'a': its default holds bits that no entry has");
    EXPECT_EQ(masks_fault("name:zero type:mandatory default:0x0\n\t0x0 None\n"),
              "d/unit_masks:3: unit masks 'zero' are already in line 1");
    EXPECT_EQ(masks_fault("name:a type:mandatory default:0x1\n\t0x1 One\n"),
              "d/unit_masks:3: unit masks 'a' are used by no event");
    EXPECT_EQ(masks_fault("name:a type:mandatory default:0x1\n\t0x1 extra:odd a One\n"),
              "d/unit_masks:4: unknown flag 'odd' after extra:");
    EXPECT_EQ(masks_fault("name:a type:mandatory default:0x1\n\t0x1 extra:cmask=100 a One\n"),
              "d/unit_masks:4: 'cmask=100' is not cmask=HEX up to ff");
    EXPECT_EQ(masks_fault("name:a type:mandatory default:0x1\n\t0x1 extra:\n"),
              "d/unit_masks:4: no name after extra:");
    EXPECT_EQ(masks_fault("name:a type:mandatory default:0x1\n\t0x1 extra: 10 One\n"),
              "d/unit_masks:4: the name '10' is a number");
    EXPECT_EQ(masks_fault("name:a type:mandatory default:0x1 : odd\n"),
              "d/unit_masks:3: a colon without a tag before it");
    EXPECT_EQ(fault(cycles, "\t0x1 One\n"), "d/unit_masks:1: an entry before the first 'name:' line");
}

TEST(EventFile, several_sets_join_into_one) {
    const auto events = parse("event:0x1 counters:0 um:a,b minimum:1 name:A : A\n",
                              "name:a type:bitmask default:0x1\n\t0x1 One\n"
                              "name:b type:bitmask default:0x4\n\t0x2 Two\n\t0x4 Four\n");
    const UnitMaskSet& set = *events.at(0).unit_masks;
    EXPECT_EQ(set.name, "a,b");
    EXPECT_EQ(set.default_value, 5u);
    EXPECT_EQ(set.entries.size(), 3u);
}

TEST(EventFile, sets_of_different_or_mandatory_type_do_not_join) {
    const std::string sets =
        "name:a type:bitmask default:0x1\n\t0x1 One\nname:b type:exclusive default:0x2\n\t0x2 Two\n";
    EXPECT_EQ(fault("event:0x1 counters:0 um:a,b minimum:1 name:A : A\n", sets),
              "d/events:1: unit masks 'a,b' are of different types");
    EXPECT_EQ(fault("event:0x1 counters:0 um:a,zero minimum:1 name:A : A\n", sets + zero),
              "d/events:1: unit masks 'zero' are mandatory, which cannot be joined");
}

TEST(EventFile, sets_join_only_if_their_defaults_do) {
    const std::string event = "event:0x1 counters:0 um:a,b minimum:1 name:A : A\n";
    const auto sets = [](const std::string& type, const std::string& first, const std::string& second) {
        return "name:a type:" + type + " default:" + first + "name:b type:" + type + " default:" + second;
    };
    const std::string one = "0x1\n\t0x1 One\n", joined = "d/events:1: unit masks 'a,b' joined: ",
                      wide =
                          "d/events:1: unit masks 'b' have a default that is more than a number, which "
                          "cannot be joined";
    EXPECT_EQ(fault(event, sets("exclusive", one, "0x2\n\t0x2 Two\n")),
              joined + "its default is not one of its entries");
    EXPECT_EQ(fault(event, sets("exclusive", one, "0x2\n\t0x2 Two\n\t0x3 Both\n")), "");
    EXPECT_EQ(fault(event, sets("bitmask", one, "two\n\t0x2 extra: two Two\n")), wide);
    EXPECT_EQ(fault(event, sets("bitmask", one, "0x2\n\t0x2 extra:edge two Two\n")), wide);
    EXPECT_EQ(fault(event, sets("bitmask", one, "0x2\n\t0x2 Two\n\t0x3 extra:edge both Both\n")),
              joined + "its default is an entry that is more than a number");
    EXPECT_EQ(fault(event, sets("bitmask", one, "0x0\n\t0x2 Two\n")), "") << "a union of none";
}

TEST(EventFile, includes_are_read_in_place) {
    const Files files{{"x/base", {"base", cycles, zero}}};
    const auto events = parse(
        "event:0x1 counters:0 um:zero minimum:1 name:A : A\ninclude:x/base # more\n"
        "event:0x2 counters:0 um:zero minimum:1 name:B : B\n",
        "include:x/base\n", files);
    ASSERT_EQ(events.size(), 3u);
    EXPECT_EQ(events[1].name, "CYCLES");
}

TEST(EventFile, a_type_reached_twice_is_read_once) {
    const Files files{{"base", {"base", cycles, zero}},
                      {"a", {"a", "include:base\n", "include:base\n"}},
                      {"b", {"b", "include:base\n", "include:base\n"}}};
    EXPECT_EQ(parse("include:a\ninclude:b\n", "include:a\ninclude:b\n", files).size(), 1u);
}

TEST(EventFile, sets_of_the_including_file_count) {
    const Files files{{"base", {"base", cycles, zero}}};
    const auto events =
        parse("include:base\n", "include:base\nname:zero type:mandatory default:0x1\n\t0x1 Mine\n", files);
    EXPECT_EQ(events.at(0).unit_masks->default_value, 1u);
}

TEST(EventFile, events_of_the_including_file_count) {
    const Files files{{"base", {"base", cycles, zero}}};
    const std::string own = "event:0x1 counters:0 um:zero minimum:1 name:CYCLES : Mine\n";
    const std::string both = own + "event:0x2 counters:0 um:zero minimum:1 name:CYCLES : Mine, too\n";
    for (const std::string& text : {"include:base\n" + both, both + "include:base\n"}) {
        const auto events = parse(text, "include:base\n", files);
        ASSERT_EQ(events.size(), 2u);
        EXPECT_EQ(events[0].description, "Mine");
        EXPECT_EQ(events[1].description, "Mine, too");
    }
}

TEST(EventFile, includes_that_are_absent_circular_or_too_deep_are_refused) {
    EXPECT_EQ(fault("include:gone\n"), "d/events:1: there are no event files of 'gone'");
    EXPECT_EQ(fault("include:a b\n"), "d/events:1: include: needs a line of its own");
    EXPECT_EQ(fault("include: # a\n"), "d/events:1: include: names no CPU type");
    EXPECT_EQ(fault("include:a\n", zero, {{"a", {"a", "\ninclude:a\n", ""}}}),
              "a/events:2: 'a' includes itself");
    Files chain;
    for (int i = 0; i < 10; ++i)
        chain[std::to_string(i)] = {std::to_string(i), "include:" + std::to_string(i + 1) + "\n", ""};
    EXPECT_EQ(fault("include:0\n", zero, chain), "7/events:1: more than 8 includes in one another");
}

}  // namespace op
