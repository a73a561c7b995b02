// SPDX-License-Identifier: GPL-2.0-or-later
// Queries for what is missing, and rows of what was found.
#include "fleet/symbol_store.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "fleet/schema.h"
#include "fleet/sha256.h"

namespace op::fleet {
namespace {

constexpr uint64_t batch_rows = 50'000;
constexpr size_t batch_bytes = size_t{8} << 20;
/// Times are below it until the year 8921556.
constexpr unsigned time_bits = 48;

uint64_t version_of(SymbolQuality quality, uint64_t time) {
    return (uint64_t{static_cast<uint8_t>(quality)} << time_bits) | (time & ((uint64_t{1} << time_bits) - 1));
}

SymbolQuality quality_of(uint64_t number) {
    return static_cast<SymbolQuality>(std::min(number, uint64_t{static_cast<uint8_t>(SymbolQuality::debug)}));
}

/// What is known of places, as the right side of a join.
constexpr const char* known_places =
    "(SELECT image, place, max(quality) AS known FROM locations GROUP BY image, place) AS named USING "
    "(image, "
    "place)";
/// The places that frames of call stacks have in files: of a return address the byte before it.
constexpr const char* frame_places =
    "SELECT DISTINCT image, toUInt64(place - (kind = 3)) AS place FROM stacks WHERE image != 0 AND kind IN "
    "(0, 3)";

/// Sends rows in batches.
class Batches {
public:
    Batches(Server& server, std::string_view table) : server_(server), table_(schema_table(table)) {}

    template <class Range, class AddRow>
    void send(const Range& range, AddRow add_row) {
        for (const auto& each : range) {
            add_row(rows_, each);
            rows_.end_row();
            if (rows_.rows() >= batch_rows || rows_.bytes().size() >= batch_bytes) flush();
        }
        flush();
    }

private:
    void flush() {
        if (rows_.rows() == 0) return;
        server_.insert(table_.name, table_.column_names(), rows_);
        rows_.clear();
    }

    Server& server_;
    const Table& table_;
    RowBinary rows_;
};

std::set<std::string_view> names_in(const BuildSymbols& symbols) {
    std::set<std::string_view> names;
    for (const BuildLocation& location : symbols.locations)
        names.insert(location.name);
    for (const BuildFunction& function : symbols.functions)
        names.insert(function.name);
    return names;
}

}  // namespace

std::vector<WantedImage> wanted_images(Server& server) {
    std::map<uint64_t, WantedImage> found;
    const Rows sampled = server.query(std::string("SELECT image, sum(h), sum(h * (known = 0)) FROM (SELECT "
                                                  "image, place, sum(hits) AS h FROM samples "
                                                  "GROUP BY image, place) AS counted ANY LEFT JOIN ") +
                                      known_places + " GROUP BY image");
    for (size_t row = 0; row < sampled.size(); ++row)
        found[sampled.number(row, 0)] = {sampled.number(row, 0), sampled.number(row, 1),
                                         sampled.number(row, 2), 0};
    const Rows frames = server.query(std::string("SELECT image, countIf(known = 0) FROM (") + frame_places +
                                     ") AS framed ANY LEFT JOIN " + known_places + " GROUP BY image");
    for (size_t row = 0; row < frames.size(); ++row) {
        found[frames.number(row, 0)].image = frames.number(row, 0);
        found[frames.number(row, 0)].frames = frames.number(row, 1);
    }
    std::vector<WantedImage> images;
    for (const auto& [number, image] : found)
        images.push_back(image);
    std::ranges::stable_sort(images, [](const WantedImage& a, const WantedImage& b) {
        return std::tie(a.nameless, a.frames, a.samples) > std::tie(b.nameless, b.frames, b.samples);
    });
    return images;
}

std::map<uint64_t, SymbolState> symbol_states(Server& server) {
    const Rows rows =
        server.query("SELECT image, state, quality, reason, uploader, version FROM symbol_state FINAL");
    std::map<uint64_t, SymbolState> states;
    for (size_t row = 0; row < rows.size(); ++row)
        states[rows.number(row, 0)] = {rows.text(row, 1), quality_of(rows.number(row, 2)), rows.text(row, 3),
                                       rows.text(row, 4),
                                       rows.number(row, 5) & ((uint64_t{1} << time_bits) - 1)};
    return states;
}

std::map<uint64_t, SymbolQuality> sampled_places(Server& server, uint64_t image) {
    const std::string of_image = "image = " + std::to_string(image);
    const Rows rows = server.query(
        "SELECT place, max(known) FROM (SELECT DISTINCT image, place FROM samples WHERE " + of_image +
        " UNION ALL " + frame_places + " AND " + of_image +
        ") AS sampled ANY LEFT JOIN (SELECT image, place, max(quality) AS known FROM locations WHERE " +
        of_image + " GROUP BY image, place) AS named USING (image, place) GROUP BY place");
    std::map<uint64_t, SymbolQuality> places;
    for (size_t row = 0; row < rows.size(); ++row)
        places[rows.number(row, 0)] = quality_of(rows.number(row, 1));
    return places;
}

std::vector<BuildFunction> stored_functions(Server& server, uint64_t image) {
    const std::string of_image = "image = " + std::to_string(image);
    const Rows rows = server.query(
        "SELECT first, last, name, linkage, file, line FROM functions FINAL WHERE " + of_image +
        " AND quality IN (SELECT max(quality) FROM functions WHERE " + of_image + ") ORDER BY first");
    std::vector<BuildFunction> functions;
    for (size_t row = 0; row < rows.size(); ++row)
        functions.push_back({rows.number(row, 0), rows.number(row, 1), rows.text(row, 2), rows.text(row, 3),
                             rows.text(row, 4), static_cast<uint32_t>(rows.number(row, 5))});
    return functions;
}

std::vector<BuildLocation> locate(const std::vector<BuildFunction>& functions,
                                  const std::vector<uint64_t>& places) {
    std::vector<BuildLocation> locations;
    for (const uint64_t place : places) {
        const auto next = std::ranges::upper_bound(functions, place, {}, &BuildFunction::first);
        if (next == functions.begin() || std::prev(next)->last < place) continue;
        const BuildFunction& function = *std::prev(next);
        locations.push_back({place, function.first, function.name, "", 0, {}});
    }
    return locations;
}

void store_symbols(Server& server, uint64_t image, const BuildSymbols& symbols, const Uploader& uploader) {
    const uint64_t version = version_of(symbols.quality, uploader.time);
    const auto quality = static_cast<uint8_t>(symbols.quality);
    Batches(server, "function_names").send(names_in(symbols), [](RowBinary& row, std::string_view name) {
        row.add_u64(id64(name));
        row.add_string(name);
    });
    Batches(server, "functions").send(symbols.functions, [&](RowBinary& row, const BuildFunction& function) {
        for (const uint64_t number : {image, function.first, function.last})
            row.add_u64(number);
        row.add_string(function.name);
        row.add_string(function.linkage);
        row.add_string(function.file);
        row.add_u32(function.line);
        row.add_u8(quality);
        row.add_string(uploader.name);
        row.add_u64(version);
    });
    Batches(server, "locations").send(symbols.locations, [&](RowBinary& row, const BuildLocation& location) {
        for (const uint64_t number : {image, location.place, location.first, id64(location.name)})
            row.add_u64(number);
        row.add_string(location.file);
        row.add_u32(location.line);
        row.add_strings(location.inlined);
        row.add_u8(quality);
        row.add_u64(version);
    });
}

void merge_locations(Server& server) {
    server.try_execute("OPTIMIZE TABLE locations FINAL");
}

void store_state(Server& server, uint64_t image, const std::string& state, SymbolQuality quality,
                 const std::string& reason, const Uploader& uploader) {
    Batches(server, "symbol_state").send(std::initializer_list<int>{0}, [&](RowBinary& row, int) {
        row.add_u64(image);
        row.add_string(state);
        row.add_u8(static_cast<uint8_t>(quality));
        row.add_string(reason);
        row.add_string(uploader.name);
        row.add_u64(version_of(quality, uploader.time));
    });
}

}  // namespace op::fleet
