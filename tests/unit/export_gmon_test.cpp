// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/export/export_gmon.h"

#include <gtest/gtest.h>

#include "libop/base/bytes.h"
#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "tests/unit/fake_symbols.h"

namespace op::pp {

namespace {

/// A gmon.out, read back: everything summed up as gprof does.
struct Gmon {
    std::map<uint64_t, uint64_t> bins;  ///< by address of the bin, empty ones left out
    std::map<std::pair<uint64_t, uint64_t>, uint64_t> arcs;
    uint64_t width = 0;

    explicit Gmon(const std::string& bytes) {
        ByteReader in(as_bytes(bytes), "gmon");
        in.skip(20);
        while (!in.done())
            in.get<uint8_t>() == 0 ? read_histogram(in) : read_arc(in);
    }

private:
    void read_histogram(ByteReader& in) {
        const auto low = in.get<uint64_t>(), high = in.get<uint64_t>();
        const auto count = in.get<uint32_t>();
        in.skip(4 + 15 + 1);
        width = (high - low) / count;
        for (uint32_t i = 0; i < count; ++i)
            if (const auto n = in.get<uint16_t>()) bins[low + i * width] += n;
    }
    void read_arc(ByteReader& in) {
        const auto from = in.get<uint64_t>(), to = in.get<uint64_t>();
        arcs[{from, to}] += in.get<uint32_t>();
    }
};

struct TwoFunctions {
    test::FakeSymbols symbols{{"f", 0x100, 0x20}, {"g", 0x120, 0x20}};
    Profile profile;

    explicit TwoFunctions(std::initializer_list<std::pair<uint64_t, uint64_t>> samples) {
        profile.columns.resize(1);
        profile.images = {{ImageName{ImageName::Kind::file, "/bin/a"}, &symbols}};
        profile.symbols = {{0, &symbols.symbols()[0]}, {0, &symbols.symbols()[1]}};
        for (const auto& [offset, count] : samples) {
            profile.samples.push_back({0, static_cast<uint32_t>(profile.frames.size()), 1});
            profile.frames.push_back(add_location(offset));
            profile.counts.push_back(count);
        }
    }
    uint32_t add_location(uint64_t offset) {
        profile.locations.push_back({0, offset < 0x120 ? 0u : 1u, ImageOffset{offset}});
        return static_cast<uint32_t>(profile.locations.size() - 1);
    }
    Gmon written() {
        Diagnostics notes;
        profile.check();
        const Gmon gmon(export_gmon(profile, 0, 8, notes));
        EXPECT_TRUE(notes.warnings().empty());
        return gmon;
    }
};

}  // namespace

TEST(ExportGmon, counts_by_linked_address) {
    const Gmon gmon = TwoFunctions{{0x104, 5}, {0x10c, 1}, {0x120, 7}}.written();
    EXPECT_EQ(gmon.width, 8u);
    EXPECT_EQ(gmon.bins, (std::map<uint64_t, uint64_t>{{0x400100, 5}, {0x400108, 1}, {0x400120, 7}}));
}

TEST(ExportGmon, bins_are_narrow_where_instructions_are) {
    const Gmon gmon = TwoFunctions{{0x104, 5}, {0x107, 1}}.written();
    EXPECT_EQ(gmon.width, 2u);
    EXPECT_EQ(gmon.bins, (std::map<uint64_t, uint64_t>{{0x400104, 5}, {0x400106, 1}}));
}

TEST(ExportGmon, a_bin_has_the_samples_of_all_its_addresses) {
    const Gmon wide = TwoFunctions{{0x100, 5}, {0x104, 1}, {0x120, 7}}.written();
    EXPECT_EQ(wide.bins, (std::map<uint64_t, uint64_t>{{0x400100, 6}, {0x400120, 7}}));
    const Gmon narrow = TwoFunctions{{0x104, 5}, {0x105, 2}, {0x120, 7}}.written();
    EXPECT_EQ(narrow.bins, (std::map<uint64_t, uint64_t>{{0x400104, 7}, {0x400120, 7}}));
}

TEST(ExportGmon, large_counts_are_spread_over_records) {
    const Gmon gmon = TwoFunctions{{0x104, 200001}, {0x120, 65535}}.written();
    EXPECT_EQ(gmon.bins, (std::map<uint64_t, uint64_t>{{0x400100, 200001}, {0x400120, 65535}}));
}

TEST(ExportGmon, has_the_arcs_within_the_image) {
    TwoFunctions two{{0x104, 5}};
    two.profile.arcs = {{0, 0, two.add_location(0x108), two.add_location(0x120)}};
    two.profile.arc_counts = {9};
    EXPECT_EQ(two.written().arcs, (decltype(Gmon::arcs){{{0x400108, 0x400120}, 9}}));
}

TEST(ExportGmon, has_nothing_of_other_images) {
    TwoFunctions two{{0x104, 5}};
    test::FakeSymbols library{{"h", 0x100, 0x20}};
    two.profile.images.push_back({ImageName{ImageName::Kind::file, "/lib/b"}, &library});
    two.profile.symbols.push_back({1, &library.symbols()[0]});
    const auto in_f = two.add_location(0x108);
    const auto in_h = static_cast<uint32_t>(two.profile.locations.size());
    two.profile.locations.push_back({1, 2u, ImageOffset{0x108}});
    two.profile.samples.push_back({0, static_cast<uint32_t>(two.profile.frames.size()), 1});
    two.profile.frames.push_back(in_h);
    two.profile.counts.push_back(70);
    two.profile.arcs = {{0, 0, in_h, in_f}, {0, 0, in_f, in_h}, {0, 0, in_f, in_f}};
    two.profile.arc_counts = {9, 8, 7};
    const Gmon gmon = two.written();
    EXPECT_EQ(gmon.bins, (std::map<uint64_t, uint64_t>{{0x400100, 5}}));
    EXPECT_EQ(gmon.arcs, (decltype(Gmon::arcs){{{0x400108, 0x400108}, 7}}));
}

TEST(ExportGmon, has_short_addresses_for_a_32_bit_image) {
    Diagnostics notes;
    TwoFunctions two{{0x104, 5}};
    EXPECT_EQ(export_gmon(two.profile, 0, 8, notes).size() - export_gmon(two.profile, 0, 4, notes).size(),
              8u);
}

TEST(ExportGmon, knows_the_local_names_that_gprof_reads) {
    for (const char* name : {"f", "f.", "f.0", "f.1234.5", "f.constprop.0", "f.clone.0", "f.1.constprop.2",
                             "f.constprop.0.clone.1", ".constprop.0"})
        EXPECT_TRUE(gprof_reads_local(name)) << name;
    for (const char* name :
         {"f$a", "f$1.0", "f.isra.0", "f.part.0", "f.cold", "f.cold.0", "f.lto_priv.0", "f.constprop",
          "f.constprop.x", "f.constprop.0.cold", "f.isra.0.constprop.1", "f.clone", "f.1x"})
        EXPECT_FALSE(gprof_reads_local(name)) << name;
}

}  // namespace op::pp
