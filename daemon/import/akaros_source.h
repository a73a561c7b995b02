// SPDX-License-Identifier: GPL-2.0-or-later
// Traces of Akaros and Harvey as a source: in order of time, with the processes that they name. Memory is
// bounded, whatever the trace's length.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "daemon/import/akaros_events.h"
#include "daemon/import/akaros_trace.h"
#include "daemon/import/importers.h"
#include "daemon/import/time_runs.h"
#include "daemon/source/sample_source.h"

namespace op::collect {

/// Opens the trace; see Importer::open.
OpenedRecording open_akaros(ImportedFile file, const ImportOptions& options, Diagnostics& notes);

class AkarosSource final : public SampleSource {
public:
    /// Reads the trace once. Build-ids are those of the files below `root`; empty = unknown. What is damaged
    /// or unknown is noted in `notes`, which must outlive the source. Throws an input error if there is no
    /// entry of a trace.
    AkarosSource(ImportedFile file, std::string root, Diagnostics& notes);

    const SessionInfo& describe() const override { return info_; }
    void start() override {}
    void stop() override {}
    std::span<const Record> drain() override;
    int wait_fd() const override { return -1; }

    /// True if samples have callers.
    bool has_stacks() const noexcept { return has_stacks_; }

private:
    /// What the trace has besides entries.
    struct Faults {
        uint64_t damaged = 0, aliens = 0;
        size_t first = 0;  ///< position of the first damage
    };

    void scan();
    void note_faults(const Faults& faults);
    void describe_session(uint64_t mtime_ns);
    void add_first_records();
    void add(const AkarosEntry& entry);
    void add_trace(const AkarosEntry& trace);
    void add_mapping(const AkarosEntry& mapping);
    void add_process(const AkarosEntry& process);
    void begin_program(const AkarosEntry& entry);
    bool has_path(uint32_t pid, std::string_view path);
    std::span<const std::byte> build_id_of(std::string_view path);
    void go_on(size_t at);
    void release();

    ImportedFile file_;
    std::string root_;
    Diagnostics& notes_;
    AkarosTrace trace_;
    AkarosEvents events_;
    TimeRuns order_;
    SessionInfo info_;
    uint64_t first_time_ = UINT64_MAX, last_time_ = 0, damaged_ = 0;
    bool has_stacks_ = false, has_begun_ = false;
    std::unordered_map<uint32_t, std::unordered_set<uint64_t>> paths_;  ///< of each process, as hashes
    size_t known_paths_ = 0;
    std::unordered_map<std::string, std::vector<std::byte>> build_ids_;  ///< by path
    std::vector<Record> batch_;
    std::deque<std::vector<uint64_t>> chains_;  ///< of the batch
    size_t chains_used_ = 0;
    size_t read_since_ = 0;  ///< bytes, since what is not needed was given back
};

}  // namespace op::collect
