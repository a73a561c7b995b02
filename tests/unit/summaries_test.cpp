// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/summaries.h"

#include <gtest/gtest.h>

#include "fleet/sample_source.h"

namespace op::fleet {
namespace {

constexpr const char* days = "day >= '2026-11-24' AND day <= '2026-11-25'";

Chosen two_days() {
    Chosen chosen;
    chosen.from = *parse_day("2026-11-24");
    chosen.until = *parse_day("2026-11-25");
    return chosen;
}

}  // namespace

TEST(Summaries, have_the_rows_of_their_version) {
    Chosen chosen = two_days();
    chosen.summarised = {{chosen.until, 7}};
    EXPECT_EQ(summary_rows("image", chosen), std::string("(SELECT image, hits FROM function_days WHERE ") +
                                                 days +
                                                 " AND day = '2026-11-25' AND version = 7 AND hits > 0)");
    chosen.summarised = {{chosen.from, 18446744073709551615U}, {chosen.until, 7}};
    EXPECT_EQ(summary_rows("image, func", chosen, " AND func = 1"),
              std::string("(SELECT image, func, hits FROM function_days WHERE ") + days +
                  " AND (day, version) IN (('2026-11-24', 18446744073709551615), ('2026-11-25', 7)) AND func "
                  "= 1 AND hits > 0)");
}

TEST(Summaries, replace_the_samples_of_their_days) {
    Chosen chosen = two_days();
    chosen.summarised = {{chosen.from, 1}};
    EXPECT_EQ(chosen.summarised_days(), std::vector<Day>{chosen.from});
    EXPECT_EQ(counters_text("samples", "host", chosen, {chosen.from, chosen.until}, chosen.summarised_days()),
              std::string("(SELECT host FROM samples WHERE ") + days + " AND day NOT IN ('2026-11-24'))");
}

TEST(Summaries, of_used_images_only) {
    Chosen chosen = two_days();
    chosen.summarised = {{chosen.until, 7}};
    chosen.used_images = {3, 4};
    EXPECT_EQ(summary_rows("host", chosen),
              std::string("(SELECT host, hits FROM function_days WHERE ") + days +
                  " AND image IN (SELECT value FROM used_images) AND day = '2026-11-25' AND version = 7 AND "
                  "hits > 0)");
    EXPECT_EQ(chosen.condition(SampleTable::without_image), days);
    ASSERT_EQ(chosen.tables().size(), 1u);
    EXPECT_EQ(chosen.tables()[0].rows.rows(), 2u);
}

}  // namespace op::fleet
