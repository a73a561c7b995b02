// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/held_places.h"

#include <gtest/gtest.h>

namespace op::collect {
namespace {

HeldPlace place_at(uint64_t start) {
    return {Origin{0, CpuMode::user, 7, 7, 0, ImageRef{}, 0}, ImageRange{ImageRef{}, start, start + 16, 0},
            0};
}

}  // namespace

TEST(HeldPlaces, equal_ones_have_one_number) {
    HeldPlaces places;
    const auto first = places.number(place_at(0x10)), second = places.number(place_at(0x20));
    ASSERT_TRUE(first && second);
    EXPECT_NE(*first, *second);
    EXPECT_EQ(places.number(place_at(0x10)), first);
    EXPECT_EQ(places.at(*second), place_at(0x20));
}

TEST(HeldPlaces, those_that_differ_in_one_field_have_numbers_of_their_own) {
    HeldPlaces places;
    std::vector<HeldPlace> all(7, place_at(0x10));
    all[1].origin.event = 1;
    all[2].origin.tid = 8;
    all[3].origin.cpu = 1;
    all[4].origin.mode = CpuMode::kernel;
    all[5].range.image = ImageRef::file(StringId{3});
    all[6].counter = 1;
    for (uint32_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(places.number(all[i]), i);
    for (uint32_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(places.at(i), all[i]);
}

TEST(HeldPlaces, beyond_the_most_only_known_ones_have_numbers) {
    HeldPlaces places;
    for (uint64_t i = 0; i < HeldPlaces::most; ++i) {
        ASSERT_EQ(places.quarters_full(), i / (HeldPlaces::most / 4));
        ASSERT_TRUE(places.number(place_at(i)));
    }
    EXPECT_EQ(places.quarters_full(), 4u);
    EXPECT_FALSE(places.number(place_at(HeldPlaces::most)));
    EXPECT_EQ(places.number(place_at(5)), 5u);
    places.clear();
    EXPECT_EQ(places.quarters_full(), 0u);
    EXPECT_EQ(places.number(place_at(5)), 0u);
}

}  // namespace op::collect
