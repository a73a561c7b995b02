// SPDX-License-Identifier: GPL-2.0-or-later
// From the kernel's records in a perf.data file to ours: any sample type, any byte order. Source:
// linux/perf_event.h, perf_event_open(2).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#include "daemon/import/field_reader.h"
#include "daemon/import/perf_data_header.h"
#include "daemon/import/perf_data_stream.h"
#include "daemon/perf/perf_decode.h"
#include "libop/stream/record.h"

namespace op::collect {

/// Decodes the records of one file.
class PerfDataDecoder {
public:
    /// `header` and `events` must outlive the object; what is added to them later is used.
    PerfDataDecoder(const PerfDataHeader& header, const PerfDataEvents& events)
        : header_(header), events_(events) {}

    /// The time of a record of the kernel's types; 0 = it has none, or is damaged.
    uint64_t time_of(const RawPerfRecord& record) const noexcept;

    /// Decodes one record; none if it is of no interest. A damaged one of a sample is a loss on CPU 0, one of
    /// a process a loss of the side band. Views in the result point into the record, the arena, the header or
    /// this object, until forget_names().
    std::optional<Record> decode(const RawPerfRecord& record, ChainArena& chains);

    /// Copied stacks are given to whoever walks them, or not. Not at first.
    void set_walks_stacks(bool walks_stacks) noexcept { walks_stacks_ = walks_stacks; }
    /// To be called between batches of records.
    void forget_names() noexcept { names_.clear(); }
    /// Images of code that the kernel made while it ran.
    const std::set<std::string>& made_kernel_code() const noexcept { return made_; }

private:
    Record decode_sample(const RawPerfRecord& record, ChainArena& chains) const;
    std::optional<Record> decode_other(const RawPerfRecord& record);
    std::optional<Record> decode_mapping(const RawPerfRecord& record, bool has_more);
    std::optional<Record> kernel_mapping(Mapping mapping, std::string_view path);
    std::optional<Record> made_kernel_code(const RawPerfRecord& record);
    void identify(Mapping& mapping, uint16_t misc, std::span<const std::byte> identity) const;
    std::span<const std::byte> known_build_id(std::string_view path) const;
    const PerfDataAttr& attr_of_sample(std::span<const std::byte> body, uint16_t& event) const;
    const PerfDataAttr& attr_of_others() const { return header_.attrs.attrs.front(); }
    uint32_t cpu_of(std::span<const std::byte> body) const;
    std::span<const std::byte> without_trailer(std::span<const std::byte> body) const;
    FieldReader reader(std::span<const std::byte> bytes) const { return {bytes, header_.is_big_endian}; }
    uint16_t event_of(uint64_t id) const noexcept;
    bool is_first_name(uint32_t tgid, uint32_t tid, uint64_t time);

    static constexpr size_t most_named = 65536;  ///< a file may name any number of processes
    static constexpr size_t most_made = 4096, longest_made = 512;

    const PerfDataHeader& header_;
    const PerfDataEvents& events_;
    bool walks_stacks_ = false;
    std::deque<std::string> names_;  ///< of kernel images in records
    std::set<std::string> made_;
    std::unordered_set<uint32_t> named_;  ///< processes, where records have no times
};

}  // namespace op::collect
