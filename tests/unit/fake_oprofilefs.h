// SPDX-License-Identifier: GPL-2.0-or-later
// The driver's files as plain files in a directory, with a FIFO as buffer.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <string>
#include <string_view>

#include "daemon/driver/oprofilefs.h"
#include "libop/base/fd.h"
#include "tests/unit/temp_dir.h"

namespace op::test {

class FakeOprofilefs {
public:
    FakeOprofilefs() : FakeOprofilefs(std::filesystem::temp_directory_path()) {}
    /// Makes its directory in `parent`.
    explicit FakeOprofilefs(const std::string& parent) : dir_(parent) {
        dir_.write("stream_version", "1\n");
        dir_.write("cpu_type", "timer");
        dir_.write("enable", "0\n");
        for (const std::string counter : {"0", "1"})
            for (const std::string file : {"enabled", "event", "count", "unit_mask", "kernel", "user"})
                dir_.write(counter + "/" + file, "0\n");
        dir_.write("0/min_count", "100000\n");
        if (::mkfifo((dir_ / "buffer").c_str(), 0600) != 0) throw std::runtime_error("mkfifo");
    }

    collect::Oprofilefs files() const { return collect::Oprofilefs(dir_.path()); }
    const TempDir& dir() const { return dir_; }
    /// Puts bytes into the buffer; somebody must have it open. To be kept open by the caller, else readers
    /// see the end.
    Fd writer() const { return open_file(dir_ / "buffer", O_WRONLY | O_NONBLOCK); }

private:
    TempDir dir_;
};

}  // namespace op::test
