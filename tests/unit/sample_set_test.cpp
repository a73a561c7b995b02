// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/profile/sample_set.h"

#include <gtest/gtest.h>

#include "tests/unit/faults.h"
#include "tests/unit/temp_dir.h"

namespace op::pp {

namespace {

/// A session with seven samples and five arcs of event E:100, and a second one with three samples.
class SampleSets : public ::testing::Test {
protected:
    SampleSets() {
        SessionWriter writer(dir_.path(), false, notes_);
        writer.begin(false);
        add(writer, flat(), {{0x10, 3}, {0x20, 4}});
        SampleName arcs = flat();
        arcs.callee = arcs.image;
        add(writer, arcs, {{0x1000000020, 5}});
        writer.save_as("saved");
        add(writer, flat(), {{0x10, 3}});
        sessions_.emplace_back(dir_ / "samples/saved");
        sessions_.emplace_back(dir_ / "samples/current");
        for (size_t i = 0; i < sessions_.size(); ++i)
            for (const std::string& path : sessions_[i].list())
                files_.push_back({i, path, *parse_sample_path(path)});
    }

    static SampleName flat() {
        SampleName name;
        name.app = name.image = {ImageName::Kind::file, "/bin/app"};
        name.event = "E";
        name.count = 100;
        return name;
    }

    void add(SessionWriter& writer, const SampleName& name,
             const std::vector<std::pair<uint64_t, uint32_t>>& entries) {
        SampleFile file = writer.open_sample_file(name, {}, notes_);
        for (const auto& [key, count] : entries)
            file.add(key, count);
    }

    /// A set whose sessions have these times of the event in their accounts.
    SampleSet set(const std::vector<CountedTime>& times, std::optional<uint64_t> accounted = {}) {
        for (const CountedTime& time : times) {
            RecordedEvent event{"E", 0, 100};
            event.time = time;
            events_.push_back({event});
        }
        return SampleSet(sessions_, files_, events_, accounted, notes_);
    }

    /// Totals of all files, those with calls first.
    static std::vector<uint64_t> totals(SampleSet& samples, size_t files) {
        std::vector<uint64_t> sums;
        for (size_t i = 0; i < files; ++i)
            sums.push_back(samples.read(i).value().total);
        return sums;
    }

    test::TempDir dir_;
    Diagnostics notes_;
    std::vector<SessionReader> sessions_;
    std::vector<SelectedFile> files_;
    std::vector<std::vector<RecordedEvent>> events_;
};

using Totals = std::vector<uint64_t>;

}  // namespace

TEST_F(SampleSets, sessions_without_an_account_count_as_they_are) {
    SampleSet samples(sessions_, files_, {}, {}, notes_);
    ASSERT_EQ(files_.size(), 3u);
    ASSERT_TRUE(files_[0].name.callee || files_[1].name.callee);
    const Totals found = totals(samples, 3);
    EXPECT_EQ(found[0] + found[1], 12u);
    EXPECT_EQ(found[2], 3u);
    EXPECT_FALSE(samples.scaled(0));
}

TEST_F(SampleSets, samples_and_calls_are_scaled_by_their_own_session) {
    SampleSet samples = set({{4000, 1000}, {2000, 2000}});
    const Totals found = totals(samples, 3);
    EXPECT_EQ(found[0] + found[1], 48u);
    EXPECT_EQ(found[2], 3u);
    EXPECT_EQ(samples.scaled(0), (ScaledEvent{"saved", "E", 100, 0, {4000, 1000}}));
    EXPECT_EQ(samples.scaled(1), samples.scaled(0));
    EXPECT_FALSE(samples.scaled(2));
    EXPECT_TRUE(notes_.warnings().empty());
}

TEST_F(SampleSets, columns_know_what_is_scaled_in_them) {
    const SampleSet samples = set({{4000, 1000}, {4000, 2000}});
    ProfileClasses classes;
    classes.classes.resize(2);
    classes.images = {{files_[0].name.image, {{files_[0].name.app, {{0, 0}, {1, 0}, {2, 1}}}}}};
    const auto columns = scaled_columns(classes, samples);
    ASSERT_EQ(columns.size(), 2u);
    EXPECT_EQ(columns[0], ScaledEvents{*samples.scaled(0)});
    EXPECT_EQ(columns[1].at(0).session, "current");
    EXPECT_EQ(columns[1].at(0).time, (CountedTime{4000, 2000}));
    classes.images.clear();
    EXPECT_TRUE(scaled_columns(classes, samples).empty());
}

TEST_F(SampleSets, the_account_is_compared_with_unscaled_counts) {
    SampleSet samples = set({{4000, 1000}, {4000, 1000}}, 10);
    totals(samples, 3);
    EXPECT_TRUE(notes_.warnings().empty());
    SampleSet fewer = set({}, 6);
    totals(fewer, 3);
    ASSERT_EQ(notes_.warnings().size(), 1u);
    EXPECT_TRUE(test::contains(notes_.warnings()[0], "holds 7 samples, but only 6"));
}

TEST_F(SampleSets, samples_of_an_event_that_never_ran_are_a_warning_and_stay) {
    SampleSet samples = set({{4000, 0}, {4000, 0}});
    const Totals found = totals(samples, 3);
    EXPECT_EQ(found[0] + found[1] + found[2], 15u);
    EXPECT_FALSE(samples.scaled(0));
    ASSERT_EQ(notes_.warnings().size(), 1u);
    EXPECT_TRUE(test::contains(notes_.warnings()[0], "E:100 was never counted"));
}

}  // namespace op::pp
