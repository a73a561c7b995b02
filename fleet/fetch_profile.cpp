// SPDX-License-Identifier: GPL-2.0-or-later
// The queries for a profile. Stacks are fetched from the sampled ends upwards, a level with each query.
#include <set>

#include "fleet/fleet_profile.h"
#include "fleet/sample_source.h"
#include "libop/stacks/stack_frame.h"

namespace op::fleet {
namespace {

void fetch_samples(Server& server, const Chosen& chosen, ProfileRows& profile) {
    const Rows rows = server.query("SELECT app, image, place, sum(hits) FROM " +
                                       chosen_counters(server, "samples", "app, image, place, hits", chosen) +
                                       " GROUP BY app, image, place ORDER BY app, image, place",
                                   chosen.tables());
    for (size_t i = 0; i < rows.size(); ++i)
        profile.samples.push_back(
            {rows.number(i, 0), rows.number(i, 1), rows.number(i, 2), rows.number(i, 3)});
}

void fetch_stack_samples(Server& server, const Chosen& chosen, ProfileRows& profile) {
    const Rows rows = server.query("SELECT stack, sum(hits) FROM " +
                                       chosen_counters(server, "stack_samples", "stack, hits", chosen) +
                                       " GROUP BY stack ORDER BY stack",
                                   chosen.tables());
    for (size_t i = 0; i < rows.size(); ++i)
        profile.stack_samples.push_back({rows.number(i, 0), rows.number(i, 1)});
}

void fetch_stacks(Server& server, ProfileRows& profile) {
    std::set<uint64_t> wanted;
    for (const StackCountRow& row : profile.stack_samples)
        wanted.insert(row.stack);
    for (uint32_t level = 0; !wanted.empty() && level <= deepest_stack; ++level) {
        const InputTable tables[] = {input_numbers("wanted_stacks", {wanted.begin(), wanted.end()})};
        const Rows rows = server.query(
            "SELECT stack, any(parent), any(image), any(place), any(kind) FROM stacks WHERE stack IN (SELECT "
            "value FROM "
            "wanted_stacks) GROUP BY stack",
            tables);
        wanted.clear();
        for (size_t i = 0; i < rows.size(); ++i) {
            const StackNodeRow node{rows.number(i, 1), rows.number(i, 2), rows.number(i, 3),
                                    static_cast<uint8_t>(rows.number(i, 4))};
            profile.stacks.emplace(rows.number(i, 0), node);
            if (node.parent != 0) wanted.insert(node.parent);
        }
        std::erase_if(wanted, [&](uint64_t stack) { return profile.stacks.contains(stack); });
    }
}

/// The places of the profile, as names are known by: of a caller the byte before its return address.
InputTable used_places(const ProfileRows& profile) {
    std::set<std::pair<uint64_t, uint64_t>> places;
    for (const PlaceCount& sample : profile.samples)
        places.emplace(sample.image, sample.place);
    for (const auto& [stack, node] : profile.stacks)
        if (const bool is_call = node.kind == StackNodeRow::return_address;
            is_call || node.kind == StackNodeRow::address)
            places.emplace(node.image, node.place - (is_call && node.place > 0 ? 1 : 0));
    InputTable table{"used_places", "image UInt64, place UInt64", {}};
    for (const auto& [image, place] : places) {
        table.rows.add_u64(image);
        table.rows.add_u64(place);
        table.rows.end_row();
    }
    return table;
}

void fetch_names(Server& server, ProfileRows& profile) {
    const InputTable tables[] = {used_places(profile)};
    const Rows rows = server.query(
        "SELECT image, place, argMax(first, version), argMax(func, version), argMax(file, version), "
        "argMax(line, version) "
        "FROM locations WHERE (image, place) IN (SELECT image, place FROM used_places) GROUP BY image, place",
        tables);
    std::set<uint64_t> functions;
    for (size_t i = 0; i < rows.size(); ++i)
        functions.insert(rows.number(i, 3));
    const InputTable wanted[] = {input_numbers("wanted_functions", {functions.begin(), functions.end()})};
    const Rows named = server.query(
        "SELECT func, any(name) FROM function_names WHERE func IN (SELECT value FROM wanted_functions) GROUP "
        "BY func",
        wanted);
    std::map<uint64_t, std::string> names;
    for (size_t i = 0; i < named.size(); ++i)
        names[named.number(i, 0)] = named.text(i, 1);
    for (size_t i = 0; i < rows.size(); ++i)
        profile.places[{rows.number(i, 0), rows.number(i, 1)}] = {rows.number(i, 2), names[rows.number(i, 3)],
                                                                  rows.text(i, 4),
                                                                  static_cast<uint32_t>(rows.number(i, 5))};
}

}  // namespace

ProfileRows fetch_profile(Server& server, const Chosen& chosen) {
    ProfileRows profile;
    fetch_samples(server, chosen, profile);
    fetch_stack_samples(server, chosen, profile);
    fetch_stacks(server, profile);
    fetch_names(server, profile);
    return profile;
}

}  // namespace op::fleet
