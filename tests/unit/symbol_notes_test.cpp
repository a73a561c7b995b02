// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/profile/symbol_notes.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/fixtures.h"
#include "tests/unit/temp_dir.h"

namespace op::pp {

namespace {

/// A profile of images that lie below tests/fixtures/root, or do not.
class SymbolNotes : public ::testing::Test {
protected:
    /// Samples at the image's byte 0xc5.
    void add(ImageName name, uint64_t samples) {
        const auto image = static_cast<uint32_t>(profile_.images.size());
        ImageSymbols& symbols = symbolizer_.symbols(name, 0);
        profile_.images.push_back({std::move(name), &symbols});
        profile_.frames.push_back(static_cast<uint32_t>(profile_.locations.size()));
        profile_.locations.push_back({image, Location::no_symbol, ImageOffset{0xc5}});
        profile_.samples.push_back({image, profile_.frames.back(), 1});
        profile_.counts.push_back(samples);
    }
    void add(const std::string& path, uint64_t samples) {
        add({ImageName::Kind::file, path, 0, 0, 0}, samples);
    }
    std::vector<std::string> notes_of_profile(bool wants_lines = false) {
        const SymbolizedProfile one{&profile_, &symbolizer_};
        note_missing_symbols(std::span(&one, 1), {wants_lines, nullptr, packages_.path()}, notes_);
        return notes_.take();
    }

    SymbolNotes() { profile_.columns.resize(1); }

    test::TempDir packages_;
    Diagnostics notes_;
    ImageFinder finder_{ImageSearch{"", test::fixture("root"), {}}};
    SessionInfo info_;
    Symbolizer symbolizer_{finder_, &info_, "", {}, notes_};
    Profile profile_;
};

}  // namespace

TEST_F(SymbolNotes, an_image_with_all_its_names_is_no_news) {
    add("/usr/bin/demo", 100);
    EXPECT_TRUE(notes_of_profile(true).empty());
}

TEST_F(SymbolNotes, large_images_have_a_line_each_the_largest_first) {
    add("/gone/small", 200);
    add("/usr/bin/demo", 500);
    add("/gone/large", 300);
    const auto notes = notes_of_profile();
    ASSERT_EQ(notes.size(), 2u);
    EXPECT_EQ(
        notes[0],
        "/gone/large (30.0 % of the samples) is not found; say where it is with --image-path or --root");
    EXPECT_TRUE(notes[1].starts_with("/gone/small (20.0 % of the samples) is not found")) << notes[1];
}

TEST_F(SymbolNotes, small_images_share_one_line) {
    add("/usr/bin/demo", 990);
    add("/gone/a", 4);
    add("/gone/b", 6);
    const auto notes = notes_of_profile();
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_EQ(notes[0], "2 further images lack symbols, with 1.0 % of the samples together");
}

TEST_F(SymbolNotes, two_profiles_share_their_lines) {
    add("/usr/bin/demo", 500);
    add("/gone/large", 300);
    Profile other = profile_;
    other.counts = {100, 100};
    const SymbolizedProfile both[] = {{&profile_, &symbolizer_}, {&other, &symbolizer_}};
    note_missing_symbols(both, {false, nullptr, packages_.path()}, notes_);
    ASSERT_EQ(notes_.warnings().size(), 1u);
    EXPECT_TRUE(notes_.warnings()[0].starts_with("/gone/large (40.0 % of the samples)"))
        << notes_.warnings()[0];
}

TEST_F(SymbolNotes, memory_without_a_file_is_explained) {
    add({ImageName::Kind::anon, "anon", 7, 0x1000, 0x2000}, 1);
    const auto notes = notes_of_profile();
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_EQ(
        notes[0],
        "anon (tgid:7 range:0x1000-0x2000) (100.0 % of the samples) is memory without a file: it has no "
        "symbols");
}

TEST_F(SymbolNotes, programs_that_do_not_name_their_code_share_one_note) {
    const auto add_code = [&](uint32_t tgid, const std::string& program) {
        add({ImageName::Kind::anon, "anon", tgid, 0x1000, 0x2000}, 50);
        profile_.samples.back().app = static_cast<uint32_t>(profile_.images.size());
        profile_.images.push_back({{ImageName::Kind::file, program}, nullptr});
    };
    add_code(7, "/usr/bin/node");
    add_code(8, "/opt/bin/node");
    add_code(9, "/usr/bin/python3.12");
    add_code(10, "/usr/bin/other");
    const auto notes = notes_of_profile();
    ASSERT_EQ(notes.size(), 5u);
    EXPECT_TRUE(
        notes[4].starts_with("to have names of code made at run time, run node with --perf-basic-prof"))
        << notes[4];
    EXPECT_TRUE(notes[4].ends_with("; run python 3.12 or newer with -X perf")) << notes[4];
}

TEST_F(SymbolNotes, a_heap_is_no_code_that_could_be_named) {
    add({ImageName::Kind::anon, "[heap]", 7, 0x1000, 0x2000}, 50);
    profile_.images[0].name.name = "[heap]";
    profile_.samples.back().app = 1;
    profile_.images.push_back({{ImageName::Kind::file, "/usr/bin/node"}, nullptr});
    EXPECT_EQ(notes_of_profile().size(), 1u);
}

TEST_F(SymbolNotes, an_image_without_samples_is_not_reported) {
    add("/usr/bin/demo", 1);
    add("/gone/a", 0);
    EXPECT_TRUE(notes_of_profile().empty());
}

TEST_F(SymbolNotes, images_that_the_question_is_not_about_are_passed_over) {
    add("/gone/asked", 200);
    add("/gone/other", 300);
    const SymbolizedProfile one{&profile_, &symbolizer_};
    const auto is_asked = [](const ImageName& image) { return image.name == "/gone/asked"; };
    note_missing_symbols(std::span(&one, 1), {false, is_asked, packages_.path()}, notes_);
    const auto notes = notes_.take();
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_TRUE(notes[0].starts_with("/gone/asked (40.0 % of the samples)")) << notes[0];
}

TEST_F(SymbolNotes, a_file_without_debug_symbols_is_named_by_its_package) {
    packages_.write("var/lib/dpkg/info/libdemo1.list", "/usr/lib/libdemo.so\n");
    add("/usr/lib/libdemo.so", 200);
    add("/usr/bin/demo", 300);
    add("/gone/program", 100);
    const auto notes = notes_of_profile(true);
    ASSERT_EQ(notes.size(), 2u);
    EXPECT_EQ(
        notes[0],
        "/usr/lib/libdemo.so (33.3 % of the samples) has no debug information, so no source lines; install "
        "libdemo1-dbgsym or set DEBUGINFOD_URLS");
    EXPECT_TRUE(notes[1].starts_with("/gone/program")) << notes[1];
}

TEST_F(SymbolNotes, a_distribution_has_an_archive_of_debug_packages_and_a_server) {
    packages_.write("etc/os-release", "ID=debian\nVERSION_CODENAME=bookworm\n");
    add("/usr/lib/libdemo.so", 200);
    packages_.write("var/lib/dpkg/info/libdemo1.list", "/usr/lib/libdemo.so\n");
    EXPECT_TRUE(notes_of_profile(true).at(0).ends_with(
        "; install libdemo1-dbgsym (archive debian-debug, suite bookworm-debug) or set "
        "DEBUGINFOD_URLS=https://debuginfod.debian.net"));
    std::filesystem::remove_all(packages_ / "var");
    packages_.write("var/lib/dpkg/info/libc6.list", "/usr/lib/libdemo.so\n");
    EXPECT_TRUE(notes_of_profile(true).at(0).ends_with(
        "; install libc6-dbg or set DEBUGINFOD_URLS=https://debuginfod.debian.net"));
}

TEST_F(SymbolNotes, images_beyond_those_wanted_share_the_line_of_the_small_ones) {
    add("/gone/a", 400);
    add("/gone/b", 300);
    add("/gone/c", 200);
    add("/gone/d", 100);
    const SymbolizedProfile one{&profile_, &symbolizer_};
    note_missing_symbols(std::span(&one, 1), {.package_root = packages_.path(), .most = 2}, notes_);
    const auto notes = notes_.take();
    ASSERT_EQ(notes.size(), 3u);
    EXPECT_TRUE(notes[1].starts_with("/gone/b"));
    EXPECT_EQ(notes[2], "2 further images lack symbols, with 30.0 % of the samples together");
}

TEST_F(SymbolNotes, samples_in_no_symbol_are_counted_by_image) {
    add("/usr/bin/demo", 3);
    add("/usr/bin/demo", 4);
    add("/usr/lib/libdemo.so", 1);
    const std::vector<std::string> expected{
        "3 samples of /usr/bin/demo lie outside its symbols and are not shown",
        "4 samples of /usr/bin/demo lie outside its symbols and are not shown",
        "1 sample of /usr/lib/libdemo.so lies outside its symbols and is not shown"};
    note_samples_in_no_symbol(profile_, notes_);
    EXPECT_EQ(notes_.take(), expected);
}

}  // namespace op::pp
