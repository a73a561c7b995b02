// SPDX-License-Identifier: GPL-2.0-or-later
// Samples from the driver oprofile.ko by way of its buffer (doc/DRIVER.md). Sets nothing up but `enable`:
// which counters count what is written into the driver's files before.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/driver/oprofilefs.h"
#include "daemon/source/kernel_map.h"
#include "daemon/source/proc_scan.h"
#include "daemon/source/sample_source.h"
#include "libop/base/diagnostics.h"
#include "libop/stream/stream.h"

namespace op::collect {

struct DriverOptions {
    NamedKernel kernel;         ///< what the user said of the kernel
    std::vector<int> counters;  ///< by event of the session, the counter it is on; empty = 0, 1, 2 ...
};

/// Samples come placed (PlacedSample), with the cookies they need. While it lives no other program can have
/// the driver's buffer.
class DriverSource final : public SampleSource {
public:
    /// Opens the buffer, sampling off. `described` holds machine and events, and is what describe() gives.
    /// `notes` must outlive the source. Throws a system error that names the remedy; an input error if the
    /// driver speaks another version of the stream.
    DriverSource(Oprofilefs files, SessionInfo described, Diagnostics& notes, DriverOptions options = {});

    const SessionInfo& describe() const override { return described_; }
    /// May follow stop(): the session goes on.
    void start() override;
    void stop() override;
    /// Never waits. What the driver sent damaged is counted lost, and noted; what it sends next is used.
    /// Throws a system error if the buffer cannot be read.
    std::span<const Record> drain() override;
    int wait_fd() const override { return buffer_.get(); }

private:
    bool fill();
    void name_events();

    Oprofilefs files_;
    SessionInfo described_;
    Diagnostics& notes_;
    NamedKernel kernel_;
    std::vector<uint16_t> event_of_;  ///< by counter; empty = the same number
    Fd buffer_, enable_;
    RecordList initial_;  ///< where the kernel lies
    bool initial_due_ = false;
    RecordDecoder decoder_;
    std::vector<uint64_t> bytes_;        ///< what was read last; words, for alignment
    std::span<const std::byte> unread_;  ///< the part of it that is not decoded yet
    std::vector<Record> batch_;
};

}  // namespace op::collect
