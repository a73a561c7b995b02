// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any text may be in the driver's files: describing a session is an error, or gives an event for
// each counter. The input is the texts of the files below, with NUL bytes between them.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "daemon/driver/driver_session.h"
#include "libop/base/error.h"
#include "tests/unit/fake_oprofilefs.h"

namespace {

constexpr const char* names[] = {"cpu_type",  "model",       "stream_version",  "0/enabled",  "0/event",
                                 "0/count",   "0/unit_mask", "0/kernel",        "0/user",     "0/min_count",
                                 "1/enabled", "pid_filter",  "backtrace_depth", "pgrp_filter"};

void fill(const op::test::FakeOprofilefs& fake, std::string_view input) {
    for (const char* const name : names) {
        const size_t end = std::min(input.find('\0'), input.size());
        fake.dir().write(name, input.substr(0, end));
        input.remove_prefix(std::min(end + 1, input.size()));
    }
}

}  // namespace

extern "C" int fuzz_mutations();
extern "C" int fuzz_mutations() {
    return 15;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const op::test::FakeOprofilefs fake;
    fill(fake, {reinterpret_cast<const char*>(data), size});
    op::SessionInfo info;
    op::collect::DriverOptions options;
    try {
        op::collect::describe_driver_session(fake.files(), {}, 8, info, options);
        if (info.events.empty() || info.events.size() != options.counters.size()) std::abort();
    } catch (const op::Error& error) {
        if (error.kind() == op::ErrorKind::internal) std::abort();
    }
    return 0;
}
