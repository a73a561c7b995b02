// SPDX-License-Identifier: GPL-2.0-or-later
// The records of a perf.data file one after another, with compressed ones unpacked. Does not know what most
// records mean. Source: tools/perf/Documentation/perf.data-file-format.txt of Linux.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libop/base/unpack.h"

namespace op::collect {

/// A record with its header. Positions grow from record to record and are those of no file.
struct RawPerfRecord {
    uint64_t position = 0;
    uint32_t type = 0;
    uint16_t misc = 0;
    std::span<const std::byte> body = {};  ///< without the header
};

/// Goes through the records once; earlier ones can be read again until they are forgotten.
class PerfDataStream {
public:
    /// `data` are the records of the file, which must outlive the object.
    PerfDataStream(std::span<const std::byte> data, bool is_big_endian);

    /// The next record that is not a compressed one; none at the end or where the file is damaged.
    std::optional<RawPerfRecord> next();
    /// The record at a position that next() gave. Valid until it is forgotten.
    RawPerfRecord at(uint64_t position);
    /// Frees what was unpacked for records before the position.
    void forget_before(uint64_t position);

    /// Why next() ended before the end; empty = it did not.
    const std::string& damage() const noexcept { return damage_; }
    /// Behind all positions that next() gave.
    uint64_t end_position() const noexcept { return end_; }
    /// Bytes of the file that were read.
    uint64_t read_bytes() const noexcept { return at_; }
    /// Bytes that unpacked records take in memory.
    uint64_t held_bytes() const noexcept { return held_; }

private:
    /// Consecutive positions and their bytes: a part of the file, or what a compressed record had in it.
    struct Segment {
        uint64_t begin;
        std::span<const std::byte> bytes;
        std::vector<std::byte> own = {};
    };

    std::optional<RawPerfRecord> next_unpacked();
    std::optional<RawPerfRecord> next_plain();
    std::optional<RawPerfRecord> record_in(const Segment& segment, uint64_t offset) const;
    bool unpack(const RawPerfRecord& record);
    bool skip_data_behind(const RawPerfRecord& record);
    std::optional<RawPerfRecord> stop(const std::string& why);
    std::optional<RawPerfRecord> stop_here(const std::string& why);
    Segment& plain_segment();

    std::span<const std::byte> data_;
    bool is_big_endian_;
    uint64_t at_ = 0;  ///< in data_
    std::deque<Segment> segments_;
    size_t last_ = 0;           ///< index of the segment that at() used last
    uint64_t end_ = 0;          ///< position behind the last segment
    uint64_t unpacked_at_ = 0;  ///< in the newest segment, if it is an unpacked one
    bool is_in_unpacked_ = false;
    uint64_t held_ = 0, packed_ = 0, unpacked_ = 0;  ///< bytes; the last two of all that was compressed
    std::vector<std::byte> rest_;  ///< begin of a record that the next compressed one continues
    std::optional<ZstdStream> zstd_;
    std::string damage_;
};

}  // namespace op::collect
