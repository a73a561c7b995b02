// SPDX-License-Identifier: GPL-2.0-or-later
// Opening events. perf_event_open(2) is the source of the rules followed here.
#include "daemon/perf/perf_open.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "daemon/perf/perf_attr.h"
#include "daemon/perf/perf_errors.h"
#include "daemon/perf/ring_sizes.h"
#include "daemon/source/attach.h"
#include "daemon/source/cpu_list.h"
#include "daemon/source/machine.h"
#include "daemon/source/samplers.h"
#include "libop/base/error.h"
#include "libop/base/text.h"
#include "libop/events/kernel_events.h"
#include "libop/events/software_events.h"

namespace op::collect {
namespace {

constexpr size_t smallest_side_band = size_t{1} << 16;
constexpr uint16_t no_event = UINT16_MAX;

/// True if a kernel that refused with `error` may accept fewer features; takes one away. Precision goes last,
/// as it is what the user asked for, and the features that went before it without success come back.
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

/// The note on refused kernel samples where other samples are taken.
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

/// Maps the rings of all CPUs. False if the locked-memory limit does not permit that many bytes for each.
bool map_rings(std::vector<OpenedCpu>& cpus, size_t bytes) {
    for (OpenedCpu& cpu : cpus) {
        try {
            cpu.ring.emplace(cpu.events.front().fd.get(), bytes);
        } catch (const Error& e) {
            if (e.code() != EPERM && e.code() != ENOMEM) throw;
            return false;
        }
    }
    return true;
}

void unmap_rings(std::vector<OpenedCpu>& cpus) {
    for (OpenedCpu& cpu : cpus)
        cpu.ring.reset();
}

/// All events of a CPU write to the ring of the first one.
void share_rings(const std::vector<OpenedCpu>& cpus) {
    for (const OpenedCpu& cpu : cpus)
        for (size_t i = 1; i < cpu.events.size(); ++i)
            if (::ioctl(cpu.events[i].fd.get(), PERF_EVENT_IOC_SET_OUTPUT, cpu.events.front().fd.get()) != 0)
                throw_system("cannot share a sample buffer");
}

void add_event(std::vector<OpenedCpu>& cpus, uint32_t cpu, OpenedEvent event) {
    if (!event.fd) return;
    if (::ioctl(event.fd.get(), PERF_EVENT_IOC_ID, &event.id) != 0) event.id = 0;
    if (cpus.empty() || cpus.back().cpu != cpu) cpus.push_back({cpu, {}, {}});
    cpus.back().events.push_back(std::move(event));
}

class Opener {
public:
    Opener(const PerfOptions& options, const std::vector<RecordedEvent>& events, Diagnostics& notes)
        : options_(options),
          events_(events),
          notes_(notes),
          request_{options.callgraph, options.target.kind == PerfTarget::Kind::command, events.size() > 1,
                   options.stack_bytes},
          larger_stack_bytes_(options.stack_bytes != 0 ? options.larger_stack_bytes : 0) {
        for (size_t i = 0; i < events.size(); ++i) {
            cpus_.push_back(cpus_of_event(event_source_devices(), options.encodings.at(i)));
            opened_.opened_for.push_back(op::collect::opened_for(options.encodings, i));
        }
    }

    OpenedEvents open() {
        note_made_up_machine(notes_);
        const size_t wanted = fitting_ring(options_.ring_bytes, online_cpus().size(), options_.stack_bytes);
        choose_stacks(wanted);
        open_all();
        add_rings(wanted);
        if (opened_.ring_bytes != wanted && request_.stack_bytes != 0) open_for_small_rings();
        note_small_stacks();
        opened_.stack_bytes = request_.stack_bytes;
        opened_.has_larger_stacks = larger_stack_bytes_ != 0;
        opened_.begins_larger = begins_larger_;
        opened_.sample_type = attributes(0).sample_type;
        note_gaps();
        return std::move(opened_);
    }

private:
    void open_all() {
        for (;;) {
            try {
                return open_targets();
            } catch (const Error& e) {
                if (!give_way(opened_.features, e.code())) throw;
            }
        }
    }
    void choose_stacks(size_t ring_bytes);
    void open_for_small_rings();
    void note_small_stacks();
    void open_targets();
    void open_cpus(const std::vector<pid_t>& tasks);
    void open_cpu(uint32_t cpu, pid_t task);
    void open_larger(size_t i, uint32_t cpu, pid_t task, uint32_t owner);
    Fd open_event(const RecordedEvent& event, perf_event_attr attr, pid_t task, uint32_t cpu) const;
    void add_rings(size_t wanted);
    void note_gaps();
    void note_cpus_left_out();

    bool is(PerfTarget::Kind kind) const noexcept { return options_.target.kind == kind; }
    perf_event_attr attributes(size_t i) const {
        PerfRequest request = request_;
        request.enable_on_exec &= !begins_larger_;
        return make_attr(events_[i], options_.encodings[i], request, opened_.features);
    }

    const PerfOptions& options_;
    const std::vector<RecordedEvent>& events_;
    Diagnostics& notes_;
    PerfRequest request_;
    uint32_t larger_stack_bytes_;
    bool begins_larger_ = false;      ///< a program may be over before it is known that it needs them
    std::vector<CountingCpus> cpus_;  ///< by event
    OpenedEvents opened_;
};

/// Those that rings of so many bytes have room for.
void Opener::choose_stacks(size_t ring_bytes) {
    const StackSizes sizes = fit_stacks(ring_bytes, request_.stack_bytes, larger_stack_bytes_);
    request_.stack_bytes = sizes.usual;
    request_.wakeup_bytes = sizes.wakeup_bytes;
    larger_stack_bytes_ = sizes.larger;
    begins_larger_ = sizes.begins_larger;
}

/// Opens all again for rings that are smaller than wanted: events cannot be changed.
void Opener::open_for_small_rings() {
    const size_t bytes = opened_.ring_bytes;
    unmap_rings(opened_.cpus);
    unmap_rings(opened_.side_band);
    choose_stacks(bytes);
    open_all();
    add_rings(bytes);
}

void Opener::note_small_stacks() {
    if (request_.stack_bytes == options_.stack_bytes) return;
    notes_.warn("of each stack only " + std::to_string(request_.stack_bytes) +
                " bytes are copied, for the locked-memory limit leaves no room for more; raise "
                "kernel.perf_event_mlock_kb or the limit (ulimit -l)");
}

void Opener::open_targets() {
    const std::vector<pid_t>& pids = options_.target.pids;
    if (is(PerfTarget::Kind::process)) {
        if (!open_for_threads([this] { return sampled_processes(options_.target); },
                              [this](const std::vector<pid_t>& threads) { open_cpus(threads); }))
            notes_.warn(
                "threads or children are started all the time; those that are started just now are sampled "
                "in part");
    } else {
        open_cpus(pids.empty() ? std::vector<pid_t>{-1} : pids);
    }
    if (opened_.side_band.empty())
        throw Error(ErrorKind::system,
                    explain_perf_error(perf_situation(ESRCH, false, pids.empty() ? 0 : pids.front())));
}

void Opener::open_cpus(const std::vector<pid_t>& tasks) {
    opened_.cpus.clear();
    opened_.side_band.clear();
    for (const uint32_t cpu : online_cpus())
        for (const pid_t task : tasks)
            open_cpu(cpu, task);
}

void Opener::open_cpu(uint32_t cpu, pid_t task) {
    const uint32_t owner = is(PerfTarget::Kind::system) ? cpu : static_cast<uint32_t>(task);
    for (size_t i = 0; i < events_.size(); ++i) {
        if (opened_.opened_for[i] != i || !counts_on(cpus_[i], cpu)) continue;
        Fd fd = open_event(events_[i], attributes(i), task, cpu);
        add_event(opened_.cpus, cpu, {std::move(fd), 0, static_cast<uint16_t>(i), owner});
        if (larger_stack_bytes_ != 0) open_larger(i, cpu, task, owner);
    }
    // After the samples' events: a refusal is explained by what was requested.
    Fd fd = open_event(events_.front(), make_side_band_attr(request_, opened_.features), task, cpu);
    add_event(opened_.side_band, cpu, {std::move(fd), 0, no_event, owner});
}

/// The same event once more, one of the two being off: events that are opened later
/// would not be inherited by the children that a program has by then.
void Opener::open_larger(size_t i, uint32_t cpu, pid_t task, uint32_t owner) {
    constexpr uint32_t as_another = uint32_t{1} << 31;
    PerfRequest request = request_;
    request.stack_bytes = larger_stack_bytes_;
    request.enable_on_exec = request_.enable_on_exec && begins_larger_;
    Fd fd = open_event(events_[i], make_attr(events_[i], options_.encodings[i], request, opened_.features),
                       task, cpu);
    add_event(opened_.cpus, cpu, {std::move(fd), 0, static_cast<uint16_t>(i), owner | as_another, true});
}

/// Empty for a thread that is gone or a CPU that went off meanwhile.
Fd Opener::open_event(const RecordedEvent& event, perf_event_attr attr, pid_t task, uint32_t cpu) const {
    const pid_t pid = is(PerfTarget::Kind::system) ? -1 : task;
    Fd fd = perf_event_open(attr, pid, static_cast<int>(cpu));
    if (fd) return fd;
    const int error = errno;
    // The kernel looks at permissions first, which are not what keeps an ended process from being profiled.
    const bool may_be_gone = error == EACCES || error == EPERM;
    const bool is_process = is(PerfTarget::Kind::process);
    if (is_process && (error == ESRCH || (may_be_gone && is_ending(pid)))) return fd;
    if (error == ENODEV && cpu != 0) return fd;
    PerfSituation situation =
        perf_situation(error, is(PerfTarget::Kind::system), is_process ? process_of(task) : 0);
    situation.ibs = (attr.sample_type & PERF_SAMPLE_RAW) != 0;
    situation.event = event.name;
    throw Error(ErrorKind::system, explain_perf_error(situation), error);
}

/// As large as wanted, or as the locked-memory limit permits: all of a kind have the same size.
void Opener::add_rings(size_t wanted) {
    const size_t page = ::sysconf(_SC_PAGESIZE);
    size_t& bytes = opened_.ring_bytes = wanted;
    for (; bytes >= page; bytes /= 2) {
        const size_t beside = std::max(page, std::min(bytes, side_band_bytes(bytes)));
        if (map_rings(opened_.cpus, bytes) && map_rings(opened_.side_band, beside)) break;
        unmap_rings(opened_.cpus);
        unmap_rings(opened_.side_band);
    }
    if (bytes < page)
        throw Error(ErrorKind::system,
                    "no room for a sample buffer: the locked-memory limit is used up; raise "
                    "kernel.perf_event_mlock_kb or the limit (ulimit -l)");
    share_rings(opened_.cpus);
    share_rings(opened_.side_band);
}

/// Notes what was requested but is not available. Throws for an event of which nothing would be recorded.
void Opener::note_gaps() {
    for (size_t i = 0; i < events_.size(); ++i) {
        if (!opened_.features.kernel_mode && is_kernel_only(options_.encodings[i], events_[i].user))
            throw Error(ErrorKind::system, in_kernel_only(events_[i]), EACCES);
        if (!opened_.features.precise && options_.encodings[i].precise != 0)
            notes_.warn(
                "event " + events_[i].name +
                ": the kernel takes no precise samples of it here; they may lie some instructions late");
    }
    note_cpus_left_out();
    if (!opened_.features.kernel_mode && std::ranges::any_of(events_, &RecordedEvent::kernel))
        notes_.warn(no_kernel_note());
}

void Opener::note_cpus_left_out() {
    for (size_t i = 0; i < cpus_.size(); ++i) {
        std::vector<std::string> others;
        for (const uint32_t cpu : online_cpus())
            if (!counts_on(cpus_[i], cpu)) others.push_back(std::to_string(cpu));
        if (!others.empty())
            notes_.warn("event " + events_[i].name + ": not counted on CPU " + short_list(others) +
                        ", which is of another kind");
    }
}

}  // namespace

std::vector<pid_t> sampled_processes(const PerfTarget& target) {
    std::vector<pid_t> processes = target.pids;
    if (!target.with_descendants) return processes;
    for (const pid_t process : other_descendants_of(target.pids))
        if (may_look_into(process)) processes.push_back(process);
    return processes;
}

size_t side_band_bytes(size_t ring_bytes) {
    return std::max(ring_bytes / 4, smallest_side_band);
}

OpenedEvents open_events(const PerfOptions& options, const std::vector<RecordedEvent>& events,
                         Diagnostics& notes) {
    return Opener(options, events, notes).open();
}

}  // namespace op::collect
