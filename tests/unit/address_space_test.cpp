// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/address_space.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <vector>

namespace op::collect {
namespace {

Region region(uint64_t start, uint64_t end, uint64_t offset = 0) {
    static const auto image = std::make_shared<MappedImage>(MappedImage{.name = "/lib/x.so"});
    return {RuntimeAddress{start}, RuntimeAddress{end}, offset, image};
}

}  // namespace

TEST(AddressSpace, a_new_region_cuts_what_it_covers) {
    AddressSpace space;
    space.map(region(0x1000, 0x5000, 0x100));
    space.map(region(0x2000, 0x3000, 0));
    ASSERT_EQ(space.size(), 3u);
    EXPECT_EQ(space.find({0x1fff})->end.value(), 0x2000u);
    EXPECT_EQ(space.find({0x2fff})->start.value(), 0x2000u);
    EXPECT_EQ(space.find({0x3000})->offset({0x3000}).value(), 0x2100u) << "the rest keeps its file offset";
    EXPECT_EQ(space.find({0x5000}), nullptr);
}

TEST(AddressSpace, unmap_takes_out_a_range_across_regions) {
    AddressSpace space;
    space.map(region(0x1000, 0x2000));
    space.map(region(0x2000, 0x3000));
    space.map(region(0x4000, 0x5000));
    space.unmap({0x1800}, {0x4800});
    EXPECT_NE(space.find({0x17ff}), nullptr);
    EXPECT_EQ(space.find({0x1800}), nullptr);
    EXPECT_EQ(space.find({0x47ff}), nullptr);
    EXPECT_NE(space.find({0x4800}), nullptr);
}

TEST(AddressSpace, keeps_the_sum_of_what_all_take) {
    uint64_t sum = 0;
    {
        AddressSpace space(&sum);
        space.map(region(0x1000, 0x4000));
        const uint64_t one = space.bytes();
        EXPECT_GT(one, sizeof(Region));
        space.map(region(0x2000, 0x3000));
        EXPECT_EQ(space.bytes(), 3 * one);
        AddressSpace copy(space);
        EXPECT_EQ(sum, 6 * one);
        copy.unmap({0x1800}, {0x3800});
        EXPECT_EQ(sum, 5 * one);
        space.clear();
        EXPECT_EQ(sum, copy.bytes());
    }
    EXPECT_EQ(sum, 0u);
}

TEST(AddressSpace, agrees_with_a_page_by_page_model) {
    std::mt19937 random(7);
    AddressSpace space;
    std::map<uint64_t, uint64_t> model;  // page -> offset of its first byte
    for (int i = 0; i < 2000; ++i) {
        const uint64_t first = random() % 64, count = 1 + random() % 8, offset = (random() % 100) << 12;
        if (random() % 3 == 0) {
            space.unmap({first << 12}, {(first + count) << 12});
            for (uint64_t p = first; p < first + count; ++p)
                model.erase(p);
        } else {
            space.map(region(first << 12, (first + count) << 12, offset));
            for (uint64_t p = first; p < first + count; ++p)
                model[p] = offset + ((p - first) << 12);
        }
        for (uint64_t p = 0; p < 72; ++p) {
            const Region* r = space.find({p << 12});
            ASSERT_EQ(r != nullptr, model.contains(p));
            if (r) {
                ASSERT_EQ(r->offset({p << 12}).value(), model[p]);
            }
        }
    }
}

TEST(AddressSpace, a_change_moves_no_other_region) {
    constexpr uint64_t page = 4096, count = 32'000;
    const auto start_of = [](uint64_t i) { return 0x10000 + 2 * i * page; };
    AddressSpace space;
    std::vector<const Region*> at;
    for (uint64_t i = 0; i < count; i += 2) {
        space.map(region(start_of(i), start_of(i) + page));
        at.push_back(space.find({start_of(i)}));
    }
    for (uint64_t i = 1; i < count; i += 2)
        space.map(region(start_of(i), start_of(i) + page));
    for (uint64_t i = 1; i < count; i += 4)
        space.unmap({start_of(i)}, {start_of(i) + page});
    for (uint64_t i = 0; i < count; i += 2)
        ASSERT_EQ(space.find({start_of(i)}), at[i / 2]) << "the work would grow with the number of regions";
}

}  // namespace op::collect
