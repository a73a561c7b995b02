// SPDX-License-Identifier: GPL-2.0-or-later
// A perf.data file as a source: its records in the order of their times. Memory does not grow with the file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/import/importers.h"
#include "daemon/import/perf_data_decoder.h"
#include "daemon/import/perf_data_header.h"
#include "daemon/import/perf_data_stream.h"
#include "daemon/import/recorded_files.h"
#include "daemon/import/time_window.h"
#include "daemon/source/sample_source.h"
#include "libop/base/diagnostics.h"

namespace op::collect {

class PerfDataSource final : public SampleSource {
public:
    /// `notes` must outlive the source. Throws an input error if the file cannot be used at all. A damaged
    /// file is used up to the damage, which is then noted.
    PerfDataSource(ImportedFile file, Diagnostics& notes);

    const SessionInfo& describe() const override { return info_; }
    void start() override {}
    void stop() override {}
    std::span<const Record> drain() override;
    int wait_fd() const override { return -1; }

    /// True if samples have callers.
    bool has_stacks() const noexcept;
    /// See OpenedRecording.
    bool is_running_kernel(uint64_t start) const;
    /// True if samples have times of CLOCK_MONOTONIC.
    bool has_dump_times() const noexcept;
    const std::set<std::string>& made_kernel_code() const noexcept { return decoder_.made_kernel_code(); }
    bool is_same_host() const noexcept { return is_same_host_; }
    /// See OpenedRecording.
    const std::vector<std::string>& remarks() const noexcept { return remarks_; }

private:
    void describe_machine_and_events();
    void describe_processor();
    void read_ahead();
    void take_own_record(const RawPerfRecord& record, bool with_events);
    bool fill_window();
    void deliver(const RawPerfRecord& raw, Record& record);
    void add_build_id(Mapping& mapping);
    void add_vdso_build_id(Mapping& mapping);
    void finish();
    void release_memory();
    void note(const std::string& text) { notes_.warn(file_.label + ": " + text); }
    std::span<const std::byte> data() const;

    ImportedFile file_;
    Diagnostics& notes_;
    PerfDataHeader header_;
    PerfDataEvents events_;
    SessionInfo info_;
    bool is_native_ = true;      ///< recorded on this kind of machine
    bool is_same_host_ = false;  ///< its name is this machine's
    PerfDataStream stream_;
    TimeWindow window_;
    PerfDataDecoder decoder_;
    RecordedFiles files_{0};
    ChainArena chains_;
    std::vector<Record> batch_;
    bool has_begun_ = false, has_ended_ = false;
    bool has_build_ids_ = false, lacks_build_ids_ = false;
    uint64_t touched_ = 0;  ///< bytes read since the last release
    uint64_t lost_records_ = 0, lost_samples_ = 0;
    uint64_t kernel_start_ = 0;
    std::string kernel_build_id_;  ///< hex
    std::optional<std::string>
        own_vdso_;  ///< bytes of a build-id; empty = it is another one, none = not asked
    std::vector<std::string> remarks_;
};

/// The row in the table of importers.
OpenedRecording open_perf_data(ImportedFile file, const ImportOptions& options, Diagnostics& notes);

}  // namespace op::collect
