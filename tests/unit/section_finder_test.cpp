// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/object/section_finder.h"

#include <gtest/gtest.h>

#include <vector>

namespace op::pp {

namespace {

constexpr std::byte bytes[0x10] = {};

Section section(const char* name, uint64_t address, bool is_code, size_t in_file = sizeof bytes) {
    Section made{};
    made.name = name;
    made.address = LinkAddress{address};
    made.size = sizeof bytes;
    made.code = is_code;
    made.bytes = std::span(bytes).first(in_file);
    return made;
}

}  // namespace

TEST(SectionFinder, finds_the_first_section_with_code_and_bytes_at_an_address) {
    const std::vector<Section> sections{section("data", 0x100, false), section("first", 0x108, true),
                                        section("second", 0x110, true), section("cut", 0x200, true, 4)};
    const SectionFinder finder(sections);
    EXPECT_EQ(finder.find(LinkAddress{0x107}), nullptr);
    EXPECT_EQ(finder.find(LinkAddress{0x108}), &sections[1]);
    EXPECT_EQ(finder.find(LinkAddress{0x117}), &sections[1]);
    EXPECT_EQ(finder.find(LinkAddress{0x118}), &sections[2]);
    EXPECT_EQ(finder.find(LinkAddress{0x203}), &sections[3]);
    EXPECT_EQ(finder.find(LinkAddress{0x204}), nullptr);
    EXPECT_EQ(SectionFinder().find(LinkAddress{0}), nullptr);
}

// Going through all of them for each address takes minutes.
TEST(SectionFinder, takes_a_moment_among_sixty_thousand_sections) {
    std::vector<Section> sections;
    for (uint64_t i = 0; i < 60'000; ++i)
        sections.push_back(section("", i * sizeof bytes, true));
    const SectionFinder finder(sections);
    size_t found = 0;
    for (int round = 0; round < 10; ++round)
        for (uint64_t i = 0; i < sections.size(); ++i)
            found += finder.find(LinkAddress{i * sizeof bytes + 1}) == &sections[i];
    EXPECT_EQ(found, 600'000u);
}

}  // namespace op::pp
