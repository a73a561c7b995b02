// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/annotate/annotate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "libpp/annotate/write_annotated.h"
#include "tests/unit/fake_symbols.h"

namespace op::pp {

namespace {

/// A profile of one image: a sample each at the start of its symbols.
Profile profile_of(ImageSymbols& symbols) {
    Profile profile;
    profile.columns.resize(1);
    profile.images.push_back({ImageName{ImageName::Kind::file, "/bin/a", 0, 0, 0}, &symbols});
    for (const ImageSymbol& symbol : symbols.symbols()) {
        const auto n = static_cast<uint32_t>(profile.symbols.size());
        profile.symbols.push_back({0, &symbol, false});
        profile.locations.push_back({0, n, symbol.start});
        profile.frames.push_back(n);
        profile.samples.push_back({0, n, 1});
        profile.counts.push_back(1);
    }
    profile.check();
    return profile;
}

}  // namespace

TEST(Annotate, inclusive_counts_follow_inlined_calls_to_the_outermost_caller) {
    test::FakeSymbols symbols{{"main", 16, 16}};
    symbols.frames_at[16] = {{"find", "/usr/include/c++/12/bits/stl_tree.h", 5},
                             {"find", "/usr/include/c++/12/bits/stl_tree.h", 5},  // recursion counts once
                             {"lookup", "/src/own.h", 7},
                             {"", "/src/main.c", 16}};
    const Profile profile = profile_of(symbols);
    ReportOptions options;
    options.inclusive = true;
    const Annotation annotation = annotate(profile, {}, options);
    ASSERT_EQ(annotation.files.size(), 3u);
    EXPECT_EQ(annotation.files[0].path, "/src/main.c") << "the tree has as many samples, and is no own file";
    EXPECT_EQ(annotation.files[0].inclusive, (std::map<uint32_t, Counts>{{16, {1}}}));
    EXPECT_EQ(annotation.files[1].path, "/src/own.h");
    EXPECT_EQ(annotation.files[1].inclusive_total, Counts{1});
    EXPECT_EQ(annotation.files[1].totals, Counts{0});
    EXPECT_EQ(annotation.files[2].inclusive, (std::map<uint32_t, Counts>{{5, {1}}}));
    EXPECT_FALSE(annotation.is_aside(annotation.files[1]));
    EXPECT_TRUE(annotation.is_aside(annotation.files[2]));
}

// A caller's line is that of the call: its return address may begin another one.
TEST(Annotate, inclusive_counts_follow_the_stack) {
    test::FakeSymbols symbols{{"work", 16, 16}, {"main", 32, 16}};
    symbols.frames_at[16] = {{"", "/src/work.c", 3}};
    symbols.frames_at[39] = {{"run", "/src/run.h", 4}, {"", "/src/main.c", 9}};
    symbols.frames_at[40] = {{"", "/src/main.c", 10}};
    Profile profile = profile_of(symbols);
    profile.locations.push_back({0, 1, ImageOffset{40}});
    profile.samples = {{0, 0, 1}};
    profile.counts = {8};
    // main calls itself, then work; once the stack is cut.
    StackTree& tree = profile.stacks;
    tree.add({0, 0, StackNodeKind::root});
    const uint32_t app = tree.add({0, 0, StackNodeKind::application});
    const uint32_t again = tree.add({tree.add({app, 2, StackNodeKind::call}), 2, StackNodeKind::call});
    const uint32_t cut = tree.add({app, StackTree::no_stack, StackNodeKind::cut});
    tree.counts = {{tree.add({again, 0, StackNodeKind::code}), 0, 5},
                   {tree.add({cut, 0, StackNodeKind::code}), 0, 3}};
    profile.check();
    ReportOptions options;
    options.inclusive = true;
    const Annotation annotation = annotate(profile, {}, options);
    const auto lines = [&](std::string_view path) {
        const auto file = std::ranges::find(annotation.files, path, &AnnotatedFile::path);
        return file == annotation.files.end() ? std::map<uint32_t, Counts>{} : file->inclusive;
    };
    EXPECT_EQ(lines("/src/work.c"), (std::map<uint32_t, Counts>{{3, {8}}}));
    EXPECT_EQ(lines("/src/run.h"), (std::map<uint32_t, Counts>{{4, {5}}}));
    EXPECT_EQ(lines("/src/main.c"), (std::map<uint32_t, Counts>{{9, {5}}}));
}

TEST(Annotate, without_inclusive_counts_files_are_in_the_order_of_their_own) {
    test::FakeSymbols symbols{{"../usr/include/tree", 16, 16}, {"main", 32, 16}};
    Profile profile = profile_of(symbols);
    profile.counts = {2, 1};
    const Annotation annotation = annotate(profile, {}, {});
    ASSERT_EQ(annotation.files.size(), 2u);
    EXPECT_EQ(annotation.files[0].path, "/src/../usr/include/tree.c");
    EXPECT_FALSE(annotation.is_aside(annotation.files[1]));
}

TEST(Annotate, files_of_libraries_are_listed_with_their_totals) {
    Annotation annotation;
    annotation.totals = {200};
    annotation.is_inclusive = true;
    const AnnotatedFile tree{"/usr/include/tree.h", {0}, {}, {}, {}, {150}, {}, SourceOrigin::library};
    const AnnotatedFile* const aside[] = {&tree};
    EXPECT_EQ(
        annotation_aside(annotation, aside),
        "/* \n * Files of packages and libraries; the lines that lead to them have their samples, too.\n"
        " * --include-file=NAME lists one.\n * \n"
        " *                   150 75.0000 : /usr/include/tree.h\n */\n");
    EXPECT_EQ(annotation_aside(annotation, {}), "");
}

TEST(SourceOrigin, goes_by_path_and_by_the_images_with_samples) {
    EXPECT_EQ(origin_of("/home/u/a.cpp", false), SourceOrigin::own);
    EXPECT_EQ(origin_of("/home/u/include/a.h", false), SourceOrigin::own);
    EXPECT_EQ(origin_of("malloc/malloc.c", true), SourceOrigin::package);
    for (const char* path :
         {"/usr/include/c++/12/bits/stl_tree.h", "/usr/lib/gcc/x86_64-linux-gnu/12/include/a.h",
          "/opt/gcc/include/c++/14/map", "/home/u/.cargo/registry/src/x/lib.rs", "/home/u/go/pkg/mod/x/y.go",
          "/rustc/0123/library/core/src/lib.rs"})
        EXPECT_EQ(origin_of(path, false), SourceOrigin::library) << path;
}

TEST(SourceOrigin, images_of_packages_are_those_of_the_system) {
    const auto of = [](const char* path) { return is_packaged({ImageName::Kind::file, path}); };
    for (const char* path :
         {"/usr/bin/python3", "/lib/x86_64-linux-gnu/libc.so.6", "/sbin/init", "nf_tables"})
        EXPECT_TRUE(of(path)) << path;
    for (const char* path : {"/usr/local/bin/own", "/home/u/a.out", "/opt/x/bin/y"})
        EXPECT_FALSE(of(path)) << path;
    EXPECT_TRUE(is_packaged({ImageName::Kind::kernel, "kallsyms"}));
    EXPECT_FALSE(is_packaged({ImageName::Kind::anon, "[heap]"}));
}

TEST(Annotate, a_function_that_was_compiled_again_is_one_with_its_versions) {
    // Lines are offsets: the copies begin at one line, as those of a run-time compiler do.
    struct Recompiled : test::FakeSymbols {
        Recompiled() : FakeSymbols{{"fib", 16, 16}, {"fib", 32, 16}, {"other", 48, 16}, {"fib", 64, 16}} {}
        std::optional<SourceLine> line(ImageOffset) override { return SourceLine{"/src/a.java", 3}; }
    } symbols;
    Profile profile = profile_of(symbols);
    profile.counts = {2, 5, 1, 0};
    Annotation annotation = annotate(profile, {}, {});
    ASSERT_EQ(annotation.files.size(), 1u);
    const AnnotatedFile& file = annotation.files[0];
    ASSERT_EQ(file.symbols.size(), 2u);
    EXPECT_EQ(file.symbols[0].name, "fib");
    EXPECT_EQ(file.symbols[0].counts, Counts{7});
    ASSERT_EQ(file.symbols[0].versions.size(), 2u);
    EXPECT_EQ(file.symbols[0].versions[0].address, LinkAddress{0x400020});
    EXPECT_EQ(file.symbols[0].versions[0].counts, Counts{5});
    EXPECT_EQ(file.symbols[1].counts, Counts{1});
    EXPECT_TRUE(file.symbols[1].versions.empty());
    EXPECT_EQ(
        annotated_lines(annotation, file, "a\nb\nc\n"),
        "               :a\n               :b\n"
        "     8 100.000 :c /* fib      7 87.5000 (2 versions:      5 62.5000 at 400020;      2 25.0000 at "
        "400010), other      1 12.5000, total:      8 100.000 */\n");
    EXPECT_EQ(annotated_lines(annotation, file, std::nullopt),
              "     7 87.5000 : /* fib total:      7 87.5000 (2 versions:      5 62.5000 at 400020;      2 "
              "25.0000 at 400010) */\n"
              "     1 12.5000 : /* other total:      1 12.5000 */\n");
}

TEST(Annotate, a_file_is_one_however_it_is_spelled) {
    test::FakeSymbols symbols{{"../sysdeps/x", 16, 16}, {"string/../../sysdeps/x", 32, 16}, {"y", 48, 16}};
    const Profile profile = profile_of(symbols);
    const Annotation annotation = annotate(profile, {}, {});
    ASSERT_EQ(annotation.files.size(), 2u);
    const AnnotatedFile& file = annotation.files[0];
    EXPECT_EQ(file.path, "/src/../sysdeps/x.c");
    EXPECT_EQ(file.totals, Counts{2});
    EXPECT_EQ(file.lines, (std::map<uint32_t, Counts>{{16, {1}}, {32, {1}}}));
    EXPECT_EQ(file.symbols.size(), 2u);
}

}  // namespace op::pp
