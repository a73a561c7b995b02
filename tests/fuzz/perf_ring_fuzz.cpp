// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: a ring whose writer obeys no rule. The input is a list of writings: a byte how many bytes the
// writer adds, a byte how much it moves the head beyond or short of them, and the bytes. Every record read
// lies within the ring or is a copy, and reading ends.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "daemon/perf/perf_merger.h"
#include "tests/unit/fake_perf_ring.h"

namespace {

using namespace op;
using namespace op::collect;

/// More records than this do not fit, as each has a head of 8 bytes.
constexpr size_t most_records = test::FakePerfRing::size / sizeof(perf_event_header);

void require(bool claim) {
    if (!claim) std::abort();
}

/// Reads each byte of the record, so that a sanitizer sees those that are not there.
unsigned sum_of(const perf_event_header& record) {
    unsigned sum = 0;
    for (size_t i = 0; i < record.size; ++i)
        sum += std::to_integer<unsigned>(reinterpret_cast<const std::byte*>(&record)[i]);
    return sum;
}

void read_all(PerfRing& ring) {
    static volatile unsigned sum = 0;
    ring.update();
    size_t records = 0;
    while (const perf_event_header* record = ring.peek()) {
        require(record->size >= sizeof *record && ++records <= most_records);
        sum = sum + sum_of(*record);
        ring.pop();
    }
    ring.take_cuts();
    ring.release();
}

void merge_all(PerfMerger& merger) {
    std::vector<Record> batch;
    size_t records = 0;
    do {
        records += batch.size();
        require(records <= 2 * most_records);
        batch.clear();
        merger.merge(UINT64_MAX, batch);
    } while (!batch.empty());
}

/// The writer's next turn; returns what is left of the input.
std::span<const uint8_t> write(const test::FakePerfRing& kernel, std::span<const uint8_t> input) {
    const size_t count = std::min<size_t>(input[0], input.size() - 2);
    const auto moved = static_cast<int64_t>(static_cast<int8_t>(input[1]));
    uint64_t& head = reinterpret_cast<uint64_t&>(kernel.head().data_head);
    for (size_t i = 0; i < count; ++i)
        kernel.data()[(head + i) % test::FakePerfRing::size] = std::byte{input[2 + i]};
    head += count + static_cast<uint64_t>(moved % 2 == 0 ? 0 : moved * 64);
    return input.subspan(2 + count);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const test::FakePerfRing kernel;
    PerfRing plain = kernel.reader();
    PerfMerger merger(PerfDecoder(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
                                  PERF_SAMPLE_CALLCHAIN));
    merger.add_ring(0, kernel.reader());
    for (std::span<const uint8_t> rest(data, size); rest.size() > 2;) {
        rest = write(kernel, rest);
        read_all(plain);
        merge_all(merger);
    }
    return 0;
}
