// SPDX-License-Identifier: GPL-2.0-or-later
// Switching events on and off, and what is delivered besides the records of the rings.
#include "daemon/perf/perf_source.h"

#include <sys/epoll.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "daemon/perf/perf_attr.h"
#include "daemon/perf/samplers.h"
#include "libop/base/clock.h"
#include "libop/base/error.h"

namespace op::collect {
namespace {

/// A record is in its ring at most this long after its time stamp (ns): younger ones wait for the next round,
/// so that rings can be merged in time order.
constexpr uint64_t settle_time = 2'000'000;

PerfDecoder decoder_for(const OpenedEvents& opened, const std::vector<RecordedEvent>& events,
                        const std::vector<EventEncoding>& encodings) {
    PerfDecoder decoder(opened.sample_type, samplings_of(events, encodings));
    for (const OpenedCpu& cpu : opened.cpus)
        for (const OpenedEvent& event : cpu.events)
            if (event.id != 0) decoder.add_event_id(event.id, event.number);
    return decoder;
}

}  // namespace

PerfSource::PerfSource(const PerfOptions& options, SessionInfo session, Diagnostics& notes)
    : session_(std::move(session)),
      target_(options.target),
      notes_(notes),
      kernel_(options.kernel),
      opened_(open_events(options, session_.events, notes)),
      merger_(decoder_for(opened_, session_.events, options.encodings)),
      times_(opened_.opened_for),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    if (!epoll_) throw_system("cannot create an epoll descriptor");
    hand_over_rings();
}

void PerfSource::hand_over_rings() {
    for (OpenedCpu& cpu : opened_.cpus) {
        // Edge-triggered: a task's end makes the descriptor readable for good.
        epoll_event event{EPOLLIN | EPOLLET, {}};
        if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, cpu.events.front().fd.get(), &event) != 0)
            throw_system("cannot wait for samples");
        merger_.add_ring(cpu.cpu, std::move(cpu.ring));
    }
}

/// Adds what /proc reports of the processes to be profiled.
void PerfSource::scan() {
    if (target_.kind == PerfTarget::Kind::process) scan_process(target_.pid, initial_);
    if (target_.kind == PerfTarget::Kind::system) scan_all_processes(initial_);
}

void PerfSource::start() {
    stopped_ = false;
    // The slow parts before enabling, and one scan for processes that end before the next one reaches them.
    if (opened_.features.kernel_mode && std::ranges::any_of(session_.events, &RecordedEvent::kernel))
        add_kernel_records(kernel_, initial_, notes_);
    scan();
    if (target_.kind != PerfTarget::Kind::command) switch_all(PERF_EVENT_IOC_ENABLE);
    // After enabling: what changes from now on is in the rings and is applied after this.
    scan();
    initial_due_ = true;
    times_.begin(monotonic_ns());
}

/// A CPU's time is one descriptor's; that of a task is put together from those for every CPU.
void PerfSource::switch_all(unsigned long request) {
    const uint64_t began = monotonic_ns();
    for (const OpenedCpu& cpu : opened_.cpus)
        for (const OpenedEvent& event : cpu.events)
            ::ioctl(event.fd.get(), request, 0);
    if (target_.kind != PerfTarget::Kind::system) times_.add_switching(monotonic_ns() - began);
}

void PerfSource::stop() {
    switch_all(PERF_EVENT_IOC_DISABLE);
    stopped_ = true;
    final_due_ = true;
}

std::span<const Record> PerfSource::drain() {
    if (std::exchange(initial_due_, false) && !initial_.records().empty()) return initial_.records();
    initial_.clear();
    batch_.clear();
    epoll_event ignored[8];
    ::epoll_wait(epoll_.get(), ignored, std::size(ignored), 0);
    const uint64_t now = monotonic_ns();
    if (!stopped_ && times_.due(now)) report_times(now);
    merger_.merge(stopped_ ? UINT64_MAX : now - settle_time, batch_);
    if (batch_.empty() && std::exchange(final_due_, false)) emit_final_records();
    return batch_;
}

void PerfSource::report_times(uint64_t now) {
    for (const EventTime& time : times_.advance(read_events(opened_.cpus, opened_.features).clocks))
        batch_.push_back(time);
    times_.reported(now, monotonic_ns());
}

/// How long events were counted, and what was lost without a record of it.
void PerfSource::emit_final_records() {
    const EventReadings readings = read_events(opened_.cpus, opened_.features);
    for (const EventTime& time : times_.advance(readings.clocks))
        batch_.push_back(time);
    for (const Lost& lost : merger_.unreported_losses(readings.lost))
        batch_.push_back(lost);
}

}  // namespace op::collect
