// SPDX-License-Identifier: GPL-2.0-or-later
// Samples from perf_event_open: what is opened, merged and timed elsewhere becomes one source.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "daemon/perf/perf_merger.h"
#include "daemon/perf/perf_open.h"
#include "daemon/perf/perf_times.h"
#include "daemon/source/proc_scan.h"
#include "daemon/source/sample_source.h"
#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"

namespace op::collect {

/// Threads and children that come later are followed. Samples lost in the kernel are counted exactly where
/// the kernel counts them (6.0 and later), else as far as its LOST records do.
class PerfSource final : public SampleSource {
public:
    /// Opens everything, sampling off. `session` holds machine and events, and is what describe() gives.
    /// `notes` must outlive the source. Throws as open_events().
    PerfSource(const PerfOptions& options, SessionInfo session, Diagnostics& notes);

    const SessionInfo& describe() const override { return session_; }
    void start() override;
    void stop() override;
    std::span<const Record> drain() override;
    void copy_larger_stacks() override;
    int wait_fd() const override { return epoll_.get(); }

    /// False if this user may not sample kernel mode.
    bool kernel_mode() const noexcept { return opened_.features.kernel_mode; }
    /// What is usually copied of each stack, bytes.
    uint32_t stack_bytes() const noexcept { return opened_.stack_bytes; }
    /// Room per CPU for samples that the kernel granted, bytes.
    size_t ring_bytes() const noexcept { return opened_.ring_bytes; }

private:
    void hand_over_rings();
    uint64_t scan();
    void add_command();
    void await(const OpenedCpu& cpu) const;
    void enable();
    void switch_samples(unsigned long request);
    void switch_stacks(bool to_larger);
    void watch_room();
    bool has_lost_much();
    void report_times(uint64_t now);
    void count_side_band();
    void emit_final_records();

    SessionInfo session_;
    PerfTarget target_;
    std::function<bool()> is_stopping_;
    Diagnostics& notes_;
    NamedKernel kernel_;
    KallsymsCopy* kallsyms_;
    OpenedEvents opened_;
    PerfMerger merger_;
    PerfTimes times_;
    Fd epoll_;
    bool stopped_ = false;
    RecordList initial_;  ///< mappings, names and kernel images as of the start
    bool initial_due_ = false;
    bool final_due_ = false;            ///< losses and times as of the end
    uint64_t lost_side_band_ = 0;       ///< records, by the kernel's count, that are to be delivered
    uint64_t lost_side_band_time_ = 0;  ///< when they were lost, at the latest
    std::vector<Record> batch_;
    bool copies_more_;              ///< the events with larger stacks are on
    bool may_copy_more_ = true;     ///< no samples were lost for it so far
    uint64_t taken_with_more_ = 0;  ///< samples since then
    uint64_t lost_with_more_ = 0;   ///< those without room in a ring
};

}  // namespace op::collect
