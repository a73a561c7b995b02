// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any bytes are a stream or an input error; every view lies within the bytes; the process table
// and the table of images take whatever the records say. What was decoded and encoded again decodes to the
// same.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "daemon/collect/driver_maps.h"
#include "daemon/collect/known_images.h"
#include "daemon/collect/process_table.h"
#include "libop/base/error.h"
#include "libop/stream/stream.h"

namespace {

struct Check {
    std::span<const std::byte> bytes;
    op::collect::ProcessTable& table;
    op::collect::KnownImages& images;

    void within(const void* start, size_t size) const {
        const auto* p = static_cast<const std::byte*>(start);
        if (size > 0 && (p < bytes.data() || p + size > bytes.data() + bytes.size())) std::abort();
    }
    void operator()(const op::Sample& s) const {
        within(s.chain.data(), s.chain.size_bytes());
        if (s.kernel_frames > s.chain.size()) std::abort();
        const auto* region = table.find_user(s.tgid, s.pc);
        if (region && (s.pc < region->start || s.pc >= region->end)) std::abort();
    }
    void operator()(const op::PlacedSample& s) const {
        within(s.chain.data(), s.chain.size_bytes());
        if (s.kernel_frames > s.chain.size()) std::abort();
        for (const op::Place& place : s.chain)
            images.find(place.cookie);
        if (s.user_stack) within(s.user_stack->bytes.data(), s.user_stack->bytes.size());
    }
    void operator()(const op::RawSample& s) const {
        within(s.raw.data(), s.raw.size());
        (*this)(s.placed);
    }
    void operator()(const op::Mapping& m) const {
        within(m.path.data(), m.path.size());
        within(m.build_id.data(), m.build_id.size());
        table.apply(m);
        if (m.kernel) images.take(m);
    }
    void operator()(const op::ImageCookie& i) const {
        within(i.path.data(), i.path.size());
        images.take(i);
        const auto* image = images.find(i.cookie);
        if (!image || image->name == op::StringId::none || image->end < image->start) std::abort();
        images.note_used(*image, {0});
    }
    void operator()(const op::Name& n) const {
        within(n.comm.data(), n.comm.size());
        table.apply(n);
    }
    void operator()(const op::PlacedName& n) const { within(n.comm.data(), n.comm.size()); }
    void operator()(const op::Lost&) const {}
    void operator()(const op::LostSideBand&) const {}
    void operator()(const op::MissedPeriods&) const {}
    void operator()(const op::PlacedMaps& m) const {
        within(m.mappings.data(), m.mappings.size_bytes());
        op::collect::DriverMaps maps;
        maps.take(m, images);
        if (const auto* const taken = maps.find(m.number))
            for (const op::PlacedMapping& mapping : m.mappings)
                if (const auto* const part = taken->find(mapping.start))
                    if (mapping.start < part->region.start || mapping.start >= part->region.end) std::abort();
    }
    void operator()(const op::Throttle&) const {}
    void operator()(const op::EventTime&) const {}
    template <class R>
    void operator()(const R& record) const {
        table.apply(record);
    }
};

std::string encode(std::span<const op::Record> records) {
    op::RecordEncoder encoder;
    std::string bytes;
    for (const op::Record& record : records)
        encoder.encode(record, bytes);
    return bytes;
}

/// Encoding is exact: what it gives is what encoding its decoding gives.
void check_round_trip(std::span<const op::Record> records) {
    const std::string once = encode(records);
    std::vector<uint64_t> aligned(once.size() / 8);
    std::memcpy(aligned.data(), once.data(), once.size());
    op::RecordDecoder decoder;
    std::vector<op::Record> again;
    const size_t used = decoder.decode(std::as_bytes(std::span(aligned)), again, SIZE_MAX / 2);
    if (used != once.size() || decoder.damage() || encode(again) != once) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::vector<uint64_t> aligned((size + 7) / 8);
    if (size > 0) std::memcpy(aligned.data(), data, size);
    const auto bytes = std::as_bytes(std::span(aligned)).first(size);
    try {
        op::StreamReader reader(bytes, "input");
        op::StringTable names;
        op::collect::ProcessTable table;
        op::collect::KnownImages images(names, false);
        std::vector<op::Record> records;
        for (reader.read(records, 16); !records.empty(); reader.read(records, 16)) {
            for (const op::Record& record : records)
                std::visit(Check{bytes, table, images}, record);
            check_round_trip(records);
        }
    } catch (const op::Error& error) {
        if (error.kind() != op::ErrorKind::input) std::abort();
    }
    return 0;
}
