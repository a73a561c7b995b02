// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/profile/join_builds.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "libpp/report/report.h"
#include "tests/unit/fake_symbols.h"

namespace op::pp {

namespace {

using Words = std::vector<std::string>;

ImageName image(const std::string& path) {
    return {ImageName::Kind::file, path};
}

/// Two files of /bin/a, and what their session records of them.
struct TwoFiles {
    test::FakeSymbols old_file{{"alpha", 0x100, 0x10}, {"beta", 0x110, 0x10}, {"[0x120]", 0x120, 0x10}};
    test::FakeSymbols new_file{{"beta", 0x100, 0x10}, {"alpha", 0x110, 0x10}, {"[0x120]", 0x120, 0x10}};
    Profile profile;
    SessionInfo info;

    explicit TwoFiles(const std::string& first = "/bin/a", const std::string& second = "/bin/a@22") {
        for (const std::string& name : {first, second})
            if (name != "/bin/a") info.images[name].path = "/bin/a";
        profile.columns.push_back({"E", 100, 0, {}, {}, {}});
        add(first, old_file);
        add(second, new_file);
        profile.check();
    }

    /// One sample, two and four of the three functions, and sixteen in none.
    void add(const std::string& name, test::FakeSymbols& symbols) {
        const auto index = static_cast<uint32_t>(profile.images.size());
        profile.images.push_back({image(name), &symbols});
        for (const ImageSymbol& symbol : symbols.symbols()) {
            profile.symbols.push_back({index, &symbol});
            add_sample(index, static_cast<uint32_t>(profile.symbols.size() - 1), symbol.start);
        }
        add_sample(index, Location::no_symbol, ImageOffset{0});
        profile.counts.insert(profile.counts.end(), {1, 2, 4, 16});
    }

    void add_sample(uint32_t image, uint32_t symbol, ImageOffset offset) {
        profile.samples.push_back({image, static_cast<uint32_t>(profile.frames.size()), 1});
        profile.frames.push_back(static_cast<uint32_t>(profile.locations.size()));
        profile.locations.push_back({image, symbol, offset});
    }

    /// "APPLICATION IMAGE SYMBOL COUNT" of each row.
    Words rows() const {
        ReportHead head;
        head.columns = profile.columns;
        const SymbolReport report = report_symbols(profile, head, {});
        Words rows;
        for (size_t i = 0; i < report.rows.size(); ++i) {
            const SymbolRow& row = report.rows[i];
            rows.push_back(report.columns.images[row.app] + " " + report.columns.images[row.image] + " " +
                           std::string(row.name) + " " + std::to_string(report.counts[i]));
        }
        return rows;
    }
};

}  // namespace

TEST(JoinBuilds, functions_of_one_name_are_one_row_at_the_path) {
    TwoFiles files;
    join_builds(files.profile, files.info);
    EXPECT_EQ(files.rows(), (Words{"a a [no symbol] 32", "a a [0x120] 4", "a a@22 [0x120] 4", "a a alpha 3",
                                   "a a beta 3"}));
}

TEST(JoinBuilds, rows_are_at_the_path_though_its_first_file_has_no_samples) {
    TwoFiles files("/bin/a@11", "/bin/a@22");
    join_builds(files.profile, files.info);
    EXPECT_EQ(files.rows(), (Words{"a a [no symbol] 32", "a a@11 [0x120] 4", "a a@22 [0x120] 4",
                                   "a a alpha 3", "a a beta 3"}));
}

TEST(JoinBuilds, other_paths_stay_as_they_are) {
    TwoFiles files("/bin/a", "/bin/b");
    files.info.images.clear();
    const Words apart = files.rows();
    join_builds(files.profile, files.info);
    EXPECT_EQ(files.rows(), apart);
    EXPECT_EQ(apart.size(), 8u);
}

TEST(JoinBuilds, run_time_code_that_was_compiled_twice_is_one_row_where_processes_are_joined) {
    TwoFiles files;
    test::FakeSymbols twice{{"gamma", 0x100, 0x10}, {"gamma", 0x110, 0x10}};
    Profile& profile = files.profile;
    const auto index = static_cast<uint32_t>(profile.images.size());
    profile.images.push_back({{ImageName::Kind::anon, "[jit] 7"}, &twice});
    for (const ImageSymbol& symbol : twice.symbols()) {
        profile.symbols.push_back({index, &symbol});
        files.add_sample(index, static_cast<uint32_t>(profile.symbols.size() - 1), symbol.start);
        profile.counts.push_back(5);
    }
    profile.check();
    const auto rows_of_gamma = [&] {
        const Words rows = files.rows();
        return std::ranges::count_if(rows,
                                     [](const std::string& row) { return row.find("gamma") != row.npos; });
    };
    EXPECT_EQ(rows_of_gamma(), 2);
    join_rows(profile, [](const ImageName& name) { return name; });
    EXPECT_EQ(rows_of_gamma(), 2);
    join_rows(profile, [](const ImageName& name) {
        return name.kind == ImageName::Kind::anon ? ImageName{name.kind, "[jit]"} : name;
    });
    EXPECT_EQ(rows_of_gamma(), 1);
}

TEST(JoinBuilds, totals_are_those_of_all_files) {
    SessionInfo info;
    info.images["/bin/a@22"].path = "/bin/a";
    const std::vector<ImageTotal> totals{{image("/bin/a"), image("/bin/a"), {1}},
                                         {image("/bin/a"), image("/lib/l"), {2}},
                                         {image("/bin/a@22"), image("/bin/a@22"), {4}},
                                         {image("/bin/a@22"), image("/lib/l"), {8}}};
    const auto joined = join_builds(totals, info);
    ASSERT_EQ(joined.size(), 2u);
    EXPECT_EQ(joined[0].app, image("/bin/a"));
    EXPECT_EQ(joined[0].image, image("/bin/a"));
    EXPECT_EQ(joined[0].counts, std::vector<uint64_t>{5});
    EXPECT_EQ(joined[1].counts, std::vector<uint64_t>{10});
}

TEST(JoinBuilds, remark_names_the_paths_with_their_number_of_files) {
    SessionInfo info;
    info.images["/bin/a@22"].path = "/bin/a";
    std::vector<ImageFiles> images{{image("/bin/a"), {}}, {image("/bin/b"), {}}};
    for (ImageFiles& one : images)
        one.parts.push_back({one.image, {}});
    EXPECT_TRUE(join_remarks(images, info).empty());
    images.push_back({image("/bin/a@22"), {{image("/bin/a@22"), {}}}});
    EXPECT_EQ(join_remarks(images, info), Words{"several files of one path are joined: /bin/a (2)"});
}

}  // namespace op::pp
