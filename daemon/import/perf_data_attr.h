// SPDX-License-Identifier: GPL-2.0-or-later
// The events of a perf.data file: struct perf_event_attr of any size and byte order, and which event an id
// means. Source: linux/perf_event.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "libop/session/session_info.h"

namespace op::collect {

/// What an import needs of one attribute.
struct PerfDataAttr {
    uint32_t type = 0, size = 0;
    uint64_t config = 0;
    uint64_t period = 0;  ///< or, with is_freq, samples a second
    uint64_t sample_type = 0, read_format = 0, branch_sample_type = 0;
    uint64_t regs_user = 0;  ///< mask of the registers in samples
    bool is_freq = false, has_sample_id = false;
    bool has_kernel = true, has_user = true;
    bool uses_clockid = false;
    bool has_build_ids = false;  ///< mappings have a build-id where the file has one
    uint32_t clockid = 0;
    std::string name = {};  ///< as the user typed it; empty = not in the file

    /// True if it carries the records of processes only and has no samples.
    bool is_dummy() const noexcept;
};

/// Smallest size of an attribute (PERF_ATTR_SIZE_VER0).
inline constexpr uint32_t smallest_perf_attr = 64;

/// Parses an attribute; what is beyond the members known here is ignored. Throws an input error.
PerfDataAttr parse_perf_attr(std::span<const std::byte> bytes, bool is_big_endian);

/// All attributes of a file and their ids.
struct PerfDataAttrs {
    /// A file may claim any number.
    static constexpr size_t most = 1024, most_ids = size_t{1} << 20;
    /// An attribute that no file has.
    static constexpr uint16_t unknown = UINT16_MAX;

    std::vector<PerfDataAttr> attrs;
    std::unordered_map<uint64_t, uint16_t> by_id;

    void add_id(uint64_t id, size_t attr);
    /// The attribute of an id; 0 for id 0 or if there is one only.
    uint16_t find(uint64_t id) const noexcept;
    /// Throws an input error if records of different attributes cannot be distinguished.
    void check() const;
};

/// The events of a session and the attribute of each.
struct PerfDataEvents {
    std::vector<RecordedEvent> events;
    std::vector<uint16_t> of_attr;  ///< index into `events`; unknown for an attribute without samples
};
/// `pmus` are the names of types from 6 on. Names differ from each other and are fit for sample files.
PerfDataEvents name_perf_events(const PerfDataAttrs& attrs, const std::map<uint32_t, std::string>& pmus);

}  // namespace op::collect
