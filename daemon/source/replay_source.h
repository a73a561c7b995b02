// SPDX-License-Identifier: GPL-2.0-or-later
// Replays a recorded stream file, so that the whole pipeline runs without privileges and without a kernel.
#pragma once

#include <string>
#include <vector>

#include "daemon/source/sample_source.h"
#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"
#include "libop/stream/stream.h"

namespace op::collect {

class ReplaySource final : public SampleSource {
public:
    /// Maps the file. A damaged stream is replayed up to the damage, which is then counted and noted in
    /// `notes` (must outlive the source). Throws as StreamReader does, or a system error.
    ReplaySource(const std::string& path, Diagnostics& notes);
    /// The same for a stream file that is already mapped; `label` is its name in messages.
    ReplaySource(MappedFile file, const std::string& label, Diagnostics& notes);

    const SessionInfo& describe() const override { return reader_.session(); }
    void start() override {}
    void stop() override {}
    std::span<const Record> drain() override;
    int wait_fd() const override { return -1; }

private:
    MappedFile file_;
    StreamReader reader_;
    Diagnostics& notes_;
    std::vector<Record> batch_;
    size_t released_ = 0;  ///< bytes of the stream that were given back
};

}  // namespace op::collect
