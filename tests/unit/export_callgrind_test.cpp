// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "libpp/export/exporter.h"
#include "tests/unit/fake_symbols.h"

namespace op::pp {

namespace {

/// f calls g; each has samples. Lines are offsets (see FakeSymbols).
struct Caller {
    test::FakeSymbols symbols{{"f", 0x100, 0x20}, {"g", 0x120, 0x20}};
    Profile profile;

    Caller() {
        profile.columns = {ProfileClass{"E", 100, 0, {}, {}, {}}};
        profile.images = {{ImageName{ImageName::Kind::file, "/bin/a"}, &symbols}};
        profile.symbols = {{0, &symbols.symbols()[0]}, {0, &symbols.symbols()[1]}};
        profile.locations = {{0, 0, ImageOffset{0x104}},
                             {0, 1, ImageOffset{0x124}},
                             {0, Location::no_symbol, ImageOffset{0x900}}};
        profile.frames = {0, 1, 2};
        profile.samples = {{0, 0, 1}, {0, 1, 1}, {0, 2, 1}};
        profile.counts = {5, 7, 2};
    }
    void call(uint64_t from, uint32_t callee, uint64_t count) {
        profile.locations.push_back({0, 0, ImageOffset{from}});
        profile.arcs.push_back({0, 0, static_cast<uint32_t>(profile.locations.size() - 1), callee});
        profile.arc_counts.push_back(count);
    }
    std::string written() const {
        profile.check();
        return find_exporter("callgrind")->write(profile, {});
    }
};

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != text.npos;
}

}  // namespace

TEST(ExportCallgrind, counts_every_sample_also_those_in_no_symbol) {
    const std::string text = Caller{}.written();
    EXPECT_TRUE(holds(text, "\nsummary: 14\n"));
    EXPECT_TRUE(text.ends_with("\ntotals: 14\n"));
    EXPECT_TRUE(holds(text, "fn=(1) f\n0x400104 260 5\n")) << text;
    EXPECT_TRUE(holds(text, "fn=(3) ???\n0x900 0 2\n")) << text;
}

TEST(ExportCallgrind, a_call_is_at_the_byte_before_its_return_address) {
    Caller caller;
    caller.call(0x110, 1, 7);
    EXPECT_TRUE(holds(caller.written(),
                      "cob=(1)\ncfi=(2) /src/g.c\ncfn=(2) g\ncalls=7 0x400120 288\n0x40010f 271 7\n"))
        << caller.written();
}

TEST(ExportCallgrind, calls_add_nothing_to_the_totals) {
    Caller caller;
    caller.call(0x110, 1, 7);
    EXPECT_TRUE(caller.written().ends_with("\ntotals: 14\n"));
}

TEST(ExportCallgrind, calls_of_a_function_from_one_place_are_one) {
    Caller caller;
    caller.call(0x110, 1, 7);
    caller.call(0x110, 1, 4);
    EXPECT_TRUE(holds(caller.written(), "calls=11 "));
}

TEST(ExportCallgrind, a_name_that_would_end_the_line_does_not) {
    Caller caller;
    caller.profile.images[0].name.name = "/bin/a\nfn=evil";
    EXPECT_TRUE(holds(caller.written(), "ob=(1) /bin/a?fn=evil\n"));
}

TEST(ExportCallgrind, names_of_columns_are_words) {
    Caller caller;
    caller.profile.columns = {ProfileClass{"1-E", 100, 0, 17, 18, 3}};
    const std::string text = caller.written();
    EXPECT_TRUE(holds(text, "\nevents: e1_E\n")) << text;
    EXPECT_TRUE(holds(text, "\npid: 17\nthread: 18\n"));
}

TEST(ExportCallgrind, names_of_columns_contain_their_differences) {
    Caller caller;
    caller.profile.columns = {ProfileClass{"E", 100, 0, 17, 18, 3}, ProfileClass{"E", 100, 0, 17, 19, 3}};
    caller.profile.counts = {5, 0, 7, 1, 2, 0};
    const std::string text = caller.written();
    EXPECT_TRUE(holds(text, "\nevents: E_tid18 E_tid19\nsummary: 14 1\n")) << text;
    EXPECT_TRUE(holds(text, "\npid: 17\n"));
    EXPECT_FALSE(holds(text, "\nthread: "));
}

}  // namespace op::pp
