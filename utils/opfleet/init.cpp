// SPDX-License-Identifier: GPL-2.0-or-later
// opfleet init: creates the database and its tables, as the server's version allows.
#include "fleet/schema.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "utils/opfleet/connection.h"
#include "utils/opfleet/verbs.h"

namespace op::tool {
namespace {

struct Options {
    ConnectionOptions connection;
    std::optional<uint64_t> keep_days;
};

CommandSyntax syntax(Options& o) {
    CommandSyntax s;
    s.has_exact_names = true;
    s.synopsis = "";
    s.options = o.connection.table();
    s.options.push_back(
        {"keep-days", 0, &o.keep_days, "let the server drop samples after so many days", "N"});
    return s;
}

std::optional<unsigned> checked_days(const Options& o) {
    constexpr uint64_t most = 36500;
    if (!o.keep_days) return std::nullopt;
    if (*o.keep_days == 0 || *o.keep_days > most) throw_usage("--keep-days: from 1 to 36500");
    return static_cast<unsigned>(*o.keep_days);
}

}  // namespace

int opfleet_init(Tool& tool, int argc, char** argv) {
    Options o;
    const ParsedOptions parsed = parse_options(argc, argv, syntax(o));
    if (parsed.exit_status) return *parsed.exit_status;
    if (!parsed.words.empty()) throw_usage("init takes no further words");
    const auto keep_days = checked_days(o);
    fleet::Server server = o.connection.server();
    {
        server.set_without_database(true);
        server.version();
        server.set_without_database(false);
    }
    const fleet::ServerAbilities abilities = fleet::abilities_of(server.version());
    if (keep_days && !abilities.has_time_to_live)
        throw_usage("ClickHouse " + server.version().text() +
                    " cannot drop rows by itself; leave --keep-days out and run opfleet retain");
    const auto made = fleet::create_schema(server, keep_days);
    write_stdout(server.url().text() + ", ClickHouse " + server.version().text() + ": " +
                 (made.empty() ? "all tables are there" : "made " + joined(made)) + "\n");
    if (abilities.has_roles) {
        tool.attempt([&] {
            fleet::create_push_role(server);
            write_stdout("role oprofile_push: GRANT it to the user that oppush logs in as\n");
        });
    }
    return 0;
}

}  // namespace op::tool
