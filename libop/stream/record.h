// SPDX-License-Identifier: GPL-2.0-or-later
// The records of a sample source: samples, and the events that give meaning to the addresses in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "libop/base/address.h"
#include "libop/base/file_identity.h"
#include "libop/session/counted_time.h"
#include "libop/session/ledger.h"
#include "libop/stacks/stack_end.h"
#include "libop/stream/user_stack.h"

namespace op {

/// The mode of the processor when the sample was taken.
enum class CpuMode : uint8_t { user, kernel, guest };

/// The pseudo image that holds kernel addresses in no known image; its offsets are raw addresses.
inline constexpr std::string_view no_vmlinux = "no-vmlinux";
/// The kernel's image if no vmlinux was given: its symbols come from this file.
inline constexpr std::string_view kallsyms_image = "/proc/kallsyms";

/// The kernel puts this behind the path of a mapped file that has no name any more.
inline constexpr std::string_view deletion_mark = " (deleted)";

// Views in records are valid until the source's next drain. Times are ns of the source's clock, process and
// thread ids those of the source's pid namespace.

/// One sample. `chain` holds the callers' addresses, innermost first, without the pc itself; kernel frames
/// come before user frames and `kernel_frames` of them are kernel addresses.
struct Sample {
    uint64_t time;
    uint32_t tgid, tid, cpu;
    uint16_t event;  ///< index into the session's events
    CpuMode mode;
    uint16_t kernel_frames = 0;
    RuntimeAddress pc;
    std::span<const uint64_t> chain;
    uint32_t weight = 1;  ///< counts as that many samples: cycles, of an event that is a latency
    const UserStack* user_stack = nullptr;  ///< then `chain` has no user frames yet
    /// Why a chain that was followed to its end has no more frames; empty: not known.
    std::optional<StackEnd> stack_end = {};
};
/// Executable memory appears in a process or, if `kernel`, a kernel image or module. Replaces earlier
/// mappings in [start, start + length).
struct Mapping {
    uint64_t time;
    uint32_t tgid;
    RuntimeAddress start;
    uint64_t length;       ///< bytes
    uint64_t file_offset;  ///< of `start` in the file, bytes
    bool kernel;
    std::string_view path;                ///< as the kernel spells it; kernel: path or bare module name
    std::span<const std::byte> build_id;  ///< empty = unknown
    FileIdentity file = {};               ///< as mappings have it
    bool is_exact = false;                ///< `path` has no mark of deletion, even if it looks like it
};
/// Memory of a process disappears.
struct Unmapping {
    uint64_t time;
    uint32_t tgid;
    RuntimeAddress start;
    uint64_t length;
};
/// A thread's command name; with `exec` the process has a new program and no mappings.
struct Name {
    uint64_t time;
    uint32_t tgid, tid;
    bool exec;
    std::string_view comm;
};
/// A new process (tgid != parent_tgid) or thread.
struct Fork {
    uint64_t time;
    uint32_t tgid, tid, parent_tgid, parent_tid;
};
/// A thread ended; a process ends with its last thread.
struct Exit {
    uint64_t time;
    uint32_t tgid, tid;
};
/// Samples that were taken but lost on the way.
struct Lost {
    uint64_t count;
    uint32_t cpu;
    LossCause cause;
};
/// Records of mappings, names, forks and exits that were lost: what is known of processes may no longer hold.
struct LostSideBand {
    uint64_t count;
};
/// Periods of a timer that ended without a sample: interrupts were off, or a hypervisor had taken the CPU.
/// They are not samples, so no Lost contains them.
struct MissedPeriods {
    uint64_t count;
    uint32_t cpu;
};
/// The kernel throttled sampling on this CPU, or resumed it.
struct Throttle {
    uint64_t time;
    uint32_t cpu;
    uint16_t event;
    bool on;
};

/// The image that a cookie of the driver means, announced once before its first use (kernel/uapi/op_stream.h,
/// struct op_record_image).
struct ImageCookie {
    uint32_t cookie;
    bool region;             ///< memory of one process without a file
    uint32_t tgid;           ///< regions: the process
    RuntimeAddress start;    ///< regions
    uint64_t length;         ///< regions: bytes
    uint64_t device, inode;  ///< files: as stat(2) gives them
    std::string_view path;   ///< or the region's label, e.g. "[heap]"
};
/// An address as the driver placed it.
struct Place {
    uint64_t offset;  ///< bytes into the file or region; cookie 0: the run-time address
    uint32_t cookie;
    uint32_t reserved = 0;

    bool operator==(const Place&) const = default;
};
/// A sample whose image the driver found. `chain` is as in Sample.
struct PlacedSample {
    uint32_t tgid, tid, cpu;
    uint32_t app;    ///< cookie of the process' executable, 0 = none
    uint16_t event;  ///< index into the session's events
    CpuMode mode;
    uint16_t kernel_frames = 0;
    Place place;
    std::span<const Place> chain;
    uint32_t weight = 1;                     ///< as Sample::weight
    uint32_t maps = 0;                       ///< with `user_stack`: PlacedMaps::number of its mappings
    const UserStack* user_stack = nullptr;   ///< then `chain` has no user frames yet
    std::optional<StackEnd> stack_end = {};  ///< as Sample::stack_end
    uint64_t time = 0;                       ///< as Sample::time, up to 1 ms too early; 0 = not known
};

/// An executable mapping as the driver sends it: laid out like struct op_mapped.
struct PlacedMapping {
    RuntimeAddress start;
    uint64_t length;  ///< bytes
    uint64_t offset;  ///< of `start` in the image, bytes
    uint32_t cookie;  ///< of the image; 0 = not known
    uint32_t reserved = 0;
};
/// The executable mappings of a process, for the copied stacks that name the number. One that another of its
/// slot has replaced may be named for a while (kernel/uapi/op_stream.h, struct op_record_maps).
struct PlacedMaps {
    static constexpr uint32_t slots = 1024;

    uint32_t number, slot, tgid;
    std::span<const PlacedMapping> mappings;  ///< by ascending addresses, as far as the driver is right
};

/// A placed sample with what the PMU recorded about it: the beginning of PERF_SAMPLE_RAW of
/// perf_event_open(2). Sources deliver the samples that are derived from it instead.
struct RawSample {
    PlacedSample placed;
    std::span<const std::byte> raw;
};

/// The command name of the placed samples up to the next such record, which are of that thread and program.
/// With an empty name they may be of any: unnamed contexts are no records.
struct PlacedName {
    uint32_t tgid, tid;
    uint32_t app;           ///< as PlacedSample::app
    std::string_view comm;  ///< empty = not known

    bool operator==(const PlacedName&) const = default;
};

/// How long an event was counted since the last such record, or since the start for the first one.
struct EventTime {
    uint16_t event;  ///< index into the session's events
    CountedTime time;
};

/// One event from a source.
using Record =
    std::variant<Sample, Mapping, Unmapping, Name, Fork, Exit, Lost, Throttle, ImageCookie, PlacedSample,
                 PlacedName, EventTime, LostSideBand, RawSample, MissedPeriods, PlacedMaps>;

}  // namespace op
