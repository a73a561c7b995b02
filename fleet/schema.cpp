// SPDX-License-Identifier: GPL-2.0-or-later
// Statements that create the fleet's tables. All their words are this program's own.
#include "fleet/schema.h"

#include <algorithm>

#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::fleet {
namespace {

constexpr std::string_view push_role = "oprofile_push";

std::string column_text(const TableColumn& column, const ServerAbilities& abilities) {
    std::string text = std::string(column.name) + " ";
    if (column.packing == Packing::words && abilities.has_low_cardinality)
        return text + "LowCardinality(" + std::string(column.type) + ")";
    text += column.type;
    if (column.packing == Packing::delta && abilities.has_codecs) text += " CODEC(Delta, ZSTD)";
    return text;
}

bool has_day(const Table& table) {
    return std::ranges::find(table.columns, "day", &TableColumn::name) != table.columns.end();
}

/// The version of the schema that the database has, the newest one recorded; none if it has no such table.
std::optional<uint64_t> recorded_version(Server& server) {
    const std::vector<std::string> database = {server.url().database};
    const InputTable wanted[] = {input_strings("wanted_database", database)};
    const Rows found = server.query(
        "SELECT count() FROM system.tables WHERE name = 'schema_versions' "
        "AND database IN (SELECT value FROM wanted_database)",
        wanted);
    if (found.size() != 1 || found.number(0, 0) == 0) return std::nullopt;
    const Rows rows = server.query("SELECT version FROM " + server.url().database +
                                   ".schema_versions ORDER BY version DESC LIMIT 1");
    if (rows.empty()) return std::nullopt;
    return rows.number(0, 0);
}

[[noreturn]] void refuse_version(const Server& server, uint64_t version, const std::string& remedy) {
    throw_input(server.url().text() + " has tables of version " + std::to_string(version) +
                ", this program knows version " + std::to_string(schema_version) + "; " + remedy);
}

void refuse_newer(const Server& server, uint64_t version) {
    if (version > schema_version) refuse_version(server, version, "see doc/FLEET.md, \"Upgrades\"");
}

bool has_table(const Rows& names, std::string_view table) {
    for (size_t i = 0; i < names.size(); ++i)
        if (names.text(i, 0) == table) return true;
    return false;
}

Rows table_names(Server& server) {
    return server.query("SELECT name FROM system.tables WHERE database = currentDatabase()");
}

void create(Server& server, const Table& table, std::optional<unsigned> keep_days) {
    server.execute(create_statement(table, abilities_of(server.version()), keep_days));
}

/// Before version 3 the key of `function_days` ended with the day. A server cannot sort a table another way,
/// so the rows go to a new one, a month at a time. May be cut off anywhere and begin again: rows that were
/// copied twice are merged.
void sort_function_days_by_day(Server& server) {
    constexpr std::string_view former = "function_days_by_event";
    const Table& table = schema_table("function_days");
    const Rows names = table_names(server);
    const std::string now(table.name), before(former);
    if (!has_table(names, former)) {
        if (!has_table(names, now)) return;
        server.execute("RENAME TABLE " + now + " TO " + before);
    }
    create(server, table, std::nullopt);
    const std::string columns =
        joined(table.columns, ", ", [](const TableColumn& column) { return std::string(column.name); });
    const Rows months =
        server.query("SELECT DISTINCT toYYYYMM(day) AS month FROM " + before + " ORDER BY month");
    for (size_t i = 0; i < months.size(); ++i) {
        const std::string month = std::to_string(months.number(i, 0));
        server.execute("INSERT INTO " + now + " (" + columns + ") SELECT " + columns + " FROM " + before +
                       " WHERE toYYYYMM(day) = " + month);
        server.execute("OPTIMIZE TABLE " + now + " PARTITION " + month + " FINAL");
    }
    server.execute("DROP TABLE " + before);
}

/// Statements that name their database themselves go without one while this lives: it may not be there yet.
class WithoutDatabase {
public:
    explicit WithoutDatabase(Server& server) : server_(server) { server_.set_without_database(true); }
    WithoutDatabase(const WithoutDatabase&) = delete;
    WithoutDatabase& operator=(const WithoutDatabase&) = delete;
    ~WithoutDatabase() { server_.set_without_database(false); }

private:
    Server& server_;
};

}  // namespace

ServerAbilities abilities_of(const ServerVersion& version) {
    return {.has_codecs = version >= ServerVersion{19, 1, 6},
            .has_time_to_live = version >= ServerVersion{19, 6, 2},
            .has_low_cardinality = version >= ServerVersion{19, 1, 6},
            .has_roles = version >= ServerVersion{20, 4, 0}};
}

std::string create_statement(const Table& table, const ServerAbilities& abilities,
                             std::optional<unsigned> keep_days) {
    std::string statement = "CREATE TABLE IF NOT EXISTS " + std::string(table.name) + " (";
    statement += joined(table.columns, ", ",
                        [&](const TableColumn& column) { return column_text(column, abilities); });
    statement += ") ENGINE = ReplacingMergeTree(" + std::string(table.newest) + ")";
    if (!table.partition.empty()) statement += " PARTITION BY " + std::string(table.partition);
    statement += " ORDER BY (" + std::string(table.key) + ")";
    if (keep_days && abilities.has_time_to_live && has_day(table) && !table.is_kept_for_years)
        statement += " TTL day + INTERVAL " + std::to_string(*keep_days) + " DAY";
    return statement;
}

std::vector<std::string> create_schema(Server& server, std::optional<unsigned> keep_days) {
    std::optional<uint64_t> version;
    {
        const WithoutDatabase without(server);
        version = recorded_version(server);
        refuse_newer(server, version.value_or(0));
        server.execute("CREATE DATABASE IF NOT EXISTS " + server.url().database);
    }
    if (version.value_or(0) < 3) sort_function_days_by_day(server);
    const Rows existing = table_names(server);
    std::vector<std::string> made;
    for (const Table& table : schema_tables()) {
        if (has_table(existing, table.name)) continue;
        create(server, table, keep_days);
        made.emplace_back(table.name);
    }
    if (version.value_or(0) < schema_version) {
        RowBinary row;
        row.add_u32(schema_version);
        row.end_row();
        const Table& table = schema_table("schema_versions");
        server.insert(table.name, table.column_names(), row);
    }
    return made;
}

void create_push_role(Server& server) {
    const std::string role(push_role), all = server.url().database + ".*";
    server.execute("CREATE ROLE IF NOT EXISTS " + role);
    server.execute("GRANT INSERT, SELECT ON " + all + " TO " + role);
}

void check_schema(Server& server) {
    std::optional<uint64_t> version;
    {
        const WithoutDatabase without(server);
        version = recorded_version(server);
    }
    if (!version)
        throw_input(server.url().text() +
                    " has no tables yet; make them with opfleet init --to=" + server.url().text());
    refuse_newer(server, *version);
    if (*version < schema_version)
        refuse_version(server, *version, "bring them up to it with opfleet init --to=" + server.url().text());
}

}  // namespace op::fleet
