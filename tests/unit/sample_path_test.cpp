// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/session/sample_path.h"

#include <gtest/gtest.h>

#include <random>

#include "libop/base/error.h"

using namespace std::literals;

namespace op {

namespace {

ImageName file(std::string path) {
    return {ImageName::Kind::file, std::move(path), 0, 0, 0};
}
ImageName kernel(std::string name) {
    return {ImageName::Kind::kernel, std::move(name), 0, 0, 0};
}
ImageName anon(std::string label, uint32_t tgid, uint64_t start, uint64_t end) {
    return {ImageName::Kind::anon, std::move(label), tgid, start, end};
}

SampleName sample(ImageName app, ImageName image) {
    SampleName name;
    name.app = std::move(app);
    name.image = std::move(image);
    name.event = "TIMER";
    name.count = 1000000;
    return name;
}

SampleName sample(ImageName image) {
    return sample(file("/usr/bin/foo"), std::move(image));
}

bool is_refused(const SampleName& name) {
    try {
        mangle(name);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
        return true;
    }
    return false;
}

}  // namespace

TEST(SamplePath, file_images_are_spelled_below_root) {
    EXPECT_EQ(mangle(sample(file("/usr/lib/libc.so.6"))),
              "{root}/usr/bin/foo/{dep}/{root}/usr/lib/libc.so.6/TIMER.1000000.0.all.all.all");
}

TEST(SamplePath, kernel_images_are_spelled_by_bare_name) {
    EXPECT_EQ(mangle(sample(kernel("ext4"))),
              "{root}/usr/bin/foo/{dep}/{kern}/ext4/TIMER.1000000.0.all.all.all");
}

TEST(SamplePath, anonymous_regions_are_spelled_with_process_and_bounds) {
    EXPECT_EQ(mangle(sample(anon("[heap]", 42, 0xAB000, 0xABFFF))),
              "{root}/usr/bin/foo/{dep}/{anon:[heap]}/42.0xab000.0xabfff/TIMER.1000000.0.all.all.all");
}

TEST(SamplePath, call_graphs_name_the_callee_and_separation_fills_the_last_fields) {
    SampleName name = sample(kernel("ext4"));
    name.callee = kernel("jbd2");
    name.unit_mask = 3;
    name.tgid = 10;
    name.tid = 11;
    name.cpu = 0;
    EXPECT_EQ(mangle(name), "{root}/usr/bin/foo/{dep}/{kern}/ext4/{cg}/{kern}/jbd2/TIMER.1000000.3.10.11.0");
}

TEST(SamplePath, display_is_what_people_read) {
    EXPECT_EQ(file("/a/b").display(), "/a/b");
    EXPECT_EQ(kernel("ext4").display(), "ext4");
    EXPECT_EQ(anon("anon", 7, 0x1000, 0x1fff).display(), "anon (tgid:7 range:0x1000-0x1fff)");
    EXPECT_EQ(anon("[vdso]", 7, 0x1000, 0x1fff).display(), "[vdso] (tgid:7 range:0x1000-0x1fff)");
    EXPECT_EQ(anon("[vdso]", 0, 0, 0x1fff).display(), "[vdso]") << "that of all processes";
}

TEST(SamplePath, parts_that_would_lead_astray_are_refused) {
    for (const auto& path : {""s, "/"s, "relative"s, "/a/../b"s, "/a/./b"s, "/a//b"s, "/a/"s, "/a\0b"s})
        EXPECT_TRUE(is_refused(sample(file(path)))) << path;
    for (const auto& name : {""s, "a/b"s, "."s, ".."s, "{cg}"s, "a\0"s})
        EXPECT_TRUE(is_refused(sample(kernel(name)))) << name;
    for (const auto& label : {""s, "a/b"s, "a\0"s})
        EXPECT_TRUE(is_refused(sample(anon(label, 1, 0, 1)))) << label;
    EXPECT_TRUE(is_refused(sample(anon("anon", 1, 2, 1))));
}

TEST(SamplePath, events_that_would_break_the_name_are_refused) {
    for (const auto& event : {""s, "a.b"s, "a/b"s, "a:b"s, "{dep}"s, "a\0"s}) {
        SampleName name = sample(kernel("ext4"));
        name.event = event;
        EXPECT_TRUE(is_refused(name)) << event;
    }
}

TEST(SamplePath, foreign_bytes_in_names_are_kept) {
    for (const auto& path : {"/tmp/a b\n\xff{}/\xc3"s, "/memfd:{x} (deleted)"s, "/..."s, "/a/b}"s}) {
        const SampleName name = sample(file(path));
        EXPECT_EQ(parse_sample_path(mangle(name)), name) << path;
    }
    const SampleName name = sample(anon("{anon:x}}", 1, 0, ~0ull));
    EXPECT_EQ(parse_sample_path(mangle(name)), name);
}

TEST(SamplePath, components_that_begin_with_a_brace_are_kept_and_tags_among_them_escaped) {
    for (const auto& path : {"/a/{x"s, "/{"s, "/{{}/b"s, "/{root}"s, "/a/{dep}/{cg}/b"s, "/{{dep}/{{{kern}"s,
                             "/{anon:x}/1.0x2.0x3"s, "/{{anon:}"s, "/{anon:"s, "/{deps}/{dep"s}) {
        SampleName name = sample(file(path), file(path));
        name.callee = file(path);
        EXPECT_EQ(parse_sample_path(mangle(name)), name) << mangle(name);
    }
    EXPECT_TRUE(
        mangle(sample(file("/{x/{dep}"))).ends_with("/{dep}/{root}/{x/{{dep}/TIMER.1000000.0.all.all.all"));
}

TEST(SamplePath, parse_skips_any_prefix_before_the_first_tag) {
    const auto name = parse_sample_path(
        "/var/lib/oprofile/samples/current/../x/{root}/bin/a/{dep}/{root}/bin/b/CYCLES.5.1.all.all.2");
    ASSERT_TRUE(name);
    EXPECT_EQ(name->app, file("/bin/a"));
    EXPECT_EQ(name->image, file("/bin/b"));
    EXPECT_EQ(name->event, "CYCLES");
    EXPECT_EQ(name->count, 5u);
    EXPECT_EQ(name->unit_mask, 1u);
    EXPECT_EQ(name->tgid, std::nullopt);
    EXPECT_EQ(name->cpu, 2u);
}

TEST(SamplePath, parse_accepts_what_other_writers_spell) {
    const auto name = parse_sample_path(
        "{kern}/no-vmlinux/{dep}/{anon:[vdso]}/9.0xFF.0x100/ignored/{cg}/{anon:anon}/9.0x0.0x1/"
        "TIMER.0.0.9.9.all");
    ASSERT_TRUE(name);
    EXPECT_EQ(name->app, kernel("no-vmlinux"));
    EXPECT_EQ(name->image, anon("[vdso]", 9, 0xff, 0x100));
    EXPECT_EQ(name->callee, anon("anon", 9, 0, 1));
    EXPECT_EQ(name->count, 0u);
    EXPECT_EQ(name->tgid, 9u);
    EXPECT_TRUE(parse_sample_path("{root}/tmp/{odd}/a/{dep}/{kern}/b/E.1.0.all.all.all"));
}

TEST(SamplePath, parse_gives_nothing_for_other_paths) {
    for (const char* path : {
             "",
             "/",
             "stats/lost_kernel",
             "manifest.json",
             "{root}/a/E.1.0.all.all.all",                          // no {dep}
             "{root}/a/{dep}/E.1.0.all.all.all",                    // no image
             "{root}/{dep}/{root}/a/E.1.0.all.all.all",             // empty application
             "{root}/a/{dep}/{root}/E.1.0.all.all.all",             // empty image
             "{root}/a/{dep}/{root}/a/{dep}/E.1.0.all.all.all",     // tag out of place
             "{root}/a/{root}/b/{dep}/{root}/a/E.1.0.all.all.all",  // image in an image
             "{root}/a/{dep}/{root}/a/{cg}/E.1.0.all.all.all",      // no callee
             "{root}/a/{dep}/{kern}/a/b/E.1.0.all.all.all",         // '/' in a module
             "{root}/a/../b/{dep}/{root}/a/E.1.0.all.all.all",      // leads elsewhere
             "{root}/a//b/{dep}/{root}/a/E.1.0.all.all.all",        // empty component
             "{root}/a/{dep}/{root}/a/E.1.0.all.all",               // five fields
             "{root}/a/{dep}/{root}/a/E.1.0.all.all.all.jo",        // seven fields
             "{root}/a/{dep}/{root}/a/.1.0.all.all.all",            // no event
             "{root}/a/{dep}/{root}/a/E..0.all.all.all",            // no count
             "{root}/a/{dep}/{root}/a/E.1.x.all.all.all",           // no number
             "{root}/a/{dep}/{root}/a/E.1.0.4294967296.all.all",    // tgid too large
             "{root}/a/{dep}/{root}/a/E.18446744073709551616.0.all.all.all",
             "{root}/a/{dep}/{root}/a/E.1.0.all.all.",
             "{root}/a/{dep}/{anon:anon}/5.jo",
             "{root}/a/{dep}/{anon:anon}/5.0x1/E.1.0.all.all.all",
             "{root}/a/{dep}/{anon:anon}/5.1.2/E.1.0.all.all.all",
             "{root}/a/{dep}/{anon:}/5.0x1.0x2/E.1.0.all.all.all",
             "{root}/a/{dep}/{root}/a/E.1.0.all.all.all/",
         })
        EXPECT_EQ(parse_sample_path(path), std::nullopt) << path;
    EXPECT_EQ(parse_sample_path("{root}/a\0b/{dep}/{root}/a/E.1.0.all.all.all"sv), std::nullopt);
}

TEST(SamplePath, parse_inverts_mangle_for_random_names) {
    std::mt19937_64 random(7);
    const auto word = [&](std::string_view alphabet) {
        std::string text;
        for (size_t n = 1 + random() % 6; n > 0; --n)
            text += alphabet[random() % alphabet.size()];
        return text;
    };
    const auto image = [&]() -> ImageName {
        switch (random() % 3) {
            case 0:
                return file("/" + word("ab.{}: \xff") + "/" + word("xy._-{}"));
            case 1:
                return kernel(word("mod_.{}0"));
            default:
                return anon(word("[heap]{}.:"), random(), random() >> random() % 64, random());
        }
    };
    const auto id = [&] { return random() % 2 ? std::optional<uint32_t>(random()) : std::nullopt; };
    int accepted = 0;
    for (int i = 0; i < 20000; ++i) {
        SampleName name{image(), image(), {}, word("EVENT_{}"), random(), random(), id(), id(), id()};
        if (random() % 2) name.callee = image();
        if (is_refused(name)) continue;
        ++accepted;
        ASSERT_EQ(parse_sample_path(mangle(name)), name) << mangle(name);
        ASSERT_EQ(parse_sample_path("some/prefix/" + mangle(name)), name);
    }
    EXPECT_GT(accepted, 2000);
}

}  // namespace op
