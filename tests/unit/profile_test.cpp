// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/profile/profile.h"

#include <gtest/gtest.h>

#include "libop/base/error.h"
#include "tests/unit/fake_symbols.h"

namespace op::pp {

namespace {

/// main calls work: one stack of two frames and one of one.
struct Sound {
    test::FakeSymbols symbols{{"main", 0x100, 0x10}, {"work", 0x110, 0x20}};
    Profile profile;

    Sound() {
        profile.columns = {ProfileClass{"E", 100, 0, {}, {}, {}}};
        profile.images = {{ImageName{ImageName::Kind::file, "/bin/a"}, &symbols}};
        profile.symbols = {{0, &symbols.symbols()[0]}, {0, &symbols.symbols()[1]}};
        profile.locations = {{0, 0, ImageOffset{0x104}},
                             {0, 1, ImageOffset{0x112}},
                             {0, Location::no_symbol, ImageOffset{0x900}}};
        profile.frames = {1, 0, 2};
        profile.samples = {{0, 0, 2}, {0, 2, 1}};
        profile.counts = {5, 7};
    }
};

std::string fault(const Profile& profile) {
    try {
        profile.check();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::internal);
        return error.what();
    }
    return "";
}

}  // namespace

TEST(Profile, holds_stacks_and_flat_samples_alike) {
    const Sound sound;
    EXPECT_EQ(fault(sound.profile), "");
    EXPECT_EQ(sound.profile.leaf(0).offset.value(), 0x112u);
    EXPECT_EQ(sound.profile.count(1, 0), 7u);
}

TEST(Profile, check_finds_every_breach) {
    struct Breach {
        const char* complaint;
        void (*make)(Profile&);
    };
    const Breach breaches[] = {
        {"no column", [](Profile& p) { p.columns.clear(); }},
        {"symbol's image is unknown", [](Profile& p) { p.symbols[0].image = 9; }},
        {"has no symbols", [](Profile& p) { p.images[0].symbols = nullptr; }},
        {"location's image is unknown", [](Profile& p) { p.locations[2].image = 9; }},
        {"location's symbol is unknown", [](Profile& p) { p.locations[0].symbol = 9; }},
        {"of another image",
         [](Profile& p) {
             p.images.push_back(p.images[0]);
             p.locations[0].image = 1;
         }},
        {"outside its symbol", [](Profile& p) { p.locations[0].offset = ImageOffset{0x111}; }},
        {"outside its symbol", [](Profile& p) { p.locations[0].offset = ImageOffset{0xff}; }},
        {"frame's location is unknown", [](Profile& p) { p.frames[0] = 9; }},
        {"application is unknown", [](Profile& p) { p.samples[0].app = 9; }},
        {"stack is empty", [](Profile& p) { p.samples[0].frames = 0; }},
        {"outside the frames", [](Profile& p) { p.samples[1].frames = 2; }},
        {"outside the frames", [](Profile& p) { p.samples[1].first_frame = 9; }},
        {"count per row", [](Profile& p) { p.counts.pop_back(); }},
        {"arc's location",
         [](Profile& p) {
             p.arcs = {{0, 0, 99, 0}};
         }},
        {"arc's application",
         [](Profile& p) {
             p.arcs = {{99, 0, 0, 0}};
         }},
        {"count per row",
         [](Profile& p) {
             p.arcs = {{0, 0, 0, 0}};
         }},
        {"counts nothing", [](Profile& p) { p.counts[0] = 0; }},
    };
    for (const Breach& breach : breaches) {
        Sound sound;
        breach.make(sound.profile);
        EXPECT_NE(fault(sound.profile).find(breach.complaint), std::string::npos)
            << breach.complaint << " but " << fault(sound.profile);
    }
}

}  // namespace op::pp
