// SPDX-License-Identifier: GPL-2.0-or-later
// The table of importers. A new one is a row here.
#include "daemon/import/importers.h"

#include <algorithm>
#include <array>
#include <vector>

#include "daemon/import/akaros_source.h"
#include "daemon/import/gperf_source.h"
#include "daemon/import/perf_data_header.h"
#include "daemon/import/perf_data_source.h"
#include "libop/base/error.h"
#include "libop/base/text.h"

namespace op::collect {
namespace {

constexpr std::array<Importer, 3> kinds{{
    {.name = "perf",
     .description = "perf.data of Linux perf",
     .matches = is_perf_data,
     .least_bytes = shortest_perf_data,
     .open = open_perf_data},
    {.name = "akaros",
     .description = "traces of Akaros and Harvey, what op2 read",
     .matches = nullptr,
     .least_bytes = 1,
     .open = open_akaros},
    {.name = "gperftools",
     .description = "CPU profiles of gperftools",
     .matches = GperfProfile::matches,
     .least_bytes = 1,
     .open = open_gperf},
}};

std::string names() {
    std::vector<std::string> known;
    for (const Importer& kind : kinds)
        known.emplace_back(kind.name);
    return joined(known);
}

}  // namespace

std::span<const Importer> importers() {
    return kinds;
}

const Importer& importer_for(std::string_view name, std::span<const std::byte> bytes,
                             std::string_view label) {
    const auto fits = [&](const Importer& kind) {
        return name.empty() ? kind.matches && kind.matches(bytes) : kind.name == name;
    };
    const auto kind = std::ranges::find_if(kinds, fits);
    if (kind != kinds.end() && bytes.size() >= kind->least_bytes) return *kind;
    if (bytes.empty()) throw_input(std::string(label) + ": the file is empty");
    if (kind != kinds.end()) throw_input(std::string(label) + ": the file is cut off within its header");
    if (!name.empty())
        throw_usage("--from=" + printable(name) + ": no such kind of recording; there are: " + names());
    throw_input(std::string(label) +
                ": no recording of a kind that is recognised (give it by --from: " + names() + ")");
}

}  // namespace op::collect
