// SPDX-License-Identifier: GPL-2.0-or-later
// Queries for one slice. Names go along as tables, never in the text of a query.
#include "fleet/fetch.h"

#include "libop/base/counted.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::fleet {
namespace {

std::string where_slice(const PushedSlice& account) {
    return " WHERE day = '" + account.day.text() + "' AND host = " + std::to_string(account.host) +
           " AND slice = " + std::to_string(account.slice);
}

void fetch_samples(Server& server, FetchedSlice& slice) {
    const PushedSlice& account = slice.account;
    const Rows rows = server.query("SELECT event, image, app, place, max(hits) FROM samples" +
                                   where_slice(account) + " GROUP BY event, image, place, app, tgid, cpu");
    uint64_t sum = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
        const PlaceKey key{rows.number(i, 0), rows.number(i, 1), rows.number(i, 2), rows.number(i, 3)};
        slice.samples[key] += rows.number(i, 4);
        sum += rows.number(i, 4);
    }
    if (rows.size() == account.rows && sum == account.samples) return;
    throw_input("session " + printable(account.session) + ": the server has " + counted(sum, "sample") +
                " in " + counted(rows.size(), "row") + ", its account " + std::to_string(account.samples) +
                " in " + std::to_string(account.rows) + "; push it again");
}

void fetch_files(Server& server, FetchedSlice& slice) {
    const Rows rows = server.query("SELECT name, argMax(content, version) FROM slice_files" +
                                   where_slice(slice.account) + " GROUP BY name ORDER BY name");
    for (size_t i = 0; i < rows.size(); ++i)
        slice.files.push_back({rows.text(i, 0), rows.text(i, 1)});
}

}  // namespace

std::vector<PushedSlice> find_slices(Server& server, const std::string& hostname, Day day) {
    const std::vector<std::string> wanted = {hostname};
    const InputTable hosts[] = {input_strings("wanted_hosts", wanted)};
    const Rows rows = server.query(
        "SELECT slice, host, session, manifest, rows, sum_hits, sealed FROM slices FINAL WHERE day = '" +
            day.text() + "' AND hostname IN (SELECT value FROM wanted_hosts) ORDER BY start, slice",
        hosts);
    std::vector<PushedSlice> slices;
    for (size_t i = 0; i < rows.size(); ++i)
        slices.push_back({.slice = rows.number(i, 0),
                          .host = rows.number(i, 1),
                          .day = day,
                          .session = rows.text(i, 2),
                          .manifest = rows.text(i, 3),
                          .rows = rows.number(i, 4),
                          .samples = rows.number(i, 5),
                          .is_sealed = rows.number(i, 6) != 0});
    return slices;
}

FetchedSlice fetch_slice(Server& server, PushedSlice account) {
    FetchedSlice slice;
    slice.account = std::move(account);
    slice.info = parse_session_info(
        slice.account.manifest, "session " + printable(slice.account.session) + " on the server: manifest");
    fetch_samples(server, slice);
    fetch_files(server, slice);
    return slice;
}

}  // namespace op::fleet
