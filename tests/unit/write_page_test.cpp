// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/page/write_page.h"

#include <gtest/gtest.h>

#include "libop/base/gzip.h"
#include "libop/base/json.h"
#include "libpp/page/base64.h"
#include "libpp/page/pack_tree.h"
#include "libpp/page/page_files.h"
#include "tests/unit/fake_stacks.h"

namespace op::pp {

namespace {

constexpr auto dump_short = static_cast<uint32_t>(StackEnd::dump_short);

/// The inverse of base64().
std::string decoded(std::string_view text) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    uint32_t bits = 0, length = 0;
    for (const char c : text) {
        if (c == '=') break;
        bits = bits << 6 | static_cast<uint32_t>(digits.find(c));
        length += 6;
        if (length < 8) continue;
        length -= 8;
        bytes += static_cast<char>(bits >> length);
    }
    return bytes;
}

/// The content of a data block of a page.
std::string block_of(const std::string& html, const std::string& id) {
    const std::string head = "id=\"" + id + "\">";
    const size_t begin = html.find(head) + head.size();
    return gunzip(decoded(html.substr(begin, html.find('<', begin) - begin)), id);
}

/// A packed tree as lines, as page.js decodes it: two blanks for each level, then "NAME SELF" with a self
/// count for each column; a folded node is "[N smaller]".
class Unpacked {
public:
    Unpacked(std::string_view bytes, size_t columns, const std::vector<std::string>& names) : bytes_(bytes) {
        const size_t nodes = number();
        std::vector<uint64_t> depths, frames, selfs(nodes * columns);
        for (size_t i = 0; i < nodes; ++i) {
            const uint64_t step = number();
            depths.push_back(i == 0 ? step : depths.back() + 1 - step);
        }
        for (size_t i = 0; i < nodes; ++i)
            frames.push_back(number());
        totals.resize(columns);
        for (size_t column = 0; column < columns; ++column)
            for (size_t i = 0; i < nodes; ++i)
                totals[column] += selfs[i * columns + column] = number();
        for (size_t i = 0; i < nodes; ++i) {
            std::string line(2 * depths[i], ' ');
            if (frames[i] != 0) line += names[frames[i] - 1];
            if (i == 0) line += "all";
            if (i > 0 && frames[i] == 0) line += "[" + std::to_string(number()) + " smaller]";
            for (size_t column = 0; column < columns; ++column)
                line += " " + std::to_string(selfs[i * columns + column]);
            text += line + "\n";
        }
        EXPECT_EQ(at_, bytes_.size());
    }
    std::string text;
    std::vector<uint64_t> totals;

private:
    uint64_t number() {
        uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const auto byte = static_cast<unsigned char>(bytes_.at(at_++));
            value |= uint64_t{byte & 127u} << shift;
            if (byte < 128) return value;
        }
    }
    std::string_view bytes_;
    size_t at_ = 0;
};

/// The profiles of a page, with an event of its own for each column.
PageProfiles all_of(const std::vector<const Profile*>& sides) {
    PageProfiles profiles{sides, {}};
    for (const Profile* side : sides) {
        auto& events = profiles.events.emplace_back();
        for (size_t column = 0; column < side->columns.size(); ++column)
            events.push_back("E" + std::to_string(column));
    }
    return profiles;
}

Unpacked packed(const PageProfiles& profiles, uint64_t least, bool is_of_places = false) {
    PageFrames frames(profiles, Demangle::normal);
    const PageTree tree = is_of_places ? tree_of_places(frames) : tree_of_calls(frames);
    UsedFrames used(frames.size());
    const std::string bytes = pack_tree(tree, tree_totals(tree), least, used).bytes;
    std::vector<std::string> names;
    for (const uint32_t number : used.used())
        names.push_back(frames.frame(number).name);
    return {bytes, tree.columns, names};
}

Unpacked packed(const Profile& profile, uint64_t least, bool is_of_places = false) {
    return packed(all_of({&profile}), least, is_of_places);
}

/// Functions with names that hardly compress.
class ManySymbols : public test::FakeSymbols {
public:
    explicit ManySymbols(size_t functions) : FakeSymbols({}), names_(functions) {
        uint32_t state = 1;
        for (size_t i = 0; i < functions; ++i) {
            for (int letter = 0; letter < 60; ++letter) {
                state = state * 1664525 + 1013904223;
                names_[i] += static_cast<char>('a' + (state >> 24) % 26);
            }
            const uint64_t start = 0x1000 + i * 0x10;
            rows_.push_back({ImageOffset{start}, 0x10, LinkAddress{start + 0x400000}, names_[i], false});
        }
    }
    std::span<const ImageSymbol> symbols() const override { return rows_; }

private:
    std::vector<std::string> names_;
    std::vector<ImageSymbol> rows_;
};

/// A profile of many stacks, each with a name of its own in it.
void add_many(test::FakeStacks& made, test::FakeSymbols& symbols) {
    made.profile.images[0].symbols = &symbols;
    for (const ImageSymbol& symbol : symbols.symbols())
        made.add(0, {std::string(symbol.name)}, 3);
    made.add(0, {std::string(symbols.symbols()[0].name)}, 997);
}

WrittenPage page_of(const Profile& profile, uint64_t size = 5'000'000) {
    return write_page(all_of({&profile}), {.title = "test", .size = size});
}

std::vector<std::string> names_of(const WrittenPage& page) {
    const Json facts = parse_json(block_of(page.html, "data-facts"), "facts", "page", {});
    std::vector<std::string> names;
    for (const Json& name : *facts.find("names")->if_array())
        names.push_back(*name.if_string());
    return names;
}

}  // namespace

TEST(Base64, is_that_of_rfc_4648) {
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
    EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

TEST(PageFrames, show_what_is_of_the_kernel) {
    const auto kind_of = [](const char* path, ImageName::Kind kind = ImageName::Kind::file) {
        test::FakeStacks made;
        made.profile.images[1].name = {kind, path};
        made.add(0, {"main", "libc:malloc"}, 1);
        const Profile& profile = made.finish();
        const PageFrames frames(all_of({&profile}), Demangle::normal);
        for (uint32_t number = 0; number < frames.size(); ++number)
            if (frames.frame(number).name == "malloc") return frames.frame(number).kind;
        return PageKind::cut;
    };
    for (const char* const path : {"/proc/kallsyms", "no-vmlinux", "nf_tables", "/boot/vmlinux-6.1",
                                   "/lib/modules/6.1/kernel/nf.ko", "/lib/modules/6.1/kernel/nf.ko.xz"})
        EXPECT_EQ(kind_of(path), PageKind::kernel) << path;
    EXPECT_EQ(kind_of("vmlinux", ImageName::Kind::kernel), PageKind::kernel);
    for (const char* const path : {"/lib/libc.so.6", "/usr/lib/libkore.so", "/opt/vmlinux/lib.so"})
        EXPECT_EQ(kind_of(path), PageKind::library) << path;
}

TEST(PageTree, has_stacks_with_the_heaviest_first) {
    test::FakeStacks made;
    made.add(0, {"main@10", "f"}, 1);
    made.add(0, {"main@20", "f"}, 2);
    made.add(0, {"main", "libc:malloc"}, 4);
    made.add(2, {"main"}, 8);
    made.add(0, {"g"}, 1, dump_short);
    EXPECT_EQ(packed(made.finish(), 0).text,
              "all 0\n"
              "  app 0\n"
              "    main 0\n"
              "      malloc 4\n"
              "      f 3\n"
              "    [truncated: dump_short] 0\n"
              "      g 1\n"
              "  other 0\n"
              "    main 8\n");
}

TEST(PageTree, has_places_by_application_image_and_symbol) {
    test::FakeStacks made(2);
    made.add(0, {"main", "f"}, 1);
    made.add(0, {"main", "f@8"}, 4, 0, 1);
    made.add(0, {"main", "libc:"}, 2);
    made.add(2, {"main"}, 1);
    EXPECT_EQ(packed(made.finish(), 0, true).text,
              "all 0 0\n"
              "  app 0 0\n"
              "    app 0 0\n"
              "      f 0 0\n"
              "        f.c:520 0 4\n"
              "        f.c:516 1 0\n"
              "    libc.so 0 0\n"
              "      [libc.so] 2 0\n"
              "  other 0 0\n"
              "    other 0 0\n"
              "      main 0 0\n"
              "        main.c:260 1 0\n");
}

TEST(PageTree, folds_what_is_smaller_and_keeps_all_samples) {
    test::FakeStacks made;
    made.add(0, {"main", "f", "g"}, 1);
    made.add(0, {"main", "h"}, 2);
    made.add(0, {"main", "libc:malloc"}, 5);
    made.add(2, {"main"}, 1);
    EXPECT_EQ(packed(made.finish(), 3).text,
              "all 0\n"
              "  app 0\n"
              "    main 0\n"
              "      malloc 5\n"
              "      [3 smaller] 3\n"
              "  [2 smaller] 1\n");
    for (uint64_t least = 0; least < 11; ++least)
        EXPECT_EQ(packed(made.profile, least).totals, std::vector<uint64_t>{9}) << least;
    EXPECT_EQ(packed(made.profile, 100).text, "all 0\n  [8 smaller] 9\n");
}

TEST(PageTree, has_both_profiles_of_a_comparison_side_by_side) {
    test::FakeStacks before, after;
    before.add(0, {"main", "f"}, 1);
    before.add(0, {"main", "g"}, 5);
    after.add(0, {"main", "f"}, 3);
    after.add(0, {"main", "libc:malloc"}, 2);
    EXPECT_EQ(packed(all_of({&before.finish(), &after.finish()}), 0).text,
              "all 0 0\n"
              "  app 0 0\n"
              "    main 0 0\n"
              "      g 5 0\n"
              "      f 1 3\n"
              "      malloc 0 2\n");
}

TEST(PageTree, has_threads_above_applications) {
    test::FakeStacks made(2);
    made.profile.columns[0].tid = 7;
    made.profile.columns[1].tid = 8;
    made.profile.columns[1].thread_name = "worker";
    made.add(0, {"main", "f"}, 1, 0, 0);
    made.add(0, {"main", "f"}, 2, 0, 1);
    const PageProfiles profiles{{&made.finish()}, {{"E", "E"}}};
    EXPECT_EQ(packed(profiles, 0).text,
              "all 0\n"
              "  thread 8 (worker) 0\n"
              "    app 0\n"
              "      main 0\n"
              "        f 2\n"
              "  thread 7 0\n"
              "    app 0\n"
              "      main 0\n"
              "        f 1\n");
    EXPECT_EQ(packed(profiles, 0, true).totals, std::vector<uint64_t>{3});
}

TEST(PageSums, count_recursion_once) {
    test::FakeStacks made;
    made.add(0, {"main", "f@1", "f@2", "f"}, 2);
    made.add(0, {"main", "f"}, 3);
    const Profile& profile = made.finish();
    const PageFrames frames(all_of({&profile}), Demangle::normal);
    const PageSums sums = sum_by_frame(frames);
    for (uint32_t number = 0; number < frames.size(); ++number)
        if (frames.frame(number).name == "f") {
            EXPECT_EQ(sums.self[number], 5u);
            EXPECT_EQ(sums.total[number], 5u);
        }
}

TEST(WritePage, keeps_to_its_size_with_all_samples) {
    ManySymbols many(8000);
    test::FakeStacks made;
    add_many(made, many);
    const Profile& profile = made.finish();
    const WrittenPage whole = page_of(profile), small = page_of(profile, least_page_size);
    EXPECT_GT(whole.html.size(), least_page_size);
    EXPECT_EQ(whole.folded, 0u);
    EXPECT_LE(small.html.size(), least_page_size);
    EXPECT_EQ(small.folded, 7999u * 3);
    for (const WrittenPage* page : {&whole, &small})
        for (const char* tree : {"data-calls", "data-places"})
            EXPECT_EQ(Unpacked(block_of(page->html, tree), 1, names_of(*page)).totals,
                      std::vector<uint64_t>{8000u * 3 + 997});
}

TEST(WritePage, leaves_out_instructions_before_sources_before_stacks) {
    ManySymbols many(1000);
    test::FakeStacks made;
    add_many(made, many);
    const Profile& profile = made.finish();
    std::string noise;
    for (const ImageSymbol& symbol : many.symbols())
        noise += symbol.name;
    const auto page_with = [&](uint64_t size) {
        return write_page(all_of({&profile}),
                          {.title = "test",
                           .code = {{.location = profile.frames[0],
                                     .files = {{"a.c", {{1, noise, {5}}}}},
                                     .instructions = {{0x40, noise.substr(1) + noise, {5}}}}},
                           .size = size});
    };
    const WrittenPage whole = page_with(5'000'000), without_instructions = page_with(whole.html.size() - 1);
    const WrittenPage without_sources = page_with(without_instructions.html.size() - 1);
    EXPECT_TRUE(whole.has_instructions && whole.has_sources);
    EXPECT_TRUE(!without_instructions.has_instructions && without_instructions.has_sources);
    EXPECT_EQ(without_instructions.folded, 0u);
    EXPECT_FALSE(without_sources.has_sources);
    EXPECT_EQ(block_of(without_sources.html, "data-code"), "[]");
}

TEST(WritePage, has_names_as_data_only) {
    const std::string long_name(16'000, 'x');
    test::FakeSymbols hostile{{"</script><script>alert(1)</script>", 0x100, 0x10},
                              {"\"'><img src=x onerror=alert(1)>", 0x110, 0x10},
                              {"\x1b[2J\u202ecba\u2028\x7f", 0x120, 0x10},
                              {"\xff\xc0{{script}}", 0x130, 0x10},
                              {long_name.c_str(), 0x140, 0x10}};
    test::FakeStacks made;
    add_many(made, hostile);
    const WrittenPage page = page_of(made.finish());
    const auto count = [&](std::string_view what) {
        size_t found = 0;
        for (size_t at = page.html.find(what); at != page.html.npos; at = page.html.find(what, at + 1))
            ++found;
        return found;
    };
    EXPECT_EQ(count("</script>"), 5u);
    EXPECT_EQ(count("<img"), 0u);
    EXPECT_EQ(count("\x1b"), 0u);
    EXPECT_EQ(count("\u202e"), 0u);
    EXPECT_EQ(count("&lt;/script&gt;"), 2u);  // in the plain table
    EXPECT_EQ(count("{{script}}"), 1u);       // likewise: it is not replaced
    EXPECT_EQ(count(long_name), 0u);
    const std::vector<std::string> names = names_of(page);
    const auto has = [&](const std::string& name) { return std::ranges::count(names, name) == 1; };
    EXPECT_TRUE(has("</script><script>alert(1)</script>"));
    EXPECT_TRUE(has("?[2J?cba??"));
    EXPECT_TRUE(has("\uFFFD\uFFFD{{script}}"));
    EXPECT_TRUE(has(long_name));
}

TEST(WritePage, is_there_without_samples) {
    Profile none;
    none.columns.resize(1);
    const WrittenPage page = page_of(none);
    EXPECT_EQ(block_of(page.html, "data-calls"), "");
    EXPECT_EQ(Unpacked(block_of(page.html, "data-places"), 1, {}).text, "all 0\n");
}

TEST(WritePage, allows_its_own_script_and_nothing_else) {
    Profile none;
    none.columns.resize(1);
    const std::string html = page_of(none).html;
    EXPECT_NE(html.find("content=\"default-src 'none'; style-src '" + std::string(page_style_hash) +
                        "'; script-src '" + std::string(page_script_hash) + "'; img-src data:\""),
              html.npos);
    EXPECT_NE(html.find("<script>" + std::string(page_script) + "</script>"), html.npos);
    EXPECT_EQ(html.find("src=\"http"), html.npos);
    EXPECT_EQ(html.find("https://"), html.npos);
}

}  // namespace op::pp
