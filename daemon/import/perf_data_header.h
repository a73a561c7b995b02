// SPDX-License-Identifier: GPL-2.0-or-later
// The header of a perf.data file: where its records lie, its events and features. Source:
// tools/perf/Documentation/perf.data-file-format.txt of Linux.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "daemon/import/perf_data_attr.h"
#include "daemon/import/perf_data_features.h"
#include "libop/base/diagnostics.h"

namespace op::collect {

/// True if the bytes begin like a perf.data file of either byte order.
bool is_perf_data(std::span<const std::byte> bytes);
/// The header of a file. Of a pipe it is 16 bytes, but a description of an event follows, which is longer.
inline constexpr size_t shortest_perf_data = 104;

/// What a file states about its records. In pipe mode events and features are records themselves and still
/// missing.
struct PerfDataHeader {
    bool is_big_endian = false, is_pipe = false;
    uint64_t data_begin = 0, data_end = 0;  ///< bytes of the file, half-open
    PerfDataAttrs attrs;
    PerfDataFeatures features;
};

/// Parses the header of a file. What is damaged besides events and records is left out, with a note naming
/// `label`. Throws an input error if the records cannot be read.
PerfDataHeader parse_perf_data_header(std::span<const std::byte> file, std::string_view label,
                                      Diagnostics& notes);

}  // namespace op::collect
