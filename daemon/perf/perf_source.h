// SPDX-License-Identifier: GPL-2.0-or-later
// Samples from perf_event_open: a ring per CPU, records merged in time order.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/perf/event_cpus.h"
#include "daemon/perf/perf_decode.h"
#include "daemon/perf/perf_features.h"
#include "daemon/perf/perf_ring.h"
#include "daemon/source/event_times.h"
#include "daemon/source/kernel_map.h"
#include "daemon/source/proc_scan.h"
#include "daemon/source/sample_source.h"
#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"
#include "libop/events/event_encoding.h"

struct perf_event_attr;

namespace op::collect {

/// What to sample.
struct PerfTarget {
    enum class Kind {
        command,  ///< a child that has not called exec yet; sampling begins when it does
        process,  ///< a running process with all its threads
        system,   ///< everything
    };
    Kind kind = Kind::command;
    pid_t pid = 0;  ///< of the child or process
};

struct PerfOptions {
    PerfTarget target;
    bool callgraph = false;
    std::vector<EventEncoding> encodings;  ///< one per event of the session
    NamedKernel kernel;                    ///< what the user said of the kernel
    size_t ring_bytes = size_t{1} << 19;  ///< wanted room per CPU, a power of two; shrinks to what is allowed
};

/// Threads and children that come later are followed. Samples lost in the kernel are counted exactly where
/// the kernel tells (6.0 and later), else as far as its LOST records tell.
class PerfSource final : public SampleSource {
public:
    /// Opens everything, sampling off. `session` holds machine and events, and is what describe() gives.
    /// `notes` must outlive the source. Throws a system error whose text explains the refusal and the remedy.
    PerfSource(const PerfOptions& options, SessionInfo session, Diagnostics& notes);
    ~PerfSource() override;

    const SessionInfo& describe() const override { return session_; }
    void start() override;
    void stop() override;
    std::span<const Record> drain() override;
    int wait_fd() const override { return epoll_.get(); }

    /// False if the kernel's samples are left out because this user may not take them.
    bool kernel_mode() const noexcept { return kernel_mode_; }
    /// Room per CPU for records that the kernel granted, bytes.
    size_t ring_bytes() const noexcept { return ring_bytes_; }

private:
    /// An event of a task or of all tasks, on one CPU.
    struct Event {
        Fd fd;
        uint16_t number;  ///< index into the session's events; of none, UINT16_MAX
        uint32_t owner;   ///< see ClockReading
    };
    /// A CPU's ring with the record that is next in it.
    struct Lane {
        uint32_t cpu;
        PerfRing ring;
        std::vector<Event> events;  ///< all that write to the ring; the first owns it
        PerfDecoder::Decoded next;
        bool has_next = false;
        uint64_t lost_told = 0;  ///< samples for which there was no room, delivered in Lost records
        uint64_t lost = 0;       ///< samples that the kernel says were lost, as of the last reading
    };

    void open_all(const PerfOptions& options, PerfFeatures features);
    void open_cpus(const PerfOptions& options, const std::vector<pid_t>& tasks, const PerfFeatures& features);
    void open_cpu(const PerfOptions& options, uint32_t cpu, const std::vector<pid_t>& tasks,
                  const PerfFeatures& features);
    Fd open_event(const RecordedEvent& event, perf_event_attr attr, pid_t pid, uint32_t cpu,
                  const PerfOptions& options) const;
    void add_event(Event event, uint32_t cpu);
    PerfRing map_ring(int fd, size_t& bytes);
    void scan();
    void switch_all(unsigned long request);
    void wait_for(const Lane& lane);
    void advance(Lane& lane);
    Lane* earliest();
    std::vector<ClockReading> read_events();
    std::vector<EventTime> advance_times();
    void report_times();
    void emit_final_records();
    void note_gaps(const PerfOptions& options);
    void note_cpus_left_out();

    SessionInfo session_;
    PerfTarget target_;
    Diagnostics& notes_;
    NamedKernel kernel_;
    PerfFeatures features_;  ///< as far as the kernel has them
    std::unique_ptr<PerfDecoder> decoder_;
    std::vector<Lane> lanes_;
    std::vector<CountingCpus> cpus_;  ///< by event
    std::vector<size_t> opened_for_;  ///< by event: the one whose descriptors give its samples
    EventTimes times_;
    uint64_t times_due_ = 0;  ///< when they are told next
    uint64_t switching_ = 0;  ///< see EventTimes::advance()
    Fd epoll_;
    size_t ring_bytes_ = 0;
    bool kernel_mode_ = true, stopped_ = false;
    uint64_t until_ = 0;  ///< records up to this time may be delivered
    RecordList initial_;  ///< what /proc and the kernel's map told at the start
    bool initial_due_ = false;
    RecordList last_words_;  ///< losses and times as of the end
    bool last_words_due_ = false;
    ChainArena chains_;
    std::vector<Record> batch_;
};

}  // namespace op::collect
