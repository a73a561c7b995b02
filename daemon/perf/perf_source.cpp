// SPDX-License-Identifier: GPL-2.0-or-later
// Opening events, merging rings. perf_event_open(2) is the source of the rules followed here.
#include "daemon/perf/perf_source.h"

#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "daemon/perf/perf_attr.h"
#include "daemon/perf/perf_errors.h"
#include "daemon/perf/samplers.h"
#include "daemon/source/attach.h"
#include "daemon/source/cpu_list.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/events/kernel_events.h"
#include "libop/events/software_events.h"

namespace op::collect {
namespace {

constexpr size_t batch_limit = 512;
/// A record is in its ring at most this long after its time stamp (ns): younger ones wait for the next round,
/// so that rings can be merged in time order.
constexpr uint64_t settle_time = 2'000'000;
/// All rings together, so that memory stays small on large machines.
constexpr size_t all_rings_limit = size_t{8} << 20;
constexpr size_t smallest_wanted_ring = size_t{1} << 16;
/// How long events were counted is told this often (ns). Reading a counter interrupts its CPU, so that it
/// must not take more than a hundredth of the time either.
constexpr uint64_t times_interval = 1'000'000'000;
constexpr uint64_t times_share = 100;
/// What reports mappings, names, forks and exits on a CPU that does not have the first event:
/// PERF_COUNT_SW_DUMMY.
constexpr EventEncoding counts_nothing{perf_type_software, 9, 0, 0, 0};
constexpr uint16_t no_event = UINT16_MAX;

uint64_t now() {
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * uint64_t{1'000'000'000} + t.tv_nsec;
}

size_t fitting_ring(size_t wanted, size_t cpus) {
    while (wanted > smallest_wanted_ring && wanted * cpus > all_rings_limit)
        wanted /= 2;
    return wanted;
}

/// True if a kernel that refused with `error` may accept fewer features; takes one away. Precision goes last,
/// as it is what the user asked for, and what went before it in vain comes back.
bool give_way(PerfFeatures& features, int error) {
    if (error == EINVAL && features.lost_count) return !(features.lost_count = false);
    if (error == EINVAL && features.build_id) return !(features.build_id = false);
    if ((error == EINVAL || error == EOPNOTSUPP) && features.precise) {
        features.precise = false;
        return features.lost_count = features.build_id = true;
    }
    if ((error == EACCES || error == EPERM) && features.kernel_mode) return !(features.kernel_mode = false);
    return false;
}

/// Kernel samples refused: said in one line when other samples are taken all the same.
std::string no_kernel_note() {
    const auto s = perf_situation(EACCES, false, 0);
    return "kernel samples are left out: kernel.perf_event_paranoid is " + s.paranoid +
           "; run as root, or as root set it to 1";
}

std::string in_kernel_only(const RecordedEvent& event) {
    return "event '" + printable(event.name) +
           "': it occurs in the kernel, of which samples are not permitted: kernel.perf_event_paranoid is " +
           perf_situation(EACCES, false, 0).paranoid + "; run as root, or as root set it to 1";
}

PerfRequest request_for(const PerfOptions& options, size_t events) {
    return {options.callgraph, options.target.kind == PerfTarget::Kind::command, events > 1};
}

}  // namespace

PerfSource::PerfSource(const PerfOptions& options, SessionInfo session, Diagnostics& notes)
    : session_(std::move(session)),
      target_(options.target),
      notes_(notes),
      kernel_(options.kernel),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    if (!epoll_) throw_system("cannot create an epoll descriptor");
    batch_.reserve(batch_limit);
    for (const EventEncoding& encoding : options.encodings)
        cpus_.push_back(cpus_of_event(event_source_devices(), encoding));
    for (PerfFeatures features;;) {
        try {
            open_all(options, features);
            features_ = features;
            break;
        } catch (const Error& e) {
            lanes_.clear();
            if (!give_way(features, e.code())) throw;
        }
    }
    const bool wanted = std::ranges::any_of(session_.events, &RecordedEvent::kernel);
    kernel_mode_ = features_.kernel_mode && wanted;
    note_gaps(options);
}

/// What was asked for and is not to be had. Throws for an event that the rest shows nothing of.
void PerfSource::note_gaps(const PerfOptions& options) {
    for (size_t i = 0; i < session_.events.size(); ++i) {
        const RecordedEvent& event = session_.events[i];
        if (!features_.kernel_mode && is_kernel_only(options.encodings[i], event.user))
            throw Error(ErrorKind::system, in_kernel_only(event), EACCES);
        if (!features_.precise && options.encodings[i].precise != 0)
            notes_.warn(
                "event " + event.name +
                ": the kernel takes no precise samples of it here; they may lie some instructions late");
    }
    note_cpus_left_out();
    if (!features_.kernel_mode && std::ranges::any_of(session_.events, &RecordedEvent::kernel))
        notes_.warn(no_kernel_note());
}

void PerfSource::note_cpus_left_out() {
    for (size_t i = 0; i < cpus_.size(); ++i) {
        std::vector<std::string> others;
        for (const uint32_t cpu : online_cpus())
            if (!counts_on(cpus_[i], cpu)) others.push_back(std::to_string(cpu));
        if (!others.empty())
            notes_.warn("event " + session_.events[i].name + ": not counted on CPU " + short_list(others) +
                        ", which is of another kind");
    }
}

PerfSource::~PerfSource() = default;

void PerfSource::open_all(const PerfOptions& options, PerfFeatures features) {
    const auto request = request_for(options, session_.events.size());
    decoder_ = std::make_unique<PerfDecoder>(
        make_attr(session_.events.front(), options.encodings.at(0), true, request, features).sample_type,
        samplings_of(session_.events, options.encodings));
    opened_for_.clear();
    for (size_t i = 0; i < session_.events.size(); ++i)
        opened_for_.push_back(opened_for(options.encodings, i));
    if (target_.kind == PerfTarget::Kind::process) {
        const auto open = [&](const std::vector<pid_t>& threads) { open_cpus(options, threads, features); };
        if (!open_for_threads({target_.pid}, open))
            notes_.warn("process " + std::to_string(target_.pid) +
                        " starts threads all the time; those that it starts just now are sampled in part");
    } else {
        open_cpus(options, {target_.pid}, features);
    }
    if (lanes_.empty())
        throw Error(ErrorKind::system, explain_perf_error(perf_situation(ESRCH, false, target_.pid)));
}

void PerfSource::open_cpus(const PerfOptions& options, const std::vector<pid_t>& tasks,
                           const PerfFeatures& features) {
    const auto cpus = online_cpus();
    lanes_.clear();
    ring_bytes_ = fitting_ring(options.ring_bytes, cpus.size());
    for (const uint32_t cpu : cpus)
        open_cpu(options, cpu, tasks, features);
}

void PerfSource::open_cpu(const PerfOptions& options, uint32_t cpu, const std::vector<pid_t>& tasks,
                          const PerfFeatures& features) {
    const auto request = request_for(options, session_.events.size());
    for (const pid_t task : tasks) {
        const bool is_system = target_.kind == PerfTarget::Kind::system;
        for (size_t i = 0; i < session_.events.size(); ++i) {
            const bool counts = counts_on(cpus_[i], cpu), is_leader = i == 0;
            if (opened_for_[i] != i || (!counts && !is_leader)) continue;
            const EventEncoding& encoding = counts ? options.encodings.at(i) : counts_nothing;
            Fd fd = open_event(session_.events[i],
                               make_attr(session_.events[i], encoding, is_leader, request, features),
                               is_system ? -1 : task, cpu, options);
            const uint32_t owner = is_system ? cpu : static_cast<uint32_t>(task);
            if (fd) add_event({std::move(fd), counts ? static_cast<uint16_t>(i) : no_event, owner}, cpu);
        }
    }
}

/// The first event of a CPU brings the ring, the others write to it.
void PerfSource::add_event(Event event, uint32_t cpu) {
    uint64_t id = 0;
    if (::ioctl(event.fd.get(), PERF_EVENT_IOC_ID, &id) == 0) decoder_->add_event_id(id, event.number);
    if (lanes_.empty() || lanes_.back().cpu != cpu) {
        PerfRing ring = map_ring(event.fd.get(), ring_bytes_);
        lanes_.push_back({cpu, std::move(ring), {}, {}});
    } else if (::ioctl(event.fd.get(), PERF_EVENT_IOC_SET_OUTPUT, lanes_.back().events.front().fd.get()) !=
               0) {
        throw_system("cannot share a sample buffer");
    }
    lanes_.back().events.push_back(std::move(event));
    if (lanes_.back().events.size() == 1) wait_for(lanes_.back());
}

/// Empty for a thread that is gone or a CPU that went off meanwhile.
Fd PerfSource::open_event(const RecordedEvent& event, perf_event_attr attr, pid_t pid, uint32_t cpu,
                          const PerfOptions& options) const {
    Fd fd = perf_event_open(attr, pid, static_cast<int>(cpu));
    if (fd) return fd;
    const int error = errno;
    // The kernel looks at permissions first, which are not what keeps an ended process from being profiled.
    const bool may_be_gone = error == EACCES || error == EPERM;
    const bool thread_gone = options.target.kind == PerfTarget::Kind::process &&
                             (error == ESRCH || (may_be_gone && is_ending(pid)));
    if (thread_gone || (error == ENODEV && cpu != 0)) return fd;
    const bool system_wide = options.target.kind == PerfTarget::Kind::system;
    const pid_t attached = options.target.kind == PerfTarget::Kind::process ? options.target.pid : 0;
    PerfSituation situation = perf_situation(error, system_wide, attached);
    situation.ibs = (attr.sample_type & PERF_SAMPLE_RAW) != 0;
    situation.event = event.name;
    throw Error(ErrorKind::system, explain_perf_error(situation), error);
}

PerfRing PerfSource::map_ring(int fd, size_t& bytes) {
    const size_t page = ::sysconf(_SC_PAGESIZE);
    for (;;) {
        try {
            return PerfRing(fd, bytes);
        } catch (const Error& e) {
            if (e.code() != EPERM && e.code() != ENOMEM) throw;
            if (bytes / 2 < page)
                throw Error(ErrorKind::system,
                            "no room for a sample buffer: the locked-memory limit is used up; raise "
                            "kernel.perf_event_mlock_kb or the limit (ulimit -l)");
            bytes /= 2;
        }
    }
}

void PerfSource::wait_for(const Lane& lane) {
    // Edge-triggered: a task's end makes the descriptor readable for good.
    epoll_event event{EPOLLIN | EPOLLET, {}};
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, lane.events.front().fd.get(), &event) != 0)
        throw_system("cannot wait for samples");
}

/// What /proc says of the processes to be profiled.
void PerfSource::scan() {
    if (target_.kind == PerfTarget::Kind::process) scan_process(target_.pid, initial_);
    if (target_.kind == PerfTarget::Kind::system) scan_all_processes(initial_);
}

void PerfSource::start() {
    stopped_ = false;
    // The slow parts before enabling, and one scan for processes that end before the next one reaches them.
    if (kernel_mode_) add_kernel_records(kernel_, initial_, notes_);
    scan();
    if (target_.kind != PerfTarget::Kind::command) switch_all(PERF_EVENT_IOC_ENABLE);
    // After enabling: what changes from now on is in the rings and is applied after this.
    scan();
    initial_due_ = true;
    times_due_ = now() + times_interval;
}

/// A CPU's time is one descriptor's; that of a task is put together from those for every CPU.
void PerfSource::switch_all(unsigned long request) {
    const uint64_t began = now();
    for (const Lane& lane : lanes_)
        for (const Event& event : lane.events)
            ::ioctl(event.fd.get(), request, 0);
    if (target_.kind != PerfTarget::Kind::system) switching_ += now() - began;
}

void PerfSource::stop() {
    switch_all(PERF_EVENT_IOC_DISABLE);
    stopped_ = true;
    last_words_due_ = true;
}

void PerfSource::advance(Lane& lane) {
    lane.has_next = false;
    while (const perf_event_header* header = lane.ring.peek()) {
        auto decoded = decoder_->decode(*header, chains_);
        if (!decoded) {
            lane.ring.pop();
            continue;
        }
        lane.next = std::move(*decoded);
        if (auto* lost = std::get_if<Lost>(&lane.next.record);
            lost && lost->cause == LossCause::damaged_stream)
            lost->cpu = lane.cpu;
        lane.has_next = true;
        return;
    }
}

PerfSource::Lane* PerfSource::earliest() {
    Lane* best = nullptr;
    for (Lane& lane : lanes_)
        if (lane.has_next && (!best || lane.next.time < best->next.time)) best = &lane;
    return best && best->next.time <= until_ ? best : nullptr;
}

std::span<const Record> PerfSource::drain() {
    if (std::exchange(initial_due_, false) && !initial_.records().empty()) return initial_.records();
    initial_.clear();
    batch_.clear();
    chains_.clear();
    epoll_event ignored[8];
    ::epoll_wait(epoll_.get(), ignored, std::size(ignored), 0);
    const uint64_t time = now();
    until_ = stopped_ ? UINT64_MAX : time - settle_time;
    if (!stopped_ && time >= times_due_) report_times();
    for (Lane& lane : lanes_) {
        if (const uint64_t cuts = lane.ring.take_cuts())
            batch_.push_back(Lost{cuts, lane.cpu, LossCause::damaged_stream});
        lane.ring.release();
        lane.ring.update();
        advance(lane);
    }
    // One record at least: on a machine with many processors those that are next may fill the room.
    while (batch_.size() < batch_limit && (batch_.empty() || chains_.has_room())) {
        Lane* lane = earliest();
        if (!lane) break;
        if (lane->next.had_no_room) lane->lost_told += std::get<Lost>(lane->next.record).count;
        decoder_->deliver(lane->next, batch_);
        lane->ring.pop();
        advance(*lane);
    }
    if (batch_.empty() && std::exchange(last_words_due_, false)) {
        emit_final_records();
        return last_words_.records();
    }
    return batch_;
}

/// What all descriptors say now.
std::vector<ClockReading> PerfSource::read_events() {
    std::vector<ClockReading> clocks;
    for (Lane& lane : lanes_) {
        lane.lost = 0;
        for (const Event& event : lane.events) {
            const auto reading = read_event(event.fd, features_);
            if (!reading) continue;
            lane.lost += reading->lost;
            clocks.push_back({event.number, event.owner, {reading->enabled, reading->running}});
        }
    }
    return clocks;
}

/// How long events were counted since the last call; those that come from the same samples, alike.
std::vector<EventTime> PerfSource::advance_times() {
    std::vector<EventTime> times;
    for (const EventTime& opened : times_.advance(read_events(), switching_))
        for (size_t i = 0; i < opened_for_.size(); ++i)
            if (opened_for_[i] == opened.event) times.push_back({static_cast<uint16_t>(i), opened.time});
    return times;
}

void PerfSource::report_times() {
    const uint64_t began = now();
    for (const EventTime& time : advance_times())
        batch_.push_back(time);
    const uint64_t ended = now();
    times_due_ = ended + std::max(times_interval, times_share * (ended - began));
}

/// How long events were counted, and the kernel's own count of records it could not write, less what its LOST
/// records said.
void PerfSource::emit_final_records() {
    last_words_.clear();
    for (const EventTime& time : advance_times())
        last_words_.add(time);
    for (Lane& lane : lanes_) {
        if (const uint64_t cuts = lane.ring.take_cuts())
            last_words_.add(Lost{cuts, lane.cpu, LossCause::damaged_stream});
        if (lane.lost <= lane.lost_told) continue;
        last_words_.add(Lost{lane.lost - lane.lost_told, lane.cpu, LossCause::kernel_buffer});
        lane.lost_told = lane.lost;
    }
}

}  // namespace op::collect
