// SPDX-License-Identifier: GPL-2.0-or-later
// Sums over slices, and over samples by slice and image.
#include "fleet/coverage.h"

#include <algorithm>

#include "fleet/sample_source.h"
#include "fleet/sha256.h"

namespace op::fleet {
namespace {

struct SliceSums {
    uint64_t rows = 0, hits = 0, stack_rows = 0, stack_hits = 0;

    bool operator==(const SliceSums&) const = default;
};

/// Rows and samples of each slice in a table.
template <class Take>
void sum_slices(Server& server, const Chosen& chosen, const std::string& table, Take take) {
    Chosen all;  // all of the slices' samples
    all.from = chosen.from;
    all.until = chosen.until;
    all.hosts = chosen.hosts;
    const Rows rows = server.query("SELECT slice, count(), sum(hits) FROM " +
                                       chosen_counters(server, table, "slice, hits", all) + " GROUP BY slice",
                                   all.tables());
    for (size_t row = 0; row < rows.size(); ++row)
        take(rows.number(row, 0), rows.number(row, 1), rows.number(row, 2));
}

}  // namespace

std::map<uint64_t, HostSlices> read_hosts(Server& server, const Chosen& chosen) {
    const Rows rows = server.query(
        "SELECT host, argMax(hostname, day), toString(min(day)), toString(max(day)), count(), countIf(sealed "
        "= 0), "
        "sum(sampled), sum(lost), sum(wall_ms), argMax(clock_ahead_ms, day), argMax(kernel, day), "
        "argMax(cpu_type, "
        "day), argMax(tool, day) FROM slices FINAL WHERE " +
            chosen.slice_condition() + " GROUP BY host",
        chosen.tables());
    std::map<uint64_t, HostSlices> hosts;
    for (size_t row = 0; row < rows.size(); ++row) {
        HostSlices& host = hosts[rows.number(row, 0)];
        host.name = rows.text(row, 1);
        host.first = parse_day(rows.text(row, 2)).value_or(Day());
        host.last = parse_day(rows.text(row, 3)).value_or(Day());
        host.slices = rows.number(row, 4);
        host.unsealed = rows.number(row, 5);
        host.sampled = rows.number(row, 6);
        host.lost = rows.number(row, 7);
        host.wall_ms = rows.number(row, 8);
        host.clock_ahead_ms = rows.signed_number(row, 9);
        host.kernel = rows.text(row, 10);
        host.cpu_type = rows.text(row, 11);
        host.tool = rows.text(row, 12);
    }
    return hosts;
}

void verify_slices(Server& server, const Chosen& chosen, std::map<uint64_t, HostSlices>& hosts) {
    std::map<uint64_t, SliceSums> found;
    sum_slices(server, chosen, "samples", [&](uint64_t slice, uint64_t rows, uint64_t hits) {
        found[slice].rows = rows;
        found[slice].hits = hits;
    });
    sum_slices(server, chosen, "stack_samples", [&](uint64_t slice, uint64_t rows, uint64_t hits) {
        found[slice].stack_rows = rows;
        found[slice].stack_hits = hits;
    });
    const Rows slices =
        server.query("SELECT host, slice, rows, sum_hits, stack_rows, stack_hits FROM slices FINAL WHERE " +
                         chosen.slice_condition(),
                     chosen.tables());
    for (size_t row = 0; row < slices.size(); ++row) {
        const SliceSums said{slices.number(row, 2), slices.number(row, 3), slices.number(row, 4),
                             slices.number(row, 5)};
        if (found[slices.number(row, 1)] != said) ++hosts[slices.number(row, 0)].unverified;
    }
}

std::vector<ImageSamples> count_images(Server& server, const Chosen& chosen) {
    const Rows rows = server.query(
        "SELECT image, sum(h), sum(h * (func = 0 OR func = " + std::to_string(id64("")) +
            ")) FROM (SELECT image, place, sum(hits) AS h FROM " +
            chosen_counters(server, "samples", "image, place, hits", chosen) +
            " GROUP BY image, place) AS counted ANY LEFT JOIN (SELECT image, place, argMax(func, "
            "version) AS func FROM locations GROUP BY image, place) AS known USING (image, "
            "place) GROUP BY image",
        chosen.tables());
    const Rows spread = server.query(
        "SELECT image, uniqExact(host) FROM samples WHERE " + chosen.condition() + " GROUP BY image",
        chosen.tables());
    std::map<uint64_t, ImageSamples> found;
    for (size_t row = 0; row < rows.size(); ++row)
        found[rows.number(row, 0)] = {rows.number(row, 0), rows.number(row, 1), rows.number(row, 2), 0};
    for (size_t row = 0; row < spread.size(); ++row)
        found[spread.number(row, 0)].hosts = spread.number(row, 1);
    std::vector<ImageSamples> images;
    for (const auto& [number, image] : found)
        images.push_back(image);
    std::ranges::stable_sort(images, std::ranges::greater{}, &ImageSamples::samples);
    return images;
}

}  // namespace op::fleet
