// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any bytes are a CPU profile of gperftools or an input error; every stack lies within them, and
// a second pass gives what the first one gave.
#include <cstdint>
#include <cstdlib>

#include "daemon/import/gperf_profile.h"
#include "daemon/source/proc_scan.h"
#include "libop/base/error.h"

namespace {

/// A sum of all that is in the stacks.
uint64_t read_all(op::collect::GperfProfile& profile, std::span<const std::byte> bytes) {
    uint64_t sum = 0;
    while (const auto stack = profile.next()) {
        const auto* const start = stack->words.data();
        if (profile.depth(*stack) == 0 || start < bytes.data() ||
            start + stack->words.size() > bytes.data() + bytes.size())
            std::abort();
        for (size_t i = 0; i < profile.depth(*stack); ++i)
            sum += profile.address(*stack, i) * stack->count;
    }
    return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
    try {
        op::collect::GperfProfile profile(bytes, "input");
        if (!op::collect::GperfProfile::matches(bytes)) std::abort();
        const uint64_t sum = read_all(profile, bytes);
        if (profile.damage() && !profile.maps().empty()) std::abort();
        op::collect::parse_maps(profile.maps());
        profile.rewind();
        if (read_all(profile, bytes) != sum) std::abort();
    } catch (const op::Error& error) {
        if (error.kind() != op::ErrorKind::input) std::abort();
    }
    return 0;
}
