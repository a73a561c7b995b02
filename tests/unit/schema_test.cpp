// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "libop/base/text.h"

namespace op::fleet {
namespace {

const ServerAbilities old_server = abilities_of({18, 16, 1}), new_server = abilities_of({26, 7, 3});

}  // namespace

TEST(Schema, statements_for_an_old_server_have_no_newer_words) {
    for (const Table& table : schema_tables()) {
        const std::string statement = create_statement(table, old_server, 30);
        for (const char* word : {"CODEC", "LowCardinality", "TTL"})
            EXPECT_EQ(statement.find(word), std::string::npos) << statement;
    }
}

TEST(Schema, a_new_server_packs_and_forgets) {
    const std::string samples = create_statement(schema_table("samples"), new_server, 30);
    EXPECT_NE(samples.find("place UInt64 CODEC(Delta, ZSTD)"), std::string::npos) << samples;
    EXPECT_NE(samples.find(" TTL day + INTERVAL 30 DAY"), std::string::npos) << samples;
    EXPECT_EQ(create_statement(schema_table("samples"), new_server, std::nullopt).find("TTL"),
              std::string::npos);
    EXPECT_EQ(create_statement(schema_table("function_days"), new_server, 30).find("TTL"), std::string::npos);
    EXPECT_NE(create_statement(schema_table("images"), new_server, 30).find("kind LowCardinality(String)"),
              std::string::npos);
}

TEST(Schema, samples_are_merged_to_their_greatest_count) {
    EXPECT_EQ(
        create_statement(schema_table("samples"), old_server, std::nullopt),
        "CREATE TABLE IF NOT EXISTS samples (day Date, event UInt64, image UInt64, place UInt64, app UInt64, "
        "host UInt64, slice UInt64, tgid UInt32, cpu UInt16, hits UInt64) ENGINE = ReplacingMergeTree(hits) "
        "PARTITION BY toYYYYMMDD(day) ORDER BY (event, image, place, app, host, slice, tgid, cpu)");
}

TEST(Schema, keys_and_newest_are_columns) {
    for (const Table& table : schema_tables()) {
        const auto names = table.column_names();
        const std::set<std::string_view> columns(names.begin(), names.end());
        EXPECT_EQ(columns.size(), names.size()) << table.name;
        for (std::string_view key : split(table.key, ','))
            EXPECT_TRUE(columns.contains(take_word(key))) << table.name << ": " << table.key;
        EXPECT_TRUE(table.newest.empty() || columns.contains(table.newest)) << table.name;
    }
}

TEST(Schema, abilities_begin_with_their_versions) {
    EXPECT_FALSE(abilities_of({18, 16, 1}).has_codecs);
    EXPECT_TRUE(abilities_of({19, 1, 6}).has_codecs);
    EXPECT_FALSE(abilities_of({19, 6, 1}).has_time_to_live);
    EXPECT_TRUE(abilities_of({19, 6, 2}).has_time_to_live);
    EXPECT_FALSE(abilities_of({20, 3, 21}).has_roles);
    EXPECT_TRUE(abilities_of({20, 4, 2}).has_roles);
}

}  // namespace op::fleet
