// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: whatever rows a fleet's server has, they become a profile with all samples, which can be
// written. The input is records of six bytes: a table, and numbers of its columns, of which 200 and more are
// the greatest there are.
#include <array>
#include <cstdint>
#include <cstdlib>

#include "fleet/fleet_profile.h"
#include "libpp/export/exporter.h"

namespace {

using namespace op::fleet;
using Record = std::array<uint64_t, 6>;

constexpr size_t record_size = std::tuple_size_v<Record>;
constexpr std::array<const char*, 4> names = {"", "work(int)", "line\nfeed;", "\xff/file.c"};

Record record_at(const uint8_t* data) {
    Record record;
    for (size_t i = 0; i < record_size; ++i)
        record[i] = data[i] < 200 ? data[i] : ~uint64_t{0} - (0xff - data[i]);
    return record;
}

void add_row(const Record& r, ProfileRows& rows) {
    switch (r[0] % 4) {
        case 0:
            rows.samples.push_back({r[1], r[2], r[3], r[4]});
            break;
        case 1:
            rows.stack_samples.push_back({r[1], r[4]});
            break;
        case 2:
            rows.stacks.insert_or_assign(r[1], StackNodeRow{r[2], r[3], r[4], static_cast<uint8_t>(r[5])});
            break;
        default:
            rows.places.insert_or_assign(std::pair(r[1], r[2]), PlaceName{r[3], names[r[4] % names.size()],
                                                                          names[r[5] % names.size()], 1});
            break;
    }
}

FleetImages some_images() {
    FleetImages images;
    images.add(1, {.build_id = "aa", .paths = {"/bin/app"}, .kind = "file"});
    images.add(2, {.build_id = "bb", .paths = {"/bin/app"}, .kind = "file"});
    images.add(3, {.paths = {"no path\n"}, .kind = "anon"});
    images.add(4, {.build_id = "cc", .paths = {"/vmlinux"}, .kind = "kernel"});
    return images;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const FleetImages images = some_images();
    ProfileRows rows;
    for (size_t at = 0; at + record_size <= size; at += record_size)
        add_row(record_at(data + at), rows);
    FleetProfile built;
    build_fleet_profile(rows, {.number = 1, .name = "TIMER", .period = 1}, images, built);
    uint64_t sent = 0, there = 0;
    for (const PlaceCount& sample : rows.samples)
        sent += sample.hits;
    for (const uint64_t hits : built.profile.counts)
        there += hits;
    if (sent != there) std::abort();
    (void)op::pp::find_exporter("pprof")->write(built.profile, {});
    if (!built.profile.stacks.is_empty()) (void)op::pp::find_exporter("folded")->write(built.profile, {});
    return 0;
}
