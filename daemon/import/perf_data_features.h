// SPDX-License-Identifier: GPL-2.0-or-later
// The feature sections of a perf.data file: machine, command, names of events, build-ids. Source:
// tools/perf/Documentation/perf.data-file-format.txt of Linux.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "daemon/import/perf_data_attr.h"

namespace op::collect {

/// Numbers of the features that are read.
enum class PerfDataFeature : uint32_t {
    build_id = 2,
    hostname = 3,
    os_release = 4,
    version = 5,
    arch = 6,
    cpu_desc = 8,
    cpu_id = 9,
    command_line = 11,
    event_desc = 12,
    pmu_mappings = 16,
    sample_time = 21,
    dir_format = 24,
    clock_data = 29,
};

/// What the features hold. Empty or 0 where the file has none.
struct PerfDataFeatures {
    std::string hostname, os_release, version, arch, cpu_desc, cpu_id, command;
    std::map<std::string, std::string>
        build_ids;  ///< bytes of a build-id by path; the kernel's as "[kernel.kallsyms]"
    std::map<uint32_t, std::string> pmus;        ///< names of attribute types
    uint64_t first_sample = 0, last_sample = 0;  ///< ns of the clock of samples
    uint32_t clockid = 0;                        ///< of the clock of samples
    uint64_t wall_clock = 0, sample_clock = 0;   ///< the same moment: ns since the epoch, and of clockid
    bool is_directory = false;

    /// Files may claim any number.
    static constexpr size_t most_build_ids = 65536, most_pmus = 4096;

    /// Adds what a feature's section holds; names of events to `attrs`. Throws an input error if it is cut
    /// off; what it held before is added.
    void read(uint32_t number, std::span<const std::byte> section, bool is_big_endian, PerfDataAttrs& attrs);
    /// Adds an entry of the feature BUILD_ID, or a record of type 67, without its header.
    void add_build_id(std::span<const std::byte> body, uint16_t misc, bool is_big_endian);
};

/// The bytes of a build-id as build-id features and mappings have them: `length` of 20. A length of 20 may
/// mean an id that is shorter and ends in zeros.
std::span<const std::byte> trimmed_build_id(std::span<const std::byte> bytes, size_t length);

}  // namespace op::collect
