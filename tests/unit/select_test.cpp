// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/profile/select.h"

#include <gtest/gtest.h>

#include "libop/base/error.h"
#include "tests/unit/temp_dir.h"

namespace op::pp {

namespace {

using Words = std::vector<std::string>;

SampleName sample(const std::string& app, const std::string& image, const std::string& rest) {
    const auto spell = [](const std::string& name) {
        return name.starts_with('/') ? "{root}" + name + "/" : "{kern}/" + name + "/";
    };
    return parse_sample_path(spell(app) + "{dep}/" + spell(image) + rest).value();
}

const SampleName demo = sample("/bin/demo", "/bin/demo", "E.100.1.7.8.2");
const SampleName library = sample("/bin/demo", "/lib/libx.so", "E.100.1.7.8.2");
const SampleName module = sample("/bin/demo", "ext4", "E.100.1.7.8.2");
const SampleName merged = sample("/bin/demo", "/bin/demo", "F.100.1.all.all.all");

bool matches(const Words& words, const SampleName& name, bool is_exact = false) {
    const ProfileSpec spec = parse_profile_spec(words);
    ImageSearch search;
    search.paths = {{"/bin/demo@ab", "/bin/demo"}};
    const ImageFinder finder(search);
    Diagnostics notes;
    return SampleFilter(spec, finder, is_exact).matches(name, "/sessions/a", mangle(name), notes);
}

/// The error a selection from a session directory with these sample files ends in, or how many it selects.
std::string outcome(const test::TempDir& dir, const Words& words) {
    try {
        const ProfileSpec spec = parse_profile_spec(words);
        const ImageFinder finder{ImageSearch{}};
        Diagnostics notes;
        const auto sessions = open_sessions(spec, dir.path());
        return std::to_string(select_files(sessions, spec, {}, finder, notes).size());
    } catch (const Error& error) {
        return error.what();
    }
}

const std::string demo_path = "{root}/bin/demo/{dep}/{root}/bin/demo/E.100.0.all.all.all";

}  // namespace

TEST(SampleFilter, without_restrictions_takes_everything) {
    EXPECT_TRUE(matches({}, demo) && matches({}, library) && matches({}, merged));
}

TEST(SampleFilter, compares_event_count_and_unit_mask_exactly) {
    EXPECT_TRUE(matches({"event:E,G", "count:100", "unit-mask:1"}, demo));
    EXPECT_FALSE(matches({"event:F"}, demo));
    EXPECT_FALSE(matches({"count:10"}, demo));
    EXPECT_FALSE(matches({"unit-mask:0"}, demo));
}

TEST(SampleFilter, a_file_of_all_threads_never_matches_a_number) {
    EXPECT_TRUE(matches({"tgid:7", "tid:8", "cpu:2"}, demo));
    EXPECT_FALSE(matches({"cpu:3"}, demo));
    EXPECT_FALSE(matches({"cpu:2"}, merged));
    EXPECT_TRUE(matches({"cpu:all"}, merged));
}

TEST(SampleFilter, image_is_the_application_and_lib_image_what_the_samples_are_in) {
    EXPECT_TRUE(matches({"image:/bin/demo"}, library));
    EXPECT_FALSE(matches({"image:/lib/libx.so"}, library));
    EXPECT_TRUE(matches({"lib-image:/lib/libx.so"}, library));
    EXPECT_FALSE(matches({"lib-image:/lib/libx.so"}, demo));
    EXPECT_TRUE(matches({"lib-image:ext4"}, module));
}

TEST(SampleFilter, a_bare_word_names_either) {
    EXPECT_TRUE(matches({"/bin/demo"}, library));
    EXPECT_TRUE(matches({"/lib/libx.so"}, library));
    EXPECT_FALSE(matches({"/lib/libx.so"}, demo));
    EXPECT_TRUE(matches({"/lib/libx.so", "/bin/demo"}, demo));
    EXPECT_TRUE(matches({"/absent", "image:/bin/demo"}, demo));
}

TEST(SampleFilter, a_star_crosses_slashes) {
    EXPECT_TRUE(matches({"image:/*mo"}, demo));
    EXPECT_TRUE(matches({"*libx*"}, library));
    EXPECT_FALSE(matches({"image:/b?mo"}, demo));
}

TEST(SampleFilter, an_exact_name_is_no_pattern_and_no_path_of_another_file) {
    const SampleName other = sample("/bin/demo@ab", "/bin/demo@ab", "E.100.1.7.8.2");
    EXPECT_TRUE(matches({"/bin/demo"}, other) && matches({"/bin/demo*"}, other));
    EXPECT_FALSE(matches({"/bin/demo"}, other, true) || matches({"/bin/demo*"}, other, true));
    EXPECT_FALSE(matches({"image:/bin/demo"}, other, true) || matches({"lib-image:/bin/demo"}, other, true));
    EXPECT_TRUE(matches({"/bin/demo@ab"}, other, true) && matches({"/bin/demo"}, library, true));
    EXPECT_TRUE(matches({}, other, true));
    EXPECT_FALSE(matches({"image-exclude:/bin/demo"}, other, true)) << "what is left out is as before";
}

TEST(SampleFilter, excluded_images_are_dropped_by_either_name) {
    EXPECT_FALSE(matches({"image-exclude:/lib/*"}, library));
    EXPECT_FALSE(matches({"image-exclude:/bin/demo"}, library));
    EXPECT_TRUE(matches({"image-exclude:/lib/*"}, demo));
    EXPECT_FALSE(matches({"image-exclude:/bin/demo", "/bin/demo"}, demo));
}

TEST(Selection, call_graph_files_are_not_samples) {
    const test::TempDir dir;
    dir.write("samples/current/" + demo_path, "");
    dir.write(
        "samples/current/{root}/bin/demo/{dep}/{root}/bin/demo/{cg}/{root}/bin/demo/E.100.0.all.all.all", "");
    EXPECT_EQ(outcome(dir, {}), "1");
}

TEST(Selection, memory_without_a_program_is_left_out_and_counted) {
    const test::TempDir dir;
    dir.write("samples/current/" + demo_path, "");
    for (const char* tgid : {"7", "8"}) {
        const std::string memory = "{anon:anon}/" + std::string(tgid) + ".0x1000.0x1fff/";
        dir.write("samples/current/" + memory + "{dep}/" + memory + "E.100.0.all.all.all", "");
    }
    const ProfileSpec spec = parse_profile_spec({});
    const ImageFinder finder{ImageSearch{}};
    Diagnostics notes;
    const auto sessions = open_sessions(spec, dir.path());
    EXPECT_EQ(select_files(sessions, spec, {}, finder, notes).size(), 1u);
    ASSERT_EQ(notes.warnings().size(), 1u);
    EXPECT_TRUE(notes.warnings()[0].starts_with("2 sample files left out")) << notes.warnings()[0];
}

TEST(Selection, names_sample_files_below_the_session_and_by_their_whole_path) {
    const test::TempDir dir;
    dir.write("samples/current/" + demo_path, "");
    dir.write("samples/current/{root}/bin/x/{dep}/{root}/bin/x/E.100.0.all.all.all", "");
    EXPECT_EQ(outcome(dir, {"sample-file:" + demo_path}), "1");
    EXPECT_EQ(outcome(dir, {"sample-file:" + dir.path() + "/samples/current/" + demo_path}), "1");
    EXPECT_EQ(outcome(dir, {"sample-file:" + dir.path() + "/*"}), "2");
    EXPECT_TRUE(outcome(dir, {"sample-file:" + dir.path() + "/samples/other/*"}).starts_with("No sample"));
}

TEST(Selection, without_dependent_images_neither_end_of_a_call_is_in_one) {
    const test::TempDir dir;
    const std::string own = "{root}/bin/demo/{dep}/{root}/bin/demo/", rest = "/E.100.0.all.all.all";
    dir.write("samples/current/" + demo_path, "");
    dir.write("samples/current/" + own + "{cg}/{root}/bin/demo" + rest, "");
    dir.write("samples/current/" + own + "{cg}/{root}/lib/libx.so" + rest, "");
    const ProfileSpec spec = parse_profile_spec({});
    const ImageFinder finder{ImageSearch{}};
    Diagnostics notes;
    const auto sessions = open_sessions(spec, dir.path());
    EXPECT_EQ(select_files(sessions, spec, {false, true}, finder, notes).size(), 3u);
    EXPECT_EQ(select_files(sessions, spec, {true, true}, finder, notes).size(), 2u);
}

TEST(Selection, sessions_may_hold_the_same_file) {
    const test::TempDir dir;
    dir.write("samples/current/" + demo_path, "");
    dir.write("samples/same/" + demo_path, "");
    dir.write("samples/other/{root}/bin/x/{dep}/{root}/bin/x/E.100.0.all.all.all", "");
    EXPECT_EQ(outcome(dir, {"session:current,other"}), "2");
    EXPECT_EQ(outcome(dir, {"session:current,same"}), "2");
    EXPECT_EQ(outcome(dir, {"session:" + dir.path() + "/samples/same"}), "1");
}

TEST(Selection, a_word_that_is_the_whole_name_of_no_image_is_a_base_name) {
    const test::TempDir dir;
    dir.write("samples/current/" + demo_path, "");
    dir.write("samples/current/{root}/opt/demo/{dep}/{root}/opt/demo/E.100.0.all.all.all", "");
    dir.write("samples/current/{root}/opt/demo/{dep}/{kern}/ext4/E.100.0.all.all.all", "");
    dir.write("samples/current/{root}/bin/ext4/{dep}/{root}/bin/ext4/E.100.0.all.all.all", "");
    EXPECT_EQ(outcome(dir, {"demo"}), "3");
    EXPECT_EQ(outcome(dir, {"image:demo"}), "3");
    EXPECT_EQ(outcome(dir, {"/opt/demo"}), "2");
    EXPECT_EQ(outcome(dir, {"image-exclude:demo"}), "1");
    EXPECT_EQ(outcome(dir, {"lib-image:ext4"}), "1") << "one image is that";
    EXPECT_NE(outcome(dir, {"dem"}).find("use a pattern, as '*dem*'"), std::string::npos)
        << outcome(dir, {"dem"});
}

TEST(Selection, a_pattern_without_a_directory_is_explained) {
    const test::TempDir dir;
    dir.write("samples/current/" + demo_path, "");
    EXPECT_NE(outcome(dir, {"dem*"}).find("of whole paths, as '*/dem*'"), std::string::npos)
        << outcome(dir, {"dem*"});
    EXPECT_EQ(outcome(dir, {"*/dem*"}), "1");
}

TEST(Selection, an_archive_is_recognised_where_a_session_directory_is_wanted) {
    const test::TempDir dir;
    dir.write("var/lib/oprofile/samples/current/" + demo_path, "");
    EXPECT_NE(outcome(dir, {}).find("read it with archive:" + dir.path()), std::string::npos)
        << outcome(dir, {});
}

TEST(Selection, an_empty_selection_suggests_a_remedy) {
    const test::TempDir dir;
    EXPECT_NE(outcome(dir, {}).find("--session-dir"), std::string::npos);
    dir.write("samples/current/stats/x", "");
    EXPECT_NE(outcome(dir, {}).find("No sample found"), std::string::npos);
    dir.write("samples/operf.data", "");
    EXPECT_NE(outcome(dir, {}).find("samples/operf.data holds samples that were not"), std::string::npos);
    dir.write("samples/current/" + demo_path, "");
    EXPECT_NE(outcome(dir, {"event:F"}).find("recorded: E:100"), std::string::npos);
    EXPECT_NE(outcome(dir, {"session:" + dir.path()}).find("No sample found"), std::string::npos);
}

}  // namespace op::pp
