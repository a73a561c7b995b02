// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/push_ledger.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <set>

#include "libop/base/text.h"
#include "tests/unit/temp_dir.h"

namespace op::fleet {
namespace {

namespace fs = std::filesystem;
const std::string target = "https://db.example:8443/oprofile";

class Ledgers : public ::testing::Test {
protected:
    PushLedger open(uint64_t slice = 7, const std::string& to = target) {
        return PushLedger(session_, dir_.path(), to, slice, notes_);
    }
    /// The lines without their checksums.
    std::string lines() const {
        std::string text;
        const std::string all = read_file(dir_ / "fleet.ledger");
        for (std::string_view rest = all; !rest.empty();) {
            const auto line = parse_ledger_line(take_line(rest));
            text += line ? line->state + "\n" : "damaged\n";
        }
        return text;
    }
    std::string counts_file() const {
        for (const auto& entry : fs::directory_iterator(dir_.path()))
            if (entry.path().filename().string().starts_with("fleet.counts.")) return entry.path();
        return "";
    }

    test::TempDir dir_;
    Fd session_ = open_file(dir_.path(), O_RDONLY | O_DIRECTORY);
    Diagnostics notes_;
};

const std::vector<SentRow> first = {{1, 10}, {2, 20}}, second = {{1, 11}, {3, 30}};

std::string sample_row(uint64_t place, uint64_t hits) {
    RowBinary row;
    row.add_u64(place);
    row.add_u64(hits);
    return std::string(row.bytes());
}

}  // namespace

TEST(SentRow, of_a_counter_is_known_again_whatever_its_count) {
    const Table& samples = schema_table("samples");
    EXPECT_EQ(sent_row(samples, sample_row(5, 1)).key, sent_row(samples, sample_row(5, 900)).key);
    EXPECT_EQ(sent_row(samples, sample_row(5, 900)).count, 900u);
    EXPECT_NE(sent_row(samples, sample_row(6, 1)).key, sent_row(samples, sample_row(5, 1)).key);
    EXPECT_NE(sent_row(schema_table("stack_samples"), sample_row(5, 1)).key,
              sent_row(samples, sample_row(5, 1)).key);
}

TEST(SentRow, differs_from_others_by_any_bit_and_by_its_length) {
    const Table& stacks = schema_table("stacks");
    std::set<uint64_t> keys;
    const std::string zeros(25, '\0');
    for (size_t size = 0; size <= zeros.size(); ++size)
        keys.insert(sent_row(stacks, std::string_view(zeros).substr(0, size)).key);
    for (size_t bit = 0; bit < 8 * zeros.size(); ++bit) {
        std::string row = zeros;
        row[bit / 8] = static_cast<char>(1U << bit % 8);
        keys.insert(sent_row(stacks, row).key);
    }
    EXPECT_EQ(keys.size(), 26 + 200u);
    constexpr uint64_t many = 200'000;
    for (uint64_t place = 0; place < many; ++place)
        keys.insert(sent_row(schema_table("samples"), sample_row(place, 1)).key);
    EXPECT_EQ(keys.size(), 26 + 200 + many);
}

TEST(SentRows, keep_the_greatest_count_of_many_keys) {
    SentRows rows;
    constexpr uint64_t many = 5000;
    for (const uint64_t count : {2, 3, 1})
        for (uint64_t key = 0; key < many; ++key) {
            const SentRow row{key << 40, count};  // whose low bits are the same
            rows.add({&row, 1});
        }
    EXPECT_EQ(rows.size(), many);
    EXPECT_TRUE(rows.has({7ULL << 40, 3}));
    EXPECT_FALSE(rows.has({7ULL << 40, 4}));
    EXPECT_FALSE(rows.has({7, 1}));
    EXPECT_EQ(SentRows::parse(rows.file(9), 9).size(), many);
}

TEST(SentRows, have_a_file_of_the_size_that_was_announced) {
    SentRows rows;
    EXPECT_EQ(rows.file_size(), rows.file(7).size());
    for (uint64_t n = 0; n < 70'000; ++n) {
        const SentRow row{n * 77, n};
        rows.add({&row, 1});
    }
    EXPECT_EQ(rows.file_size(), rows.file(7).size());
}

TEST(SentRow, of_another_table_is_all_of_it) {
    const Table& stacks = schema_table("stacks");
    EXPECT_NE(sent_row(stacks, sample_row(5, 1)).key, sent_row(stacks, sample_row(5, 2)).key);
    EXPECT_EQ(sent_row(stacks, sample_row(5, 2)).count, 1u);
    const Table& slices = schema_table("slices");
    EXPECT_EQ(sent_row(slices, sample_row(5, 1)).key, sent_row(slices, sample_row(5, 2)).key)
        << "a version is no content";
    EXPECT_NE(sent_row(slices, sample_row(6, 1)).key, sent_row(slices, sample_row(5, 1)).key);
}

TEST_F(Ledgers, has_what_was_accepted_and_nothing_greater) {
    open().add(first);
    PushLedger again = open();
    EXPECT_TRUE(again.has({1, 10}));
    EXPECT_TRUE(again.has({1, 9}));
    EXPECT_FALSE(again.has({1, 11}));
    EXPECT_FALSE(again.has({3, 1}));
    again.add(second);
    EXPECT_TRUE(open().has({1, 11}));
    EXPECT_EQ(open().size(), 3u);
    EXPECT_EQ(lines(), "pushing 1\npushing 1\n");
    EXPECT_TRUE(notes_.warnings().empty());
}

TEST_F(Ledgers, of_another_slice_or_target_has_nothing) {
    open().add(first);
    EXPECT_EQ(open(7, "https://other:8443/oprofile").size(), 0u);
    EXPECT_EQ(open(7).size(), 2u);
    PushLedger other = open(8);
    EXPECT_EQ(other.size(), 0u);
    EXPECT_EQ(other.push(), 1u);
    other.add(second);
    EXPECT_EQ(open(8).size(), 2u);
    EXPECT_EQ(open(7).size(), 0u) << "there is room for one slice of a session";
}

TEST_F(Ledgers, numbers_pushes) {
    open().note("verified 1 2 0 0");
    EXPECT_EQ(open().push(), 2u);
    PushLedger second_push = open();
    second_push.note("pushing 1");
    second_push.note("pushed 1 2 0 0");
    EXPECT_EQ(open().push(), 3u);
}

TEST_F(Ledgers, a_crash_costs_the_last_batch_at_most) {
    open().add(first);
    const auto whole = fs::file_size(counts_file());
    open().add(second);
    const std::string all = read_file(counts_file());
    for (size_t size = 0; size < all.size(); ++size) {
        dir_.write(fs::path(counts_file()).filename().string(), all.substr(0, size));
        PushLedger after = open();
        EXPECT_EQ(after.size(), size < whole ? 0u : 2u) << size;
        after.add(second);
        EXPECT_TRUE(open().has({3, 30})) << size;
    }
    const std::string text = read_file(dir_ / "fleet.ledger");
    dir_.write("fleet.ledger", text.substr(0, text.size() - 3));
    open().note("verified 1 2 0 0");
    EXPECT_TRUE(lines().ends_with("damaged\nverified 1 2 0 0\n"));
}

TEST_F(Ledgers, a_changed_byte_is_noticed) {
    open().add(first);
    const std::string good = read_file(counts_file());
    for (size_t i = 0; i < good.size(); ++i) {
        std::string bad = good;
        bad[i] ^= 1;
        EXPECT_EQ(SentRows::parse(bad, 7).size(), 0u) << i;
    }
    const std::string line = ledger_line({target, 7, 1, "pushing 1"});
    ASSERT_TRUE(parse_ledger_line(line.substr(0, line.size() - 1)));
    for (size_t i = 0; i + 1 < line.size(); ++i) {
        std::string bad = line.substr(0, line.size() - 1);
        bad[i] ^= 1;
        EXPECT_FALSE(parse_ledger_line(bad)) << bad;
    }
}

TEST_F(Ledgers, do_not_grow_for_ever) {
    std::vector<SentRow> rows(10000);
    for (uint64_t n = 0; n < 40; ++n) {
        for (uint64_t i = 0; i < rows.size(); ++i)
            rows[i] = {i, n + 1};
        open().add(rows);
    }
    EXPECT_LT(fs::file_size(counts_file()), 2'000'000u) << "of 6.4 MB";
    EXPECT_TRUE(open().has({9999, 40}));
    dir_.write("fleet.ledger", std::string(1'500'000, '\n') + ledger_line({target, 7, 88, "waiting"}));
    EXPECT_EQ(open().push(), 89u);
    EXPECT_LT(fs::file_size(dir_ / "fleet.ledger"), 1000u);
}

TEST_F(Ledgers, forget_and_close) {
    PushLedger ledger = open();
    ledger.add(first);
    ledger.forget();
    EXPECT_FALSE(ledger.has({1, 1}));
    ledger.add(second);
    EXPECT_EQ(open().size(), 2u);
    ledger.close();
    EXPECT_EQ(counts_file(), "");
    EXPECT_EQ(open().size(), 0u);
}

TEST_F(Ledgers, are_not_written_through_links) {
    dir_.write("elsewhere", "kept");
    fs::create_symlink("elsewhere", dir_ / "fleet.ledger");
    PushLedger ledger = open();
    ledger.note("verified 1 2 0 0");
    EXPECT_EQ(read_file(dir_ / "elsewhere"), "kept");
    EXPECT_EQ(notes_.warnings().size(), 1u);
    EXPECT_FALSE(ledger.has({1, 1}));
}

TEST(PushLedger, without_a_directory_has_nothing) {
    PushLedger ledger;
    ledger.add(first);
    ledger.note("verified 1 2 0 0");
    EXPECT_FALSE(ledger.has({1, 10}));
}

}  // namespace op::fleet
