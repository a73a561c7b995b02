// SPDX-License-Identifier: GPL-2.0-or-later
// Records, and where the next one begins.
#include "daemon/import/perf_data_stream.h"

#include <linux/perf_event.h>

#include <algorithm>

#include "daemon/import/field_reader.h"
#include "daemon/import/perf_data_records.h"
#include "libop/base/error.h"

namespace op::collect {
namespace {

constexpr uint32_t no_record = UINT32_MAX;  // a type
constexpr uint64_t record_header = sizeof(perf_event_header);
/// perf collects 512 KiB and a little more before it compresses.
constexpr size_t most_unpacked = size_t{4} << 20;
/// What all that is compressed may expand to: so many times its size, and a little more. Stacks are mostly
/// zeros, which shrink to a hundredth.
constexpr uint64_t most_expansion = 1000, expansion_allowance = uint64_t{64} << 20;

}  // namespace

PerfDataStream::PerfDataStream(std::span<const std::byte> data, bool is_big_endian)
    : data_(data), is_big_endian_(is_big_endian) {}

std::optional<RawPerfRecord> PerfDataStream::stop(const std::string& why) {
    if (damage_.empty()) damage_ = why;
    at_ = data_.size();
    is_in_unpacked_ = false;
    return std::nullopt;
}

std::optional<RawPerfRecord> PerfDataStream::stop_here(const std::string& why) {
    return stop(why + " at byte " + std::to_string(at_) + " of its records");
}

std::optional<RawPerfRecord> PerfDataStream::next() {
    for (;;) {
        if (is_in_unpacked_)
            if (auto record = next_unpacked()) return record;
        auto record = next_plain();
        if (!record) return std::nullopt;
        if (record->type != perf_record_compressed && record->type != perf_record_compressed2) return record;
        if (!unpack(*record)) return std::nullopt;
    }
}

/// The record at the offset; none if it is not there as a whole. A size of less than a header gives a
/// record of no type.
std::optional<RawPerfRecord> PerfDataStream::record_in(const Segment& segment, uint64_t offset) const {
    const auto bytes = segment.bytes.subspan(offset);
    if (bytes.size() < record_header) return std::nullopt;
    FieldReader in(bytes, is_big_endian_);
    RawPerfRecord record{segment.begin + offset, in.u32(), in.u16()};
    const uint16_t size = in.u16();
    if (size < record_header) return RawPerfRecord{.type = no_record};
    if (size > bytes.size()) return std::nullopt;
    record.body = bytes.subspan(record_header, size - record_header);
    return record;
}

std::optional<RawPerfRecord> PerfDataStream::next_unpacked() {
    const Segment& segment = segments_.back();
    const auto record = record_in(segment, unpacked_at_);
    if (!record) {
        rest_.assign(segment.own.begin() + static_cast<std::ptrdiff_t>(unpacked_at_), segment.own.end());
        is_in_unpacked_ = false;
        return std::nullopt;
    }
    if (record->type == no_record) return stop("a compressed record has no size");
    if (record->type == perf_record_compressed || record->type == perf_record_compressed2)
        return stop("a compressed record is in another one");
    unpacked_at_ += record_header + record->body.size();
    return record;
}

/// The newest segment, if it is the part of the file that ends at at_; else a new one.
PerfDataStream::Segment& PerfDataStream::plain_segment() {
    if (!segments_.empty()) {
        Segment& last = segments_.back();
        if (last.own.empty() && last.bytes.data() + (end_ - last.begin) == data_.data() + at_) return last;
    }
    return segments_.emplace_back(Segment{end_, data_.subspan(at_)});
}

std::optional<RawPerfRecord> PerfDataStream::next_plain() {
    if (at_ == data_.size() && !rest_.empty()) return stop("cut off in its compressed records");
    if (!damage_.empty() || at_ == data_.size()) return std::nullopt;
    Segment& segment = plain_segment();
    const auto record = record_in(segment, end_ - segment.begin);
    if (!record) return stop_here("cut off");
    if (record->type == no_record) return stop_here("damaged");
    const uint64_t size = record_header + record->body.size();
    at_ += size;
    end_ += size;
    if (!skip_data_behind(*record)) return std::nullopt;
    return record;
}

/// Two types have data behind the record, outside its size.
bool PerfDataStream::skip_data_behind(const RawPerfRecord& record) {
    uint64_t more = 0;
    FieldReader in(record.body, is_big_endian_);
    if (record.type == perf_record_tracing_data && in.remaining() >= sizeof(uint32_t))
        more = (uint64_t{in.u32()} + 7) & ~uint64_t{7};
    if (record.type == perf_record_auxtrace && in.remaining() >= sizeof(uint64_t)) more = in.u64();
    if (more > data_.size() - at_) {
        stop_here("cut off");
        return false;
    }
    at_ += more;
    end_ += more;
    return true;
}

/// False if it is damaged. All compressed records of a file are one stream, so nothing can be read behind.
bool PerfDataStream::unpack(const RawPerfRecord& record) try {
    auto packed = record.body;
    if (record.type == perf_record_compressed2) {
        FieldReader in(record.body, is_big_endian_);
        packed = in.take(in.u64());
    }
    if (!zstd_) zstd_.emplace();
    Segment segment{end_, {}, std::move(rest_)};
    rest_.clear();
    const size_t before = segment.own.size();
    zstd_->unpack(packed, segment.own, most_unpacked);
    packed_ += packed.size();
    unpacked_ += segment.own.size() - before;
    if (unpacked_ / most_expansion > packed_ + expansion_allowance / most_expansion)
        throw_input("compressed data expands too much");
    segment.bytes = segment.own;
    end_ += segment.own.size();
    held_ += segment.own.size();
    unpacked_at_ = 0;
    is_in_unpacked_ = true;
    segments_.push_back(std::move(segment));
    return true;
} catch (const Error& e) {
    stop(e.what());
    return false;
}

RawPerfRecord PerfDataStream::at(uint64_t position) {
    const auto holds = [&](size_t index) {
        return index < segments_.size() && segments_[index].begin <= position &&
               (index + 1 == segments_.size() || position < segments_[index + 1].begin);
    };
    if (!holds(last_)) {
        const auto after = std::ranges::upper_bound(segments_, position, {}, &Segment::begin);
        last_ = static_cast<size_t>(after - segments_.begin()) - 1;
    }
    return *record_in(segments_[last_], position - segments_[last_].begin);
}

void PerfDataStream::forget_before(uint64_t position) {
    while (segments_.size() > 1 && segments_[1].begin <= position) {
        held_ -= segments_.front().own.size();
        segments_.pop_front();
        if (last_ > 0) --last_;
    }
}

}  // namespace op::collect
