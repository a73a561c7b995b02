// SPDX-License-Identifier: GPL-2.0-or-later
// The fleet's tables as data, and the statements that create them on a server of a given version. What each
// column means: doc/FLEET.md, "Tables".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/server.h"

namespace op::fleet {

/// Grows when readers or writers of the one before would misunderstand the tables, or miss one. Steps so far:
/// 2 added `slice_files`, 3 sorts `function_days` by day. create_schema() takes each of them.
inline constexpr uint32_t schema_version = 3;

/// How the values of a column lie on disk where the server knows codecs.
enum class Packing : uint8_t { plain, delta, words };

struct TableColumn {
    std::string_view name, type;
    Packing packing = Packing::plain;  ///< delta: of near values; words: of few different texts
};

/// A table. Rows with equal keys are one row: the one with the greatest `newest`, when the server has merged
/// them; until then a reader takes the greatest.
struct Table {
    std::string_view name;
    std::vector<TableColumn> columns;
    std::string_view newest;         ///< a column; empty = all rows of a key are equal
    std::string_view partition;      ///< an expression; empty = one
    std::string_view key;            ///< columns, with commas between them
    bool is_kept_for_years = false;  ///< not subject to retention by day

    /// The names of the columns, in their order; valid as long as the table.
    std::vector<std::string_view> column_names() const;
};

/// All tables, in the order they are created.
const std::vector<Table>& schema_tables();
/// The table of that name, which there must be.
const Table& schema_table(std::string_view name);

/// What a server can do beyond what 18.16 can.
struct ServerAbilities {
    bool has_codecs = false;           ///< per column, since 19.1.6
    bool has_time_to_live = false;     ///< since 19.6.2
    bool has_low_cardinality = false;  ///< not experimental, since 19.1
    bool has_roles = false;            ///< made by statements, since 20.4
};
ServerAbilities abilities_of(const ServerVersion& version);

/// The statement that creates a table unless it exists. `keep_days`, of tables with a day, is for how long
/// the server keeps rows, where the server can be asked to; none = for ever.
std::string create_statement(const Table& table, const ServerAbilities& abilities,
                             std::optional<unsigned> keep_days);

/// Creates the database and what tables of it are missing, and records the version of the schema. Returns the
/// names of the tables that were made. Tables of an older version are brought up to this one. Throws as
/// Server::query(), or an input error if the database has a newer version of the schema; then nothing was
/// changed.
std::vector<std::string> create_schema(Server& server, std::optional<unsigned> keep_days);

/// Creates the role `oprofile_push` with what oppush needs, and nothing else. Only where has_roles. Throws as
/// Server::query().
void create_push_role(Server& server);

/// Throws an input error unless the database has this version of the schema, else as Server::query(). The
/// message has the remedy.
void check_schema(Server& server);

}  // namespace op::fleet
