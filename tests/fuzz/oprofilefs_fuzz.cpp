// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any text may be in the driver's files: describing a session is an error, or gives an event for
// each counter. The input is the texts of the files below, with NUL bytes between them.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/driver/driver_session.h"
#include "libop/base/error.h"
#include "tests/unit/fake_oprofilefs.h"

namespace {

constexpr const char* names[] = {"cpu_type",  "model",       "stream_version",  "0/enabled",  "0/event",
                                 "0/count",   "0/unit_mask", "0/kernel",        "0/user",     "0/min_count",
                                 "1/enabled", "pid_filter",  "backtrace_depth", "pgrp_filter"};

/// A directory in memory, if there is one: rewriting a file on a disk may wait for the disk.
std::string fast_directory() {
    return ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : std::filesystem::temp_directory_path().native();
}

/// The driver's files. Those whose text is as before are not written again.
class HostileFiles {
public:
    void fill(std::string_view input) {
        for (size_t i = 0; i < std::size(names); ++i) {
            const size_t end = std::min(input.find('\0'), input.size());
            write(i, input.substr(0, end));
            input.remove_prefix(std::min(end + 1, input.size()));
        }
    }
    op::collect::Oprofilefs files() const { return fake_.files(); }

private:
    void write(size_t file, std::string_view text) {
        if (texts_[file] == text) return;
        texts_[file] = text;
        fake_.dir().write(names[file], text);
    }

    op::test::FakeOprofilefs fake_{fast_directory()};
    std::array<std::optional<std::string>, std::size(names)> texts_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static HostileFiles hostile;
    hostile.fill({reinterpret_cast<const char*>(data), size});
    op::SessionInfo info;
    op::collect::DriverOptions options;
    try {
        op::collect::describe_driver_session(hostile.files(), {}, 8, info, options);
        if (info.events.empty() || info.events.size() != options.counters.size()) std::abort();
    } catch (const op::Error& error) {
        if (error.kind() == op::ErrorKind::internal) std::abort();
    }
    return 0;
}
