// SPDX-License-Identifier: GPL-2.0-or-later
// tests/fixtures/gperf is written by tests/fixtures/make_gperf.py, which knows nothing of the reader.
#include "daemon/import/gperf_source.h"

#include <gtest/gtest.h>

#include "tests/unit/faults.h"
#include "tests/unit/fixtures.h"
#include "tests/unit/imported_session.h"

namespace op::collect {
namespace {

using test::contains;
using test::fault;
using test::ImportedSession;

const char* const forms[] = {"little64", "big64", "little32", "big32"};

std::string profile(const std::string& form) {
    return test::fixture("gperf/" + form + ".prof");
}

/// The generator's lines as those of a session.
std::string expected() {
    std::string lines;
    std::string text = read_file(test::fixture("gperf/expected"));
    for (std::string_view rest = text; !rest.empty();)
        lines += "TIMER.10000000 1 " + std::string(take_line(rest)) + "\n";
    return lines;
}

std::string words(std::initializer_list<uint64_t> numbers) {
    std::string out;
    for (const uint64_t number : numbers)
        for (int i = 0; i < 8; ++i)
            out += static_cast<char>(number >> 8 * i);
    return out;
}

}  // namespace

TEST(GperfSource, each_word_size_and_byte_order_gives_what_the_generator_expects) {
    for (const std::string form : forms) {
        ImportedSession session(open_gperf, profile(form));
        EXPECT_EQ(session.lines(), expected()) << form;
        EXPECT_EQ(session.info().ledger.sampled(), 32u) << form;
        EXPECT_EQ(session.info().ledger.lost(LossCause::no_mapping), 1u) << form;
        EXPECT_TRUE(session.warnings().empty()) << form;
        EXPECT_TRUE(GperfProfile::matches(as_bytes(read_file(profile(form))))) << form;
    }
}

TEST(GperfSource, cut_at_every_byte_has_what_came_before) {
    const test::TempDir dir;
    for (const std::string form : forms) {
        const std::string whole = read_file(profile(form));
        for (size_t length = 0; length < whole.size(); ++length) {
            const std::string cut = whole.substr(0, length);
            if (!GperfProfile::matches(as_bytes(cut))) continue;
            GperfProfile read(as_bytes(cut), "profile");
            uint64_t samples = 0;
            while (const auto stack = read.next())
                samples += stack->count;
            EXPECT_LE(samples, 32u);
            EXPECT_EQ(samples == 32 && !read.damage(), length >= whole.find("00400000-")) << length;
        }
    }
    ImportedSession session(open_gperf, dir.write("cut", read_file(profile("big32")).substr(0, 60)));
    EXPECT_EQ(session.info().ledger.stored(), 22u) << session.lines();
    EXPECT_EQ(session.info().ledger.lost(LossCause::damaged_stream), 1u);
    EXPECT_TRUE(contains(session.warnings()[0], "trace: cut off or damaged at byte 52"))
        << session.warnings()[0];
}

TEST(GperfSource, without_mappings_all_is_one_image_by_address) {
    const test::TempDir dir;
    const std::string bytes = words({0, 3, 0, 1000, 0, 4, 1, 0x400000, 0, 1, 0});
    ImportedSession session(open_gperf, dir.write("profile", bytes));
    EXPECT_EQ(session.lines(), "TIMER.1000000 1 [user] 0x400000 4\n");
    ASSERT_EQ(session.warnings().size(), 1u);
    EXPECT_TRUE(contains(session.warnings()[0], "no list of mappings"));
}

TEST(GperfSource, sizes_and_counts_of_any_length_are_bounded) {
    const test::TempDir dir;
    for (const uint64_t depth : {uint64_t{0}, uint64_t{4}, uint64_t{1} << 61, UINT64_MAX}) {
        const std::string bytes = words({0, 3, 0, 1000, 0, 4, 1, 0x400000, 1, depth, 0x400000});
        EXPECT_EQ(ImportedSession(open_gperf, dir.write("profile", bytes)).info().ledger.stored(), 4u)
            << depth;
    }
    const std::string many = words({0, 3, 0, 0, 0, UINT64_MAX, 1, 0x400000, 0, 1, 0});
    const ImportedSession session(open_gperf, dir.write("profile", many));
    EXPECT_EQ(session.info().ledger.stored(), UINT32_MAX);
    EXPECT_EQ(session.info().ledger.lost(LossCause::saturated), UINT64_MAX - UINT32_MAX);
    EXPECT_EQ(session.info().events[0].count, 1000u) << "a period of 0";
}

TEST(GperfSource, other_files_are_refused) {
    const test::TempDir dir;
    for (const std::string& bytes :
         {std::string(), std::string(100, '\0'), words({0, 2, 0, 1, 0}), words({0, 3, 1, 1, 0}),
          words({1, 3, 0, 1, 0}), words({0, 50, 0, 1, 0})}) {
        fault(ErrorKind::input, [&] { ImportedSession(open_gperf, dir.write("profile", bytes)); });
    }
}

}  // namespace op::collect
