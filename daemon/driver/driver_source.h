// SPDX-License-Identifier: GPL-2.0-or-later
// Reads samples from the buffer of the driver oprofile.ko (doc/DRIVER.md). Sets only `enable` and
// `sample_times`: the events of the counters are written to the driver's files before.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/driver/oprofilefs.h"
#include "daemon/source/kernel_map.h"
#include "daemon/source/proc_scan.h"
#include "daemon/source/sample_source.h"
#include "daemon/source/samplers.h"
#include "libop/base/diagnostics.h"
#include "libop/stream/stream.h"

namespace op::collect {

struct DriverOptions {
    NamedKernel kernel;         ///< the user's kernel image and range
    std::vector<int> counters;  ///< the counter of each event of the session; empty = 0, 1, 2 ...
    std::vector<Sampling> samplings =
        {};  ///< events that are derived from raw samples, which share a counter
};

/// Delivers placed samples (PlacedSample) and the cookies they need; of a sampler, the samples of its derived
/// events. While it exists, no other program can
/// open the driver's buffer.
class DriverSource final : public SampleSource {
public:
    /// Opens the buffer; sampling is off. `described` contains machine and events; describe() returns it.
    /// `notes` must outlive the source. Throws a system error that names the remedy; an input error if the
    /// driver writes another version of the stream.
    DriverSource(Oprofilefs files, SessionInfo described, Diagnostics& notes, DriverOptions options = {});

    const SessionInfo& describe() const override { return described_; }
    /// May be called again after stop(); the session then continues.
    void start() override;
    void stop() override;
    /// Never waits. Damaged records of the driver are counted lost and noted; the records after them are
    /// used. Throws a system error if the buffer cannot be read.
    std::span<const Record> drain() override;
    int wait_fd() const override { return buffer_.get(); }

private:
    bool fill();
    void name_events();
    void derive_events();
    const Sampling* sampling_of(uint16_t event) const noexcept;

    Oprofilefs files_;
    SessionInfo described_;
    Diagnostics& notes_;
    NamedKernel kernel_;
    std::vector<uint16_t> event_of_;  ///< by counter; empty = the same number
    std::vector<Sampling> samplings_;
    Fd buffer_, enable_;
    RecordList initial_;  ///< the mappings of the kernel and its modules
    bool initial_due_ = false;
    RecordDecoder decoder_;
    std::vector<uint64_t> bytes_;        ///< the bytes read last; in words, for alignment
    std::span<const std::byte> unread_;  ///< the part of them that is not yet decoded
    std::vector<Record> batch_, derived_;
};

}  // namespace op::collect
