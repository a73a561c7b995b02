// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "libpp/export/exporter.h"
#include "libpp/export/profile_part.h"
#include "libpp/report/writer.h"
#include "tests/unit/fake_symbols.h"

namespace op::pp {

namespace {

using Words = std::vector<std::string>;

ProfileClass of_event(const char* event, uint64_t count, uint64_t unit_mask = 0) {
    return {event, count, unit_mask, {}, {}, {}};
}
ProfileClass of_process(const char* event, uint32_t tgid, uint32_t tid) {
    return {event, 100, 0, tgid, tid, {}};
}

/// Samples of two applications in three columns: event E of processes 1 and 2, event F of process 1.
struct TwoApplications {
    test::FakeSymbols symbols{{"f", 0x100, 0x20}};
    Profile profile;

    TwoApplications() {
        profile.columns = {of_process("E", 1, 1), of_process("E", 2, 2), of_process("F", 1, 1)};
        profile.images = {{ImageName{ImageName::Kind::file, "/bin/b"}, &symbols},
                          {ImageName{ImageName::Kind::file, "/bin/a"}, nullptr}};
        profile.symbols = {{0, &symbols.symbols()[0]}};
        profile.locations = {{0, 0, ImageOffset{0x100}}, {0, 0, ImageOffset{0x104}}};
        profile.frames = {0, 1};
        profile.samples = {{0, 0, 1}, {1, 1, 1}};
        profile.counts = {5, 0, 1, 2, 3, 0};
        profile.arcs = {{1, 1, 0, 1}};
        profile.arc_counts = {0, 3, 0};
        profile.check();
    }
};

}  // namespace

TEST(Exporters, are_found_by_name_and_no_writer_has_it) {
    for (const Exporter& exporter : exporters()) {
        EXPECT_EQ(find_exporter(exporter.name), &exporter);
        EXPECT_EQ(find_writer(exporter.name), nullptr);
    }
    EXPECT_EQ(find_exporter("text"), nullptr);
}

TEST(Exporters, event_names_are_as_short_as_distinct_names_can_be) {
    const std::vector<ProfileClass> one{of_event("E", 100), of_event("F", 100)};
    EXPECT_EQ(event_names(one), (Words{"E", "F"}));
    const std::vector<ProfileClass> counts{of_event("E", 100), of_event("E", 200)};
    EXPECT_EQ(event_names(counts), (Words{"E:100", "E:200"}));
    const std::vector<ProfileClass> masks{of_event("E", 100, 1), of_event("E", 100, 0x1f)};
    EXPECT_EQ(event_names(masks), (Words{"E:100:0x01", "E:100:0x1f"}));
    const std::vector<ProfileClass> processes{of_process("E", 1, 1), of_process("E", 2, 2)};
    EXPECT_EQ(event_names(processes), (Words{"E", "E"}));
}

TEST(ProfilePart, is_an_application_of_a_process) {
    const TwoApplications two;
    const auto parts = profile_parts(two.profile);
    ASSERT_EQ(parts.size(), 3u);
    EXPECT_EQ(parts[0].app, 1u) << "by name, not by index";
    EXPECT_EQ(parts[0].tgid, 1u);
    EXPECT_EQ(parts[1].app, 1u);
    EXPECT_EQ(parts[1].tgid, 2u);
    EXPECT_EQ(parts[2].app, 0u);
    EXPECT_EQ(parts[2].columns, (std::vector<uint32_t>{0, 2}));
}

TEST(ProfilePart, every_sample_and_call_is_in_one) {
    const TwoApplications two;
    uint64_t samples = 0, calls = 0;
    for (const ProfilePart& part : profile_parts(two.profile)) {
        const Profile profile = profile_of(two.profile, part);
        profile.check();
        for (const uint64_t count : profile.counts)
            samples += count;
        for (const uint64_t count : profile.arc_counts)
            calls += count;
    }
    EXPECT_EQ(samples, 11u);
    EXPECT_EQ(calls, 3u);
}

}  // namespace op::pp
