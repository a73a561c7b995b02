// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any bytes decode to an IBS sample or are refused; the first byte selects the sampler. Events
// that are each other's complement remain so for any content of the registers.
#include <cstdint>
#include <cstdlib>

#include "daemon/source/ibs_decode.h"

namespace {

using namespace op;
using namespace op::collect;

bool is(Sampler sampler, uint32_t code, const IbsRegisters& sample) {
    return find_ibs_event(sampler, code)->weight(sample) != 0;
}

void expect(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    const auto sampler = data[0] == 'f' ? Sampler::ibs_fetch : Sampler::ibs_op;
    const std::span raw(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
    const auto sample = parse_ibs_sample(sampler, raw);
    expect(sample.has_value() == (raw.size() >= (sampler == Sampler::ibs_fetch ? 12u : 44u)));
    if (!sample) return 0;
    for (uint32_t code = 0xf000; code < 0xf300; ++code)
        if (const IbsEvent* event = find_ibs_event(sampler, code)) expect(event->weight(*sample) <= 0xffff);
    const auto has = [&](uint32_t code) { return is(sampler, code, *sample); };
    if (sampler == Sampler::ibs_fetch) {
        expect(has(0xf001) != has(0xf002));                    // killed, attempted
        expect((has(0xf003) || has(0xf004)) == has(0xf002));   // completed, aborted
        expect(has(0xf003) + has(0xf004) < 2 && has(0xf000));  // all
        return 0;
    }
    expect((has(0xf201) || has(0xf202)) == has(0xf200));                // load, store, any
    expect((has(0xf206) || has(0xf207)) == has(0xf200));                // miss, hit
    expect(has(0xf203) + has(0xf204) + has(0xf205) <= has(0xf200));     // TLBs
    expect(has(0xf240) + has(0xf241) <= (has(0xf201) && has(0xf206)));  // local, remote
    return 0;
}
