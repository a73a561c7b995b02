// SPDX-License-Identifier: GPL-2.0-or-later
// Queries with one join each level, as 18.16 wants it. Samples are added up over hosts before names are
// joined.
#include "fleet/function_counts.h"

#include <algorithm>
#include <set>

#include "fleet/sample_source.h"
#include "fleet/sha256.h"
#include "fleet/summaries.h"
#include "libop/base/text.h"

namespace op::fleet {
namespace {

/// The function at each known place, to the right of a join. Rows that the server has merged need no
/// grouping.
std::string places_by_function(Server& server) {
    const char* const text = is_one_part(server, "locations")
                                 ? "(SELECT image, place, func FROM locations) AS known USING (image, place)"
                                 : "(SELECT image, place, argMax(func, version) AS func FROM locations GROUP "
                                   "BY image, place) AS known USING (image, place)";
    return text;
}
/// The places of wanted functions, of older rows as well.
constexpr const char* wanted_places =
    "(image, place) IN (SELECT image, place FROM locations WHERE func IN (SELECT value FROM "
    "wanted_functions))";
constexpr const char* files_by_image = "(SELECT image, file FROM image_files) AS files USING (image)";

std::vector<InputTable> with(std::vector<InputTable> tables, InputTable more) {
    tables.push_back(std::move(more));
    return tables;
}

/// Places that are known to be in no function have the number of the empty name.
FunctionKey key_of(const Rows& rows, size_t row) {
    static const uint64_t no_name = id64("");
    const uint64_t func = rows.number(row, 1);
    return {static_cast<uint32_t>(rows.number(row, 0)), func == no_name ? 0 : func};
}

/// Which rows of samples a query is about, and the functions of their places.
struct FunctionSource {
    std::string condition, places;
};

/// The rows of functions with names: found by place.
FunctionSource named_source() {
    return {wanted_places,
            std::string("(SELECT image, place, argMax(func, version) AS func FROM locations WHERE ") +
                wanted_places + " GROUP BY image, place) AS known USING (image, place)"};
}

/// The rows of images, whose places may have no names.
FunctionSource nameless_source(Server& server) {
    return {"image IN (SELECT value FROM wanted_images)", places_by_function(server)};
}

/// Rows of samples with the functions of their places, of wanted functions. `columns` has no hits.
std::string counted_rows(Server& server, const Chosen& chosen, const std::string& columns,
                         const FunctionSource& source) {
    const std::string rows = chosen_counters(server, "samples", "image, place, " + columns + ", hits", chosen,
                                             chosen.summarised_days());
    return "SELECT image, func, " + columns + ", hits FROM (SELECT image, place, " + columns +
           ", hits FROM " + rows + " WHERE " + source.condition + ") AS counted ANY LEFT JOIN " +
           source.places + " WHERE func IN (SELECT value FROM wanted_functions)";
}

/// Rows with file, func, image and columns, of wanted functions.
std::string rows_of_functions(Server& server, const Chosen& chosen, const std::string& columns,
                              const FunctionSource& source) {
    std::vector<std::string> parts;
    if (!chosen.is_all_summarised) parts.push_back(counted_rows(server, chosen, columns, source));
    if (!chosen.summarised.empty())
        parts.push_back("SELECT image, func, " + columns + ", hits FROM " +
                        summary_rows("image, func, " + columns, chosen,
                                     " AND image IN (SELECT value FROM wanted_images) AND func IN (SELECT "
                                     "value FROM wanted_functions)"));
    return "(SELECT file, func, image, " + columns + ", hits FROM (" + joined(parts, " UNION ALL ") +
           ") AS counted ANY LEFT JOIN " + files_by_image + ")";
}

/// Samples by image and function, of all functions.
std::string sums_by_function(Server& server, const Chosen& chosen) {
    std::vector<std::string> parts;
    if (!chosen.is_all_summarised)
        parts.push_back(
            "SELECT image, func, sum(h) AS h FROM (SELECT image, place, sum(hits) AS h FROM " +
            chosen_counters(server, "samples", "image, place, hits", chosen, chosen.summarised_days()) +
            " GROUP BY image, place) AS counted ANY LEFT JOIN " + places_by_function(server) +
            " GROUP BY image, func");
    if (!chosen.summarised.empty())
        parts.push_back("SELECT image, func, sum(hits) AS h FROM " + summary_rows("image, func", chosen, "") +
                        " GROUP BY image, func");
    return "(" + joined(parts, " UNION ALL ") + ")";
}

std::vector<InputTable> function_tables(const Chosen& chosen, const FunctionFiles& files,
                                        const std::vector<FunctionCount>& functions) {
    std::set<uint64_t> funcs;
    for (const FunctionCount& function : functions)
        funcs.insert(function.key.func);
    if (funcs.contains(0)) funcs.insert(id64(""));
    std::vector<InputTable> tables = with(chosen.tables(), files.table());
    tables.push_back(input_numbers("wanted_functions", {funcs.begin(), funcs.end()}));
    tables.push_back(input_numbers("wanted_images", files.images(functions)));
    return tables;
}

/// Calls `ask` for the functions with names, and for those without, if there are any.
template <class Ask>
void ask_for_functions(Server& server, const std::vector<FunctionCount>& functions, Ask ask) {
    std::vector<FunctionCount> named, nameless;
    for (const FunctionCount& function : functions)
        (function.key.func != 0 ? named : nameless).push_back(function);
    if (!named.empty()) ask(named, named_source());
    if (!nameless.empty()) ask(nameless, nameless_source(server));
}

std::set<FunctionKey> keys_of(const std::vector<FunctionCount>& functions) {
    std::set<FunctionKey> keys;
    for (const FunctionCount& function : functions)
        keys.insert(function.key);
    return keys;
}

}  // namespace

FunctionFiles::FunctionFiles(const FleetImages& images)
    : table_{"image_files", "image UInt64, file UInt32", {}} {
    std::map<std::string_view, uint32_t> numbers;
    for (const auto& [number, image] : images.all()) {
        const auto [at, is_new] =
            numbers.try_emplace(base_name(image.path()), static_cast<uint32_t>(paths_.size()));
        if (is_new) paths_.push_back(image.path());
        files_[number] = at->second;
        table_.rows.add_u64(number);
        table_.rows.add_u32(at->second);
        table_.rows.end_row();
    }
}

std::vector<uint64_t> FunctionFiles::images(const std::vector<FunctionCount>& counts) const {
    std::set<uint32_t> wanted;
    for (const FunctionCount& count : counts)
        wanted.insert(count.key.file);
    std::vector<uint64_t> images;
    for (const auto& [image, file] : files_)
        if (wanted.contains(file)) images.push_back(image);
    return images;
}

std::vector<FunctionCount> count_functions(Server& server, const Chosen& chosen, const FunctionFiles& files) {
    const Rows rows = server.query("SELECT file, func, sum(h) FROM " + sums_by_function(server, chosen) +
                                       " AS counted ANY LEFT JOIN " + files_by_image + " GROUP BY file, func",
                                   with(chosen.tables(), files.table()));
    std::map<FunctionKey, uint64_t> sums;
    for (size_t row = 0; row < rows.size(); ++row)
        sums[key_of(rows, row)] += rows.number(row, 2);
    std::vector<FunctionCount> counts;
    for (const auto& [key, samples] : sums)
        counts.push_back({key, samples});
    std::ranges::sort(counts, [](const FunctionCount& a, const FunctionCount& b) {
        return a.samples != b.samples ? a.samples > b.samples : a.key < b.key;
    });
    return counts;
}

std::map<FunctionKey, FunctionSpread> spread_functions(Server& server, const Chosen& chosen,
                                                       const FunctionFiles& files,
                                                       const std::vector<FunctionCount>& functions) {
    std::map<FunctionKey, FunctionSpread> spread;
    ask_for_functions(
        server, functions, [&](const std::vector<FunctionCount>& some, const FunctionSource& source) {
            const Rows rows =
                server.query("SELECT file, if(func = " + std::to_string(id64("")) +
                                 ", 0, func) AS named, uniqExact(host), uniqExact(image) FROM " +
                                 rows_of_functions(server, chosen, "host", source) + " GROUP BY file, named",
                             function_tables(chosen, files, some));
            for (size_t row = 0; row < rows.size(); ++row)
                spread[key_of(rows, row)] = {rows.number(row, 2), rows.number(row, 3)};
        });
    return spread;
}

std::map<uint64_t, uint64_t> totals_by_host(Server& server, const Chosen& chosen) {
    std::vector<std::string> parts;
    if (!chosen.is_all_summarised)
        parts.push_back("SELECT host, hits FROM " +
                        chosen_counters(server, "samples", "host, hits", chosen, chosen.summarised_days()));
    if (!chosen.summarised.empty())
        parts.push_back("SELECT host, hits FROM " + summary_rows("host", chosen, ""));
    const Rows rows = server.query(
        "SELECT host, sum(hits) FROM (" + joined(parts, " UNION ALL ") + ") GROUP BY host", chosen.tables());
    std::map<uint64_t, uint64_t> totals;
    for (size_t row = 0; row < rows.size(); ++row)
        totals[rows.number(row, 0)] = rows.number(row, 1);
    return totals;
}

HostCounts count_by_host(Server& server, const Chosen& chosen, const FunctionFiles& files,
                         const std::vector<FunctionCount>& functions) {
    HostCounts counts;
    const std::set<FunctionKey> wanted = keys_of(functions);
    ask_for_functions(
        server, functions, [&](const std::vector<FunctionCount>& some, const FunctionSource& source) {
            const Rows rows = server.query("SELECT file, func, host, sum(hits) FROM " +
                                               rows_of_functions(server, chosen, "host", source) +
                                               " GROUP BY file, func, host",
                                           function_tables(chosen, files, some));
            for (size_t row = 0; row < rows.size(); ++row)
                if (const FunctionKey key = key_of(rows, row); wanted.contains(key))
                    counts.functions[key][rows.number(row, 2)] += rows.number(row, 3);
        });
    counts.totals = totals_by_host(server, chosen);
    return counts;
}

std::map<uint64_t, std::string> function_names(Server& server, const std::vector<FunctionCount>& functions) {
    std::set<uint64_t> funcs;
    for (const FunctionCount& function : functions)
        funcs.insert(function.key.func);
    const InputTable wanted[] = {input_numbers("wanted_functions", {funcs.begin(), funcs.end()})};
    const Rows rows = server.query(
        "SELECT func, any(name) FROM function_names WHERE func IN (SELECT value FROM wanted_functions) GROUP "
        "BY func",
        wanted);
    std::map<uint64_t, std::string> names;
    for (size_t row = 0; row < rows.size(); ++row)
        names[rows.number(row, 0)] = rows.text(row, 1);
    return names;
}

}  // namespace op::fleet
