// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/profile/arrange.h"

#include <gtest/gtest.h>

#include "libop/base/error.h"

namespace op::pp {

namespace {

using Words = std::vector<std::string>;

SelectedFile file(const std::string& name) {
    const std::string image = "{root}/bin/a/{dep}/{root}/bin/a/";
    const std::string path = name.starts_with('{') ? name : image + name;
    const auto parsed = parse_sample_path(path);
    EXPECT_TRUE(parsed) << path;
    return {0, path, parsed.value_or(SampleName{})};
}

std::vector<SelectedFile> files(const Words& names) {
    std::vector<SelectedFile> result;
    for (const auto& name : names)
        result.push_back(file(name));
    return result;
}

Words heads(const ProfileClasses& classes) {
    Words result;
    for (const auto& one : classes.classes)
        result.push_back(one.short_name(classes.axis));
    return result;
}

std::string error_of(const Words& names, const Merge& merge = {}) {
    try {
        arrange(files(names), merge);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        return error.what();
    }
    return "no error";
}

Merge merge_of(const Words& values) {
    return parse_merge(values);
}

}  // namespace

TEST(Merge, tgid_implies_tid_and_all_is_everything) {
    EXPECT_TRUE(merge_of({"tgid"}).tid);
    EXPECT_FALSE(merge_of({"tid"}).tgid);
    const Merge all = merge_of({"all"});
    EXPECT_TRUE(all.cpu && all.tid && all.tgid && all.unit_mask && all.library);
    EXPECT_TRUE(merge_of({"lib"}).library && merge_of({"library"}).library);
    EXPECT_THROW(merge_of({"everything"}), Error);
}

TEST(Merge, builds_are_no_samples_to_merge) {
    EXPECT_THROW(merge_of({"build"}), Error);
    EXPECT_FALSE(parse_merge(Words{"build"}, true).library);
    EXPECT_THROW(parse_merge(Words{"everything"}, true), Error);
}

TEST(ProfileClasses, may_differ_in_several_ways_on_request) {
    const auto all = files({"E.1.0.7.8.0", "E.1.0.7.9.0", "F.1.0.7.9.1"});
    EXPECT_EQ(arrange(all, {}, true).axis, Axis::several);
    EXPECT_EQ(arrange(all, {}, true).classes.size(), 3u);
    EXPECT_EQ(arrange(files({"E.1.0.7.8.all", "E.1.0.7.9.all"}), {}, true).axis, Axis::tid);
}

TEST(ProfileClasses, one_class_is_on_the_event_axis) {
    const auto classes = arrange(files({"E.100.0.all.all.all"}), {});
    EXPECT_EQ(classes.axis, Axis::event);
    EXPECT_EQ(heads(classes), Words{"E:100"});
}

TEST(ProfileClasses, events_are_ordered_by_unit_mask_then_name_then_count_as_text) {
    const auto classes = arrange(
        files({"B.6000.0.all.all.all", "B.10000.0.all.all.all", "C.5.0.all.all.all", "A.5.1.all.all.all"}),
        {});
    EXPECT_EQ(heads(classes), (Words{"B:10000", "B:6000", "C:5", "A:5"}));
}

TEST(ProfileClasses, numbers_are_in_numeric_order_with_all_last) {
    const auto cpus = arrange(files({"E.1.0.all.all.10", "E.1.0.all.all.9", "E.1.0.all.all.all"}), {});
    EXPECT_EQ(cpus.axis, Axis::cpu);
    EXPECT_EQ(heads(cpus), (Words{"cpu:9", "cpu:10", "cpu:all"}));
}

TEST(ProfileClasses, process_and_thread_may_differ_together_for_main_threads_only) {
    const auto classes = arrange(files({"E.1.0.7.7.all", "E.1.0.8.8.all"}), {});
    EXPECT_EQ(classes.axis, Axis::tid);
    EXPECT_EQ(heads(classes), (Words{"tid:7", "tid:8"}));
    EXPECT_EQ(arrange(files({"E.1.0.7.7.all", "E.1.0.8.9.all"}), {}).axis, Axis::event);
}

TEST(ProfileClasses, a_conflict_lists_at_most_five_values_and_suggests_what_to_merge) {
    Words names{"E.1.0.all.all.0", "F.1.0.all.all.1"};
    for (int cpu = 2; cpu < 9; ++cpu)
        names.push_back("E.1.0.all.all." + std::to_string(cpu));
    const auto error = error_of(names);
    EXPECT_NE(error.find("parameter event with values: E,F,"), std::string::npos) << error;
    EXPECT_NE(error.find("values: 0,1,2,3,4 and 4 more"), std::string::npos) << error;
    EXPECT_NE(error.find("--merge=cpu"), std::string::npos) << error;
    EXPECT_EQ(error_of(names, merge_of({"cpu"})), "no error");
}

TEST(ProfileClasses, processes_and_threads_that_columns_cannot_show_are_added_up) {
    const Words threads{"E.1.0.1.1.all", "E.1.0.1.2.all", "E.1.0.3.3.all"};
    const auto merged = arrange(files(threads), {});
    EXPECT_TRUE(merged.are_threads_merged);
    EXPECT_EQ(heads(merged), Words{"E:1"});
    EXPECT_EQ(merged.images.at(0).parts.at(0).files.size(), 3u);
    EXPECT_FALSE(arrange(files(threads), merge_of({"tid"})).are_threads_merged);
    EXPECT_FALSE(arrange(files(threads), {}, true).are_threads_merged);
    EXPECT_EQ(heads(arrange(files({"E.1.0.1.1.0", "E.1.0.1.2.1"}), {})), (Words{"cpu:0", "cpu:1"}));
    EXPECT_EQ(heads(arrange(files({"E.1.0.1.1.all", "F.1.0.2.2.all"}), {})), (Words{"E:1", "F:1"}));
    EXPECT_NE(error_of({"E.1.0.1.1.0", "F.1.0.1.2.1"}).find("--merge=cpu"), std::string::npos);
}

TEST(ProfileClasses, added_up_processes_have_advice_that_shows_them) {
    const auto advice = [](const Words& names, const Merge& merge) {
        return arrange(files(names), merge).separate_with;
    };
    const Words threads{"E.1.0.1.1.all", "E.1.0.1.2.all", "E.1.0.3.3.all"};
    EXPECT_EQ(advice(threads, {}), "--merge=tid for a column per process");
    EXPECT_EQ(arrange(files(threads), merge_of({"tid"})).axis, Axis::tgid);
    const Words cpus{"E.1.0.1.1.0", "E.1.0.1.2.1", "E.1.0.3.3.0"};
    EXPECT_EQ(advice(cpus, {}), "--merge=tid,cpu for a column per process");
    EXPECT_EQ(advice(cpus, merge_of({"cpu"})), "--merge=tid,cpu for a column per process");
    EXPECT_EQ(arrange(files(cpus), merge_of({"tid", "cpu"})).axis, Axis::tgid);
    const Words of_one{"E.1.0.1.1.0", "E.1.0.1.2.1"};
    EXPECT_EQ(advice(of_one, {}), "--merge=cpu for a column per thread");
    EXPECT_EQ(arrange(files(of_one), merge_of({"cpu"})).axis, Axis::tid);
    const Words masks{"E.1.0.1.1.all", "E.1.2.1.2.all", "E.1.0.3.3.all"};
    EXPECT_EQ(advice(masks, merge_of({"unitmask"})), "--merge=tid,unitmask for a column per process");
    EXPECT_EQ(advice({"E.1.0.1.1.all", "F.1.2.3.3.all"}, {}),
              "event: and --merge=tid for a column per process");
    EXPECT_EQ(advice({"E.1.0.1.1.all", "F.1.0.1.2.all"}, {}), "event: for a column per thread");
    EXPECT_EQ(advice(threads, merge_of({"tid"})), "");
}

TEST(ProfileClasses, merged_unit_masks_are_ored) {
    const auto classes = arrange(files({"E.1.1.all.all.all", "E.1.4.all.all.all"}), merge_of({"unitmask"}));
    ASSERT_EQ(classes.classes.size(), 1u);
    EXPECT_EQ(classes.classes[0].unit_mask, 5u);
    EXPECT_EQ(classes.images.at(0).parts.at(0).files.size(), 2u);
}

TEST(ProfileClasses, an_image_is_listed_once_with_a_part_per_application) {
    const auto selected = files({"{root}/bin/a/{dep}/{root}/lib/l/E.1.0.all.all.all",
                                 "{root}/bin/b/{dep}/{root}/lib/l/E.1.0.all.all.all", "E.1.0.all.all.all"});
    const auto classes = arrange(selected, {});
    ASSERT_EQ(classes.images.size(), 2u);
    EXPECT_EQ(classes.images[0].image.name, "/bin/a");
    EXPECT_EQ(classes.images[1].image.name, "/lib/l");
    ASSERT_EQ(classes.images[1].parts.size(), 2u);
    EXPECT_EQ(classes.images[1].parts[1].app.name, "/bin/b");
    EXPECT_EQ(classes.images[1].parts[1].files.at(0).file, 1u);
}

TEST(ProfileClasses, merged_libraries_are_applications_of_their_own) {
    const auto selected = files({"{root}/bin/a/{dep}/{root}/lib/l/E.1.0.all.all.all",
                                 "{root}/bin/b/{dep}/{root}/lib/l/E.1.0.all.all.all"});
    const auto classes = arrange(selected, merge_of({"lib"}));
    ASSERT_EQ(classes.images.size(), 1u);
    ASSERT_EQ(classes.images[0].parts.size(), 1u);
    EXPECT_EQ(classes.images[0].parts[0].app.name, "/lib/l");
    EXPECT_EQ(classes.images[0].parts[0].files.size(), 2u);
}

}  // namespace op::pp
