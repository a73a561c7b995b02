// SPDX-License-Identifier: GPL-2.0-or-later
// Switching events on and off, and what is delivered besides the records of the rings.
#include "daemon/perf/perf_source.h"

#include <sys/epoll.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "daemon/perf/perf_attr.h"
#include "daemon/source/samplers.h"
#include "libop/base/clock.h"
#include "libop/base/error.h"

namespace op::collect {
namespace {

/// A record is in its ring at most this long after its time stamp (ns): younger ones wait for the next round,
/// so that rings can be merged in time order.
constexpr uint64_t settle_time = 2'000'000;

/// Of the processes' maps at the start: a second or two. Whoever may run programs here chooses how much there
/// is.
constexpr uint64_t scan_bytes = uint64_t{64} << 20;

PerfDecoder decoder_for(const OpenedEvents& opened, const std::vector<RecordedEvent>& events,
                        const std::vector<EventEncoding>& encodings) {
    PerfDecoder decoder(opened.sample_type, samplings_of(events, encodings));
    for (const auto* cpus : {&opened.side_band, &opened.cpus})
        for (const OpenedCpu& cpu : *cpus)
            for (const OpenedEvent& event : cpu.events)
                if (event.id != 0) decoder.add_event_id(event.id, event.number);
    return decoder;
}

/// Those that have the larger stacks, or the others.
void switch_events(const std::vector<OpenedCpu>& cpus, unsigned long request, bool larger = false) {
    for (const OpenedCpu& cpu : cpus)
        for (const OpenedEvent& event : cpu.events)
            if (event.has_larger_stack == larger) ::ioctl(event.fd.get(), request, 0);
}

void note_left_out(uint64_t processes, Diagnostics& notes) {
    if (processes == 0) return;
    notes.warn(std::to_string(processes) +
               " processes, of which there was too much to read at the start, are looked at when they have "
               "samples");
}

}  // namespace

PerfSource::PerfSource(const PerfOptions& options, SessionInfo session, Diagnostics& notes)
    : session_(std::move(session)),
      target_(options.target),
      is_stopping_(options.is_stopping),
      notes_(notes),
      kernel_(options.kernel),
      kallsyms_(options.kallsyms),
      opened_(open_events(options, session_.events, notes)),
      merger_(decoder_for(opened_, session_.events, options.encodings)),
      times_(opened_.opened_for),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      copies_more_(opened_.begins_larger) {
    if (!epoll_) throw_system("cannot create an epoll descriptor");
    hand_over_rings();
}

/// The side band first: see PerfMerger::add_ring.
void PerfSource::hand_over_rings() {
    for (OpenedCpu& cpu : opened_.side_band) {
        await(cpu);
        merger_.add_side_band(cpu.cpu, std::move(*cpu.ring));
        cpu.ring.reset();
    }
    for (OpenedCpu& cpu : opened_.cpus) {
        await(cpu);
        merger_.add_ring(cpu.cpu, std::move(*cpu.ring));
        cpu.ring.reset();
    }
}

void PerfSource::await(const OpenedCpu& cpu) const {
    // Edge-triggered: a task's end makes the descriptor readable for good.
    epoll_event event{EPOLLIN | EPOLLET, {}};
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, cpu.events.front().fd.get(), &event) != 0)
        throw_system("cannot wait for samples");
}

/// Adds what /proc reports of the processes to be profiled. Returns how many of them were not read to their
/// end.
uint64_t PerfSource::scan() {
    ScanBudget budget(scan_bytes);
    if (target_.kind == PerfTarget::Kind::process)
        for (const pid_t process : sampled_processes(target_))
            scan_process(static_cast<uint32_t>(process), static_cast<uint32_t>(process), budget, initial_);
    if (target_.kind == PerfTarget::Kind::system) scan_all_processes(budget, initial_, is_stopping_);
    return budget.cut();
}

void PerfSource::start() {
    stopped_ = false;
    // The slow parts before enabling, and one scan for processes that end before the next one reaches them.
    if (opened_.features.kernel_mode && std::ranges::any_of(session_.events, &RecordedEvent::kernel))
        add_kernel_records(kernel_, initial_, notes_, kallsyms_);
    scan();
    if (target_.kind == PerfTarget::Kind::command)
        add_command();
    else
        enable();
    // After enabling: what changes from now on is in the rings and is applied after this.
    note_left_out(scan(), notes_);
    initial_due_ = true;
    times_.begin(sample_clock_ns());
}

/// Sampling begins within exec, before the kernel has a record of it.
void PerfSource::add_command() {
    const auto pid = static_cast<uint32_t>(target_.pids.front());
    initial_.add(Name{0, pid, pid, true, {}});
}

/// Samples are taken only while the side band is recorded. A CPU's time is one descriptor's; that of a task
/// is put together from those for every CPU.
void PerfSource::enable() {
    switch_events(opened_.side_band, PERF_EVENT_IOC_ENABLE);
    switch_samples(PERF_EVENT_IOC_ENABLE);
}

void PerfSource::switch_samples(unsigned long request) {
    const uint64_t began = sample_clock_ns();
    switch_events(opened_.cpus, request, copies_more_);
    if (target_.kind != PerfTarget::Kind::system) times_.add_switching(sample_clock_ns() - began);
}

void PerfSource::copy_larger_stacks() {
    if (opened_.has_larger_stacks && !copies_more_ && may_copy_more_ && !stopped_) switch_stacks(true);
}

void PerfSource::switch_stacks(bool to_larger) {
    switch_samples(PERF_EVENT_IOC_DISABLE);
    copies_more_ = to_larger;
    switch_samples(PERF_EVENT_IOC_ENABLE);
    taken_with_more_ = lost_with_more_ = 0;
}

/// Larger copies fill the rings sooner. Samples are worth more than their outermost callers.
void PerfSource::watch_room() {
    constexpr unsigned tight = 90;
    const bool is_tight = merger_.take_fullness() >= tight;
    may_copy_more_ = !has_lost_much();
    if (is_tight || !may_copy_more_) switch_stacks(false);
}

bool PerfSource::has_lost_much() {
    constexpr uint64_t share = 50, least = 64;
    for (const Record& record : batch_) {
        const auto* const lost = std::get_if<Lost>(&record);
        taken_with_more_ += std::holds_alternative<Sample>(record);
        if (lost && lost->cause == LossCause::kernel_buffer) lost_with_more_ += lost->count;
    }
    return lost_with_more_ >= least && lost_with_more_ * share >= taken_with_more_;
}

void PerfSource::stop() {
    switch_samples(PERF_EVENT_IOC_DISABLE);
    switch_events(opened_.side_band, PERF_EVENT_IOC_DISABLE);
    stopped_ = true;
    final_due_ = true;
}

std::span<const Record> PerfSource::drain() {
    if (std::exchange(initial_due_, false) && !initial_.records().empty()) return initial_.records();
    initial_.clear();
    batch_.clear();
    epoll_event ignored[8];
    ::epoll_wait(epoll_.get(), ignored, std::size(ignored), 0);
    const uint64_t now = sample_clock_ns();
    if (!stopped_ && times_.due(now)) report_times(now);
    const uint64_t until = stopped_ ? UINT64_MAX : now - settle_time;
    merger_.merge(until, batch_);
    if (copies_more_ && !stopped_) watch_room();
    if (batch_.empty() && lost_side_band_ > 0 && until >= lost_side_band_time_)
        batch_.push_back(LostSideBand{std::exchange(lost_side_band_, 0)});
    if (batch_.empty() && std::exchange(final_due_, false)) emit_final_records();
    return batch_;
}

/// With the times come losses of the side band: the last ones before it falls silent have no record. They are
/// delivered when what came before them has been.
void PerfSource::report_times(uint64_t now) {
    for (const EventTime& time : times_.advance(read_events(opened_.cpus, opened_.features).clocks))
        batch_.push_back(time);
    count_side_band();
    lost_side_band_time_ = now;
    times_.reported(now, sample_clock_ns());
}

void PerfSource::count_side_band() {
    if (!opened_.features.lost_count) return;
    lost_side_band_ += merger_.unreported_side_band(read_events(opened_.side_band, opened_.features).lost);
}

/// How long events were counted, and what was lost without a record of it.
void PerfSource::emit_final_records() {
    const EventReadings readings = read_events(opened_.cpus, opened_.features);
    for (const EventTime& time : times_.advance(readings.clocks))
        batch_.push_back(time);
    for (const Lost& lost : merger_.unreported_losses(readings.lost))
        batch_.push_back(lost);
    count_side_band();
    if (lost_side_band_ > 0) batch_.push_back(LostSideBand{std::exchange(lost_side_band_, 0)});
}

}  // namespace op::collect
