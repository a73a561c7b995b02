// SPDX-License-Identifier: GPL-2.0-or-later
// Seam 1: where samples come from.
#pragma once

#include <span>

#include "libop/session/session_info.h"
#include "libop/stream/record.h"

namespace op::collect {

/// Delivers records in time order, as far as the source can know it. Not thread-safe.
///
/// Use: describe(), start(); drain() until it gives nothing, wait for wait_fd(), again; stop(), then drain()
/// until it gives nothing: by then every sample taken was delivered or is in a Lost record. start() may
/// follow again, unless the source says otherwise.
class SampleSource {
public:
    virtual ~SampleSource() = default;

    /// The machine, its CPU type and the events; Sample::event indexes the events. No kernel images, no
    /// ledger: those come with the records.
    virtual const SessionInfo& describe() const = 0;
    /// Begins sampling. Throws a system error.
    virtual void start() = 0;
    /// Ends sampling; what was taken remains to be drained.
    virtual void stop() = 0;
    /// The next records; none = nothing more for now (after stop(): at all). The span and the views in the
    /// records are valid until the next call.
    virtual std::span<const Record> drain() = 0;
    /// A descriptor that becomes readable when draining is worth while; -1 if it always is.
    virtual int wait_fd() const = 0;
};

}  // namespace op::collect
