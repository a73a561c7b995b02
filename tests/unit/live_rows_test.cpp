// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/optop/live_rows.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/unit/fake_symbols.h"
#include "tests/unit/temp_dir.h"
#include "utils/optop/file_counts.h"

namespace op::tool {

namespace {

using test::FakeSymbols;

SampleName file_of(std::string image, std::string app, std::string event = "TIMER") {
    SampleName name;
    name.image.name = std::move(image);
    name.app.name = std::move(app);
    name.event = std::move(event);
    name.count = 1000;
    return name;
}

SampleFileContent content(std::vector<SampleEntry> entries) {
    SampleFileContent made;
    made.entries = std::move(entries);
    return made;
}

const Portion last_look{Portion::Kind::looks, {2, 2}}, all_looks{Portion::Kind::since_base};

/// A session of files of two images, looked at again and again.
class LiveRowsTest : public ::testing::Test {
protected:
    void add(const SampleName& name, std::vector<SampleEntry> entries) {
        for (const SampleEntry& entry : entries)
            writer_.open_sample_file(name, {}, notes_).add(entry.key, static_cast<uint32_t>(entry.count));
    }
    void look() { session_.look(++time_); }
    LiveRows rows(RowWish wish) {
        return maker_.make(session_, wish, [this](const ImageName& image, const SampleHeader&) {
            opened_.push_back(image.name);
            return PlacedSymbols{image.name == "/bin/a" ? &a_ : &b_};
        });
    }
    /// Of all samples since the start; of those before, none.
    LiveRows rows(size_t most, std::string filter = {}) {
        RowWish wish;
        wish.rows = most;
        wish.filter = std::move(filter);
        return rows(wish);
    }
    static std::string text(const LiveRows& made) {
        std::string all;
        for (const LiveRow& row : made.rows) {
            for (const std::string* part : {&row.symbol, &row.image, &row.app})
                if (!part->empty()) all += *part + " ";
            all += std::to_string(row.count.now);
            if (row.count.before > 0) all += " after " + std::to_string(row.count.before);
            all += row.is_significant ? "!\n" : "\n";
        }
        return all;
    }

    test::TempDir dir_;
    Diagnostics notes_;
    SessionWriter writer_ = [this] {
        SessionWriter writer(dir_.path(), true, notes_);
        writer.begin(false);
        return writer;
    }();
    LiveSession session_{dir_.path()};
    double time_ = 0;
    RowMaker maker_;
    FakeSymbols a_{{"one", 0, 16}, {"two", 16, 16}}, b_{{"three", 0, 64}};
    std::vector<std::string> opened_;
};

}  // namespace

TEST(FileCounts, a_window_is_what_was_added_since_the_look_before) {
    FileCounts counts;
    counts.update(content({{1, 10}, {2, 20}}), 1);
    EXPECT_EQ(counts.sum({Portion::Kind::looks, {1, 1}}), 30U) << "everything is new";
    EXPECT_TRUE(counts.update(content({{1, 10}, {2, 25}, {3, 1}}), 2));
    EXPECT_EQ(counts.sum(last_look), 6U);
    EXPECT_EQ(counts.sum(all_looks), 36U);
    std::map<uint64_t, uint64_t> seen;
    counts.visit(last_look, [&](uint32_t key, uint64_t samples) { seen[counts.keys()[key]] += samples; });
    EXPECT_EQ(seen, (std::map<uint64_t, uint64_t>{{2, 5}, {3, 1}}));
    counts.forget_before(3);
    EXPECT_EQ(counts.sum(last_look), 0U);
    EXPECT_EQ(counts.kept(), 0U);
    EXPECT_EQ(counts.sum(all_looks), 36U);
}

TEST(FileCounts, a_file_that_has_less_was_begun_again) {
    for (const auto& entries :
         {std::vector<SampleEntry>{{1, 9}, {2, 20}}, {{1, 10}}, {{2, 20}, {1, 10}}, {}}) {
        FileCounts counts;
        counts.update(content({{1, 10}, {2, 20}}), 1);
        const uint32_t generation = counts.generation();
        EXPECT_FALSE(counts.update(content(entries), 2));
        EXPECT_NE(counts.generation(), generation);
        EXPECT_EQ(counts.sum(last_look), counts.sum(all_looks)) << "all its samples are new";
    }
}

TEST_F(LiveRowsTest, functions_are_ordered_by_their_samples) {
    add(file_of("/bin/a", "/bin/a"), {{0, 100}, {4, 1}, {16, 5}});
    add(file_of("/bin/b", "/bin/a"), {{8, 50}});
    look();
    add(file_of("/bin/a", "/bin/a"), {{4, 1}, {16, 10}});
    look();
    EXPECT_EQ(text(rows(10)), "one /bin/a /bin/a 102\nthree /bin/b /bin/a 50\ntwo /bin/a /bin/a 15\n");
    RowWish wish;
    wish.now = last_look;
    EXPECT_EQ(text(rows(wish)), "two /bin/a /bin/a 10\none /bin/a /bin/a 1\n");
    wish.rows = 1;
    EXPECT_EQ(rows(wish).all, (LiveCount{11, 0})) << "of rows that are not listed, too";
}

TEST_F(LiveRowsTest, an_image_that_can_have_no_row_is_not_opened) {
    add(file_of("/bin/a", "/bin/a"), {{0, 100}});
    add(file_of("/bin/b", "/bin/a"), {{8, 99}});
    look();
    EXPECT_EQ(text(rows(1)), "one /bin/a /bin/a 100\n");
    EXPECT_EQ(opened_, std::vector<std::string>{"/bin/a"});
}

TEST_F(LiveRowsTest, applications_and_keys_without_symbol_have_rows_of_their_own) {
    add(file_of("/bin/a", "/bin/a"), {{0, 3}, {1000, 7}});
    add(file_of("/bin/a", "/bin/other"), {{0, 5}});
    look();
    add(file_of("/bin/a", "/bin/other", "CYCLES"), {{0, 50}});
    look();
    EXPECT_EQ(text(rows(10)), "(no symbol) /bin/a /bin/a 7\none /bin/a /bin/other 5\none /bin/a /bin/a 3\n");
    EXPECT_EQ(text(rows(10, "other")), "one /bin/a /bin/other 5\n");
    EXPECT_EQ(session_.events()[live_events(session_).front()].event, "CYCLES");
}

TEST_F(LiveRowsTest, rows_are_also_of_images_and_applications) {
    add(file_of("/bin/a", "/bin/a"), {{0, 3}});
    add(file_of("/bin/b", "/bin/a"), {{0, 1}});
    add(file_of("/bin/a", "/bin/other"), {{0, 5}});
    look();
    RowWish wish;
    wish.group = RowGroup::image;
    EXPECT_EQ(text(rows(wish)), "/bin/a 8\n/bin/b 1\n");
    wish.group = RowGroup::application;
    EXPECT_EQ(text(rows(wish)), "/bin/other 5\n/bin/a 4\n");
    EXPECT_TRUE(opened_.empty());
}

TEST_F(LiveRowsTest, one_image_application_or_mode_is_selected) {
    add(file_of("/bin/a", "/bin/a"), {{0, 3}});
    add(file_of("/bin/b", "/bin/a"), {{0, 1}});
    SampleName kernel = file_of("vmlinux", "/bin/a");
    kernel.image.kind = ImageName::Kind::kernel;
    add(kernel, {{0, 2}});
    look();
    RowWish wish;
    wish.mode = RowMode::kernel;
    EXPECT_EQ(text(rows(wish)), "three vmlinux /bin/a 2\n");
    EXPECT_EQ(rows(wish).all.now, 6U) << "shares are of all samples";
    wish.mode = RowMode::user;
    EXPECT_EQ(rows(wish).rows.size(), 2U);
    wish.image = rows(wish).rows[1].place.image;
    EXPECT_EQ(text(rows(wish)), "three /bin/b /bin/a 1\n");
}

TEST_F(LiveRowsTest, only_a_change_beyond_chance_is_significant) {
    add(file_of("/bin/a", "/bin/a"), {{0, 1}, {16, 1}});
    look();
    add(file_of("/bin/a", "/bin/a"), {{0, 500}, {16, 500}});
    look();
    add(file_of("/bin/a", "/bin/a"), {{0, 400}, {16, 560}});
    add(file_of("/bin/b", "/bin/a"), {{0, 4}});
    look();
    RowWish wish;
    wish.now = {Portion::Kind::looks, {3, 3}};
    wish.before = last_look;
    const LiveRows made = rows(wish);
    EXPECT_EQ(text(made),
              "two /bin/a /bin/a 560 after 500!\none /bin/a /bin/a 400 after 500!\n"
              "three /bin/b /bin/a 4\n");
    EXPECT_NEAR(made.rows[0].change, 560 / 964.0 - 0.5, 1e-9);
    EXPECT_FALSE(made.rows[2].probability) << "too few samples to be tested";
    wish.order = RowOrder::change;
    EXPECT_EQ(rows(wish).rows[0].symbol, "one") << "the greatest change";
    add(file_of("/bin/a", "/bin/a"), {{0, 410}, {16, 550}});
    look();
    wish.before = wish.now;
    wish.now = {Portion::Kind::looks, {4, 4}};
    for (const LiveRow& row : rows(wish).rows)
        EXPECT_FALSE(row.is_significant) << row.symbol;
}

TEST_F(LiveRowsTest, the_greatest_of_many_changes_is_tested_as_one_of_many) {
    const auto image = [](int i) { return file_of("/bin/i" + std::to_string(i), "/bin/a"); };
    look();
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 200; ++i)
            add(image(i), {{0, round == 1 && i == 7 ? 140u : 100u}});
        look();
    }
    RowWish wish;
    wish.now = {Portion::Kind::looks, {3, 3}};
    wish.before = last_look;
    wish.group = RowGroup::image;
    wish.order = RowOrder::change;
    wish.rows = 1;
    const LiveRows made = rows(wish);
    ASSERT_EQ(text(made), "/bin/i7 140 after 100\n");
    EXPECT_LT(*made.rows[0].probability, 0.05) << "by itself it would be significant";
}

TEST_F(LiveRowsTest, a_file_that_was_begun_again_is_symbolised_again) {
    add(file_of("/bin/a", "/bin/a"), {{0, 3}, {16, 7}});
    look();
    rows(10);
    writer_.reset();
    add(file_of("/bin/a", "/bin/a"), {{16, 2}});
    look();
    EXPECT_EQ(text(rows(10)), "two /bin/a /bin/a 2\n");
}

}  // namespace op::tool
