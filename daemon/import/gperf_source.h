// SPDX-License-Identifier: GPL-2.0-or-later
// A CPU profile of gperftools as a source: one process with its mappings, one sample record for each stack.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "daemon/import/gperf_profile.h"
#include "daemon/import/importers.h"
#include "daemon/source/sample_source.h"

namespace op::collect {

/// Opens the profile; see Importer::open.
OpenedRecording open_gperf(ImportedFile file, const ImportOptions& options, Diagnostics& notes);

class GperfSource final : public SampleSource {
public:
    /// Reads the profile once. What is damaged or unknown is noted in `notes`. Throws as GperfProfile does.
    GperfSource(ImportedFile file, Diagnostics& notes);

    const SessionInfo& describe() const override { return info_; }
    void start() override {}
    void stop() override {}
    std::span<const Record> drain() override;
    int wait_fd() const override { return -1; }

    /// True if samples have callers.
    bool has_stacks() const noexcept { return has_stacks_; }

private:
    uint64_t scan();
    void describe_session(uint64_t samples);
    void add_mappings();
    void add(const GperfStack& stack);

    ImportedFile file_;
    GperfProfile profile_;
    SessionInfo info_;
    bool has_stacks_ = false, has_begun_ = false;
    std::deque<std::string> texts_;             ///< the records' paths
    std::deque<std::vector<uint64_t>> chains_;  ///< of the batch
    std::vector<Record> batch_;
};

}  // namespace op::collect
