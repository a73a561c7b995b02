// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any record decodes, or is dropped or counted lost; every view lies within the record or the
// arena. The first byte selects the fields, the rest is records one after another.
#include <linux/perf_event.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "daemon/perf/perf_decode.h"

namespace {

using namespace op;
using namespace op::collect;

void require(bool claim) {
    if (!claim) std::abort();
}

struct Check {
    std::span<const std::byte> bytes;

    void within(const void* start, size_t size) const {
        const auto* p = static_cast<const std::byte*>(start);
        require(size == 0 || (p >= bytes.data() && p + size <= bytes.data() + bytes.size()));
    }
    void operator()(const Sample& s) const {
        require(s.kernel_frames <= s.chain.size() && s.chain.size_bytes() <= bytes.size());
        for (const uint64_t address : s.chain)
            require(address < PERF_CONTEXT_MAX);
    }
    void operator()(const Mapping& m) const {
        within(m.path.data(), m.path.size());
        within(m.build_id.data(), m.build_id.size());
        require(m.path.find('\0') == m.path.npos);
    }
    void operator()(const Name& n) const { within(n.comm.data(), n.comm.size()); }
    template <class R>
    void operator()(const R&) const {}
};

PerfDecoder decoder_of(uint8_t choice) {
    uint64_t fields = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
    if (choice & 1) fields |= PERF_SAMPLE_IDENTIFIER;
    if (choice & 2) fields |= PERF_SAMPLE_CALLCHAIN;
    std::vector<Sampling> samplings;
    if (choice & 4) {
        const auto sampler = choice & 8 ? Sampler::ibs_fetch : Sampler::ibs_op;
        samplings.push_back({0, sampler, {}});
        for (const uint32_t code : {0xf000, 0xf001, 0xf200, 0xf201})
            if (const IbsEvent* event = find_ibs_event(sampler, code))
                samplings.front().events.push_back({static_cast<uint16_t>(code & 3), event, true, true});
    }
    PerfDecoder decoder(fields, std::move(samplings));
    decoder.add_event_id(0, 0);
    decoder.add_event_id(1, 1);
    return decoder;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    const PerfDecoder decoder = decoder_of(data[0]);
    ChainArena chains;
    std::vector<Record> records;
    for (size_t at = 1; size - at >= sizeof(perf_event_header);) {
        perf_event_header header;
        std::memcpy(&header, data + at, sizeof header);
        if (header.size < sizeof header || header.size > size - at) break;
        // a copy, so that a sanitizer sees a read beyond the record
        std::vector<uint64_t> record((header.size + 7) / 8);
        std::memcpy(record.data(), data + at, header.size);
        const auto bytes = std::as_bytes(std::span(record)).first(header.size);
        const auto& aligned = *reinterpret_cast<const perf_event_header*>(record.data());
        if (const auto decoded = decoder.decode(aligned, chains)) {
            std::visit(Check{bytes}, decoded->record);
            records.clear();
            decoder.deliver(*decoded, records);
            for (const Record& delivered : records)
                std::visit(Check{bytes}, delivered);
        }
        if (!chains.has_room()) chains.clear();
        at += header.size;
    }
    return 0;
}
