// SPDX-License-Identifier: GPL-2.0-or-later
// Seam 1: where samples come from.
#pragma once

#include <span>

#include "libop/session/session_info.h"
#include "libop/stream/record.h"

namespace op::collect {

/// Delivers records in time order, as far as the source can know it. Not thread-safe.
///
/// Use: describe(), start(); drain() until it returns no records, wait for wait_fd(), repeat; stop(), then
/// drain() until it returns no records. By then every sample was delivered or is counted in a Lost record.
/// start() may be called again, unless the source documents otherwise.
class SampleSource {
public:
    virtual ~SampleSource() = default;

    /// The machine, its CPU type and the events; Sample::event indexes the events. No kernel images, no
    /// ledger: those come with the records.
    virtual const SessionInfo& describe() const = 0;
    /// Begins sampling. Throws a system error.
    virtual void start() = 0;
    /// Ends sampling; samples already taken can still be drained.
    virtual void stop() = 0;
    /// The next records; empty = no more for now (after stop(): no more at all). The span and the views in
    /// the records are valid until the next call.
    virtual std::span<const Record> drain() = 0;
    /// Copies more of each stack from now on, if it can and as long as there is room for it.
    virtual void copy_larger_stacks() {}
    /// A descriptor that becomes readable when drain() should be called, the same from start() on; -1 if it
    /// always should be.
    virtual int wait_fd() const = 0;
};

}  // namespace op::collect
