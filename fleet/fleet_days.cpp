// SPDX-License-Identifier: GPL-2.0-or-later
// Statements about days. A summary's version follows from what it is made of, so that making it again changes
// nothing. Steps of a summary: its mark is taken away, rows of the former one become zero, new ones are
// added, the mark is set. So a summary with its mark is whole, whatever happened.
#include "fleet/fleet_days.h"

#include <algorithm>
#include <map>
#include <set>

#include "fleet/schema.h"
#include "fleet/sha256.h"
#include "libop/base/text.h"

namespace op::fleet {
namespace {

constexpr std::string_view by_day = "toYYYYMMDD(day)";
/// A row of `function_days` with event 0 is a day's mark: hits are 1 once the summary is complete.
constexpr std::string_view is_mark = "event = 0";

std::string partition_name(Day day) {
    std::string text = day.text();
    std::erase(text, '-');
    return text;
}

std::string quoted(Day day) {
    return "'" + day.text() + "'";
}

/// The day that a cell of type Date has.
Day day_at(const Rows& rows, size_t row, size_t column) {
    return parse_day(rows.text(row, column)).value_or(Day());
}

void add_sizes(Server& server, std::map<Day, FleetDay>& days) {
    const Rows rows = server.query(
        "SELECT table, partition, count(), sum(bytes_on_disk) FROM system.parts WHERE active AND database = "
        "currentDatabase() GROUP BY table, partition");
    for (size_t i = 0; i < rows.size(); ++i) {
        const auto table = std::ranges::find(schema_tables(), rows.text(i, 0), &Table::name);
        const auto day = day_of_partition(rows.text(i, 1));
        if (table == schema_tables().end() || table->partition != by_day || !day) continue;
        FleetDay& at = days[*day];
        at.bytes += rows.number(i, 3);
        if (table->name == "samples") at.parts = rows.number(i, 2);
    }
}

void add_accounts(Server& server, std::map<Day, FleetDay>& days) {
    const Rows rows =
        server.query("SELECT day, count(), sum(sealed), sum(version) FROM slices FINAL GROUP BY day");
    for (size_t i = 0; i < rows.size(); ++i) {
        const auto at = days.find(day_at(rows, i, 0));
        if (at == days.end()) continue;
        at->second.slices = rows.number(i, 1);
        at->second.sealed = rows.number(i, 2);
        at->second.versions = rows.number(i, 3);
    }
}

void add_summaries(Server& server, std::map<Day, FleetDay>& days) {
    const Rows rows =
        server.query("SELECT day, argMax(hits, version), max(version) FROM function_days WHERE " +
                     std::string(is_mark) + " GROUP BY day");
    for (size_t i = 0; i < rows.size(); ++i) {
        const auto at = days.find(day_at(rows, i, 0));
        if (at != days.end() && rows.number(i, 1) == 1) at->second.summarised = rows.number(i, 2);
    }
}

uint64_t parts_of(Server& server, std::string_view table, Day day) {
    const Rows rows = server.query(
        "SELECT count() FROM system.parts WHERE active AND database = currentDatabase() AND table = '" +
        std::string(table) + "' AND partition = '" + partition_name(day) + "'");
    return rows.size() == 1 ? rows.number(0, 0) : 0;
}

/// What to select a day's samples from: in one part each counter is there once.
std::string source_of(Server& server, Day day) {
    return parts_of(server, "samples", day) == 1 ? "samples" : "samples FINAL";
}

/// True if every slice of the day has as many samples as its account.
bool has_all_samples(Server& server, Day day) {
    const Rows accounts = server.query("SELECT slice, sum_hits FROM slices FINAL WHERE day = " + quoted(day) +
                                       " AND sum_hits > 0");
    const Rows sums = server.query("SELECT slice, sum(hits) FROM " + source_of(server, day) +
                                   " WHERE day = " + quoted(day) + " GROUP BY slice");
    std::map<uint64_t, uint64_t> samples;
    for (size_t i = 0; i < sums.size(); ++i)
        samples[sums.number(i, 0)] = sums.number(i, 1);
    for (size_t i = 0; i < accounts.size(); ++i)
        if (samples[accounts.number(i, 0)] < accounts.number(i, 1)) return false;
    return true;
}

/// An inclusive range of image numbers.
struct ImageRange {
    uint64_t first = 0, last = 0;

    std::string condition() const {
        return "image BETWEEN " + std::to_string(first) + " AND " + std::to_string(last);
    }
};

std::vector<ImageRange> image_ranges(Server& server, Day day, uint64_t rows_at_once) {
    const Rows rows = server.query("SELECT image, count() FROM samples WHERE day = " + quoted(day) +
                                   " GROUP BY image ORDER BY image");
    std::vector<ImageRange> ranges;
    uint64_t held = rows_at_once;
    for (size_t i = 0; i < rows.size(); ++i) {
        const uint64_t image = rows.number(i, 0), more = rows.number(i, 1);
        if (held + more > rows_at_once) {
            ranges.push_back({image, image});
            held = 0;
        }
        ranges.back().last = image;
        held += more;
    }
    return ranges;
}

class Summariser {
public:
    Summariser(Server& server, Day day, uint64_t version)
        : server_(server),
          day_(quoted(day)),
          month_(partition_name(day).substr(0, 6)),
          source_(source_of(server, day)),
          version_(version) {}

    void run(const std::vector<ImageRange>& ranges) {
        mark(0, version_ - 1);
        clear_rows();
        for (const ImageRange& range : ranges)
            add_rows(range);
        if (has_rows_twice()) server_.execute("OPTIMIZE TABLE function_days PARTITION " + month_ + " FINAL");
        mark(1, version_);
    }

private:
    void insert(const std::string& select) {
        server_.execute("INSERT INTO function_days (day, event, image, func, app, host, hits, version) " +
                        select);
    }
    void mark(uint64_t hits, uint64_t version) {
        insert("SELECT toDate(" + day_ +
               "), toUInt64(0), toUInt64(0), toUInt64(0), toUInt64(0), toUInt64(0), toUInt64(" +
               std::to_string(hits) + "), toUInt64(" + std::to_string(version) + ")");
    }
    /// Functions that got another name had rows that no new ones replace.
    void clear_rows() {
        insert("SELECT day, event, image, func, app, host, toUInt64(0), toUInt64(" +
               std::to_string(version_ - 1) +
               ") FROM (SELECT day, event, image, func, app, host, max(version) AS newest FROM function_days "
               "WHERE "
               "day = " +
               day_ + " AND NOT " + std::string(is_mark) +
               " GROUP BY day, event, image, func, app, host) WHERE newest < " +
               std::to_string(version_ - 1));
    }
    void add_rows(const ImageRange& range) {
        const std::string nameless = std::to_string(id64(""));
        insert(
            "SELECT toDate(" + day_ + "), event, image, named, app, host, sum(h), toUInt64(" +
            std::to_string(version_) + ") FROM (SELECT event, image, if(func = " + nameless +
            ", toUInt64(0), func) AS named, app, host, h FROM (SELECT event, image, place, app, host, "
            "sum(hits) AS "
            "h FROM " +
            source_ + " WHERE day = " + day_ + " AND " + range.condition() +
            " GROUP BY event, image, place, app, host) AS counted ANY LEFT JOIN (SELECT image, place, "
            "argMax(func, version) AS func FROM locations WHERE " +
            range.condition() +
            " GROUP BY image, place) AS known USING (image, place)) GROUP BY event, image, named, app, host");
    }

    /// The rows of a run that was cut off, or runs at the same time, are the same: readers expect one of
    /// each.
    bool has_rows_twice() {
        const std::string of_day = " WHERE day = " + day_;
        const Rows all = server_.query("SELECT sum(hits) FROM " + source_ + of_day);
        const Rows added = server_.query("SELECT sum(hits) FROM function_days" + of_day + " AND version = " +
                                         std::to_string(version_) + " AND NOT " + std::string(is_mark));
        return all.size() != 1 || added.size() != 1 || all.number(0, 0) != added.number(0, 0);
    }

    Server& server_;
    const std::string day_, month_, source_;
    const uint64_t version_;
};

/// The time of the newest symbols of the day's images, in seconds.
uint64_t newest_symbols(Server& server, Day day) {
    // The upper bits are the quality.
    const Rows rows = server.query(
        "SELECT max(bitAnd(version, 281474976710655)) FROM locations WHERE image IN (SELECT image FROM "
        "samples "
        "WHERE day = " +
        quoted(day) + ")");
    return rows.size() == 1 ? rows.number(0, 0) : 0;
}

}  // namespace

std::optional<Day> day_of_partition(std::string_view name) {
    if (name.size() != 8) return std::nullopt;
    const std::string text(name);
    return parse_day(text.substr(0, 4) + "-" + text.substr(4, 2) + "-" + text.substr(6));
}

std::vector<FleetDay> fleet_days(Server& server) {
    std::map<Day, FleetDay> days;
    add_sizes(server, days);
    add_accounts(server, days);
    add_summaries(server, days);
    std::vector<FleetDay> sorted;
    for (auto& [day, at] : days) {
        at.day = day;
        sorted.push_back(at);
    }
    return sorted;
}

uint64_t database_bytes(Server& server) {
    const Rows rows = server.query(
        "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = currentDatabase()");
    return rows.size() == 1 ? rows.number(0, 0) : 0;
}

void drop_day(Server& server, Day day) {
    for (const Table& table : schema_tables())
        if (table.partition == by_day)
            server.execute("ALTER TABLE " + std::string(table.name) + " DROP PARTITION " +
                           partition_name(day));
}

std::vector<FleetDay> days_to_drop(const std::vector<FleetDay>& days, std::optional<Day> first_kept,
                                   std::optional<uint64_t> most_bytes, uint64_t all_bytes) {
    std::vector<FleetDay> dropped;
    for (size_t i = 0; i + 1 < days.size(); ++i) {
        const bool is_old = first_kept && days[i].day < *first_kept;
        const bool is_too_much = most_bytes && all_bytes > *most_bytes;
        if (!is_old && !is_too_much) break;
        dropped.push_back(days[i]);
        all_bytes -= std::min(all_bytes, days[i].bytes);
    }
    return dropped;
}

void merge_day(Server& server, Day day) {
    for (const Table& table : schema_tables()) {
        if (table.partition != by_day) continue;
        if (parts_of(server, table.name, day) > 1)
            server.execute("OPTIMIZE TABLE " + std::string(table.name) + " PARTITION " + partition_name(day) +
                           " FINAL");
    }
}

Summary summarise_day(Server& server, const FleetDay& day, uint64_t rows_at_once) {
    constexpr uint64_t most = uint64_t{1} << 61;
    const uint64_t made_of = std::min(day.versions, most) + newest_symbols(server, day.day);
    const uint64_t version = 2 * made_of + 1;  // the one before it is that of rows taken away
    if (day.summarised && *day.summarised >= version) return Summary::unchanged;
    if (!has_all_samples(server, day.day)) return Summary::withheld;
    Summariser(server, day.day, version).run(image_ranges(server, day.day, rows_at_once));
    return Summary::made;
}

}  // namespace op::fleet
