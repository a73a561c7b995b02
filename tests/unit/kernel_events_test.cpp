// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/events/kernel_events.h"

#include <gtest/gtest.h>

#include "tests/unit/faults.h"
#include "tests/unit/temp_dir.h"

namespace op {

namespace {

std::optional<std::string> format(const std::string& term) {
    if (term == "event") return "config:0-7,32-35";
    if (term == "umask") return "config:8-15";
    if (term == "edge") return "config:18";
    if (term == "ldlat") return "config1:0-15";
    return std::nullopt;
}

}  // namespace

TEST(KernelEvents, terms_are_placed_by_their_format) {
    const auto encoding = parse_kernel_event("event=0x1cd,umask=0x1,edge,ldlat=3", 4, format);
    ASSERT_TRUE(encoding);
    EXPECT_EQ(encoding->type, 4u);
    EXPECT_EQ(encoding->config, 0x1000401cdull);
    EXPECT_EQ(encoding->config1, 3u);
    EXPECT_EQ(parse_kernel_event("config=0x1234,config2=7", 1, format)->config2, 7u);
}

TEST(KernelEvents, malformed_descriptions_are_no_events) {
    EXPECT_EQ(parse_kernel_event("event=?", 4, format), std::nullopt);
    EXPECT_EQ(parse_kernel_event("odd=1", 4, format), std::nullopt);
    EXPECT_EQ(parse_kernel_event("umask=0x100", 4, format), std::nullopt);
    EXPECT_EQ(parse_kernel_event("", 4, format), std::nullopt);
    EventEncoding encoding;
    for (const char* place : {"config", "config:", "config:5-2", "config:64", "config:0-64", "odd:0-7", ""})
        EXPECT_FALSE(place_term(place, 1, encoding)) << place;
}

TEST(KernelEvents, a_tree_of_pmus_is_read) {
    const test::TempDir dir;
    dir.write("cpu/type", "4\n");
    dir.write("cpu/format/event", "config:0-7\n");
    dir.write("cpu/events/cpu-cycles", "event=0x3c\n");
    dir.write("cpu/events/cpu-cycles.scale", "2.0\n");
    dir.write("cpu/events/odd", "shape=round\n");
    dir.write("uncore_imc/type", "12\n");
    dir.write("uncore_imc/events/reads", "config=0x304\n");
    dir.write("typeless/events/a", "config=1\n");
    const auto events = kernel_events(dir.path());
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[0].name, "cpu-cycles");
    EXPECT_EQ(events[0].encoding.config, 0x3cu);
    EXPECT_EQ(events[1].pmu, "uncore_imc");
    EXPECT_EQ(events[1].encoding.type, 12u);
    EXPECT_EQ(kernel_pmu_type(dir.path(), "cpu"), 4u);
    EXPECT_EQ(kernel_pmu_type(dir.path(), "gone"), std::nullopt);
    EXPECT_TRUE(kernel_events(dir / "gone").empty());
}

TEST(KernelEvents, a_missing_file_is_empty_and_an_unreadable_one_an_error) {
    const test::TempDir dir;
    EXPECT_TRUE(kernel_events(dir / "absent").empty());
    EXPECT_EQ(kernel_pmu_type(dir.path(), "absent"), std::nullopt);
    dir.write("pmu/type/is_a_directory", "");
    EXPECT_TRUE(
        test::contains(test::fault(ErrorKind::system, [&] { kernel_events(dir.path()); }), "pmu/type: "));
}

}  // namespace op
