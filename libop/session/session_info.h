// SPDX-License-Identifier: GPL-2.0-or-later
// The manifest: facts that sample files have no place for, as one JSON file beside them.
// Format: doc/FORMATS.md, "Manifest".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libop/session/counted_time.h"
#include "libop/session/dropped_sessions.h"
#include "libop/session/ledger.h"
#include "libop/session/recorded_names.h"
#include "libop/session/recorder_cpu.h"
#include "libop/session/stack_account.h"

namespace op {

/// File name of the manifest in samples/<session>.
inline constexpr const char* manifest_name = "manifest.json";
/// File name of the gzip-compressed kallsyms snapshot beside it; absent without kernel samples.
inline constexpr const char* kallsyms_name = "kallsyms.gz";

/// An event as recorded.
struct RecordedEvent {
    std::string name;
    uint32_t code = 0;
    uint64_t count = 0;
    uint64_t unit_mask = 0;
    bool kernel = true, user = true;
    bool throttled = false;           ///< the kernel held it back at some time
    std::string unit_mask_name = {};  ///< of the unit mask's entry; empty if it has none, or it is a union
    CountedTime time = {};            ///< how long it was counted

    bool operator==(const RecordedEvent&) const = default;
    /// "NAME:COUNT", for notes.
    std::string label() const;
    /// "NAME:COUNT:UNITMASK:KERNEL:USER", as events are asked for.
    std::string spec() const;
};

/// True if both describe the same event: all requested settings are equal.
bool is_same_event(const RecordedEvent& a, const RecordedEvent& b);

/// So many bytes of a file are in RecordedImage::checksum (file_checksum()): 16 ms of work.
inline constexpr uint64_t checksum_bytes = uint64_t{16} << 20;

/// The known facts about an image when its first sample was stored.
struct RecordedImage {
    std::string build_id = {};    ///< lower-case hex; empty = unknown
    uint64_t mtime = 0;           ///< seconds since the epoch; 0 = unknown
    bool deleted = false;         ///< the file had no name any more
    bool several_builds = false;  ///< it was rebuilt between recorded runs that counted it together
    bool elsewhere = false;       ///< its path led to no file or to another one, on the recording host
    std::string path = {};        ///< of the file; empty = its name in the session, which else has a suffix
    std::string root = {};        ///< of the process, for people; empty = the host's, or not known
    uint64_t size = 0;            ///< bytes; 0 = unknown
    uint32_t checksum = 0;        ///< CRC-32, of a file without a build-id; 0 = unknown

    /// True if both are known to have the same content: equal sizes, and equal checksums of all of it.
    bool has_same_content(const RecordedImage& other) const {
        const bool is_whole = size != 0 && size <= checksum_bytes;
        return is_whole && size == other.size && checksum != 0 && checksum == other.checksum;
    }
    /// True if what is known of both contents differs.
    bool has_other_content(const RecordedImage& other) const {
        const auto differ = [](uint64_t a, uint64_t b) { return a != 0 && b != 0 && a != b; };
        return differ(size, other.size) || differ(checksum, other.checksum);
    }
    /// True if both are known and are of different files: by build-id, else by content, else by modification
    /// time.
    bool is_other_build(const RecordedImage& other) const {
        if (!build_id.empty() && !other.build_id.empty()) return build_id != other.build_id;
        if (has_same_content(other)) return false;
        return has_other_content(other) || (mtime != 0 && other.mtime != 0 && mtime != other.mtime);
    }
    /// Drops what only one file has, of an image for which another file is taken.
    void forget_file() { mtime = size = checksum = 0; }

    bool operator==(const RecordedImage&) const = default;
};

/// The kernel image or a module, with its address during the recording.
struct RecordedKernelImage {
    std::string name;      ///< path of vmlinux, "/proc/kallsyms", "no-vmlinux", or a module's bare name
    uint64_t start = 0;    ///< run-time address that image offsets count from
    uint64_t length = 0;   ///< bytes; 0 = unknown
    std::string build_id;  ///< lower-case hex; empty = unknown

    bool operator==(const RecordedKernelImage&) const = default;
};

/// One session. Everything is optional for readers: a session of another tool has no manifest.
struct SessionInfo {
    /// Drawn at random when the session begins, so that its copies are known as such; empty in sessions of
    /// older versions.
    std::string session_id;
    std::string tool;            ///< "operf 0.1"
    std::string command;         ///< the profiled command, for people
    std::string host;            ///< node name
    std::string kernel_release;  ///< uname -r
    std::string machine;         ///< uname -m
    uint32_t cpu_type = 0;       ///< number as in sample file headers
    std::string cpu_type_name;
    std::string cpu_model;  ///< as /proc/cpuinfo has it; empty = unknown
    double cpu_speed_mhz = 0;
    uint64_t start_time = 0, stop_time = 0;  ///< seconds since the epoch
    bool unfinished = false;                 ///< not the recorder's last account: there may be more samples
    std::vector<RecordedEvent> events;
    std::vector<RecordedKernelImage> kernel_images;
    std::map<std::string, RecordedImage> images;  ///< by absolute path
    RecordedNames names;
    Ledger ledger;
    StackAccount stacks;
    RecorderCpu recorder_cpu;                 ///< what recording cost
    uint64_t arcs_stored = 0, arcs_lost = 0;  ///< call-graph arcs, not samples
    uint64_t side_band_lost = 0;              ///< records of processes and mappings, not samples
    uint64_t mappings_left_out = 0;           ///< for which the recorder had no room
    uint64_t missed_periods = 0;              ///< of the driver's timers, without a sample; not samples
    /// Seconds by which the calendar clock was set when the session ended for that: its own times, and those
    /// of events in it, are by the clock before. At most one is not 0.
    uint64_t clock_set_forward = 0, clock_set_back = 0;
    DroppedSessions dropped;      ///< while it was recorded
    uint64_t unsure_samples = 0;  ///< stored for what their process was before such a loss

    /// The build-id of an image or kernel image, by its recorded name; empty = unknown.
    std::string build_id(const std::string& name) const;
    /// What is known of an image or kernel image, by its recorded name. The modification time is that of its
    /// sample file (0 = unknown) where the manifest does not have it.
    RecordedImage recorded(const std::string& name, uint64_t sample_file_mtime) const;
    /// True if the path of that image led to no file or to another one (see RecordedImage::elsewhere).
    bool is_elsewhere(const std::string& name) const;
    /// The path of an image by its name in the session. Files of one path have different names.
    const std::string& path(const std::string& name) const;

    /// Adds an appended run: the time span is extended; events, images and kernel images are united (the
    /// newer one wins); ledgers and times are added up. `unfinished` is the newer one's. The id of the
    /// session stays, or stays missing if it has begun without one.
    void merge(const SessionInfo& newer);
};

/// The manifest as JSON text, ending in a newline.
std::string to_json(const SessionInfo& info);
/// Parses a manifest. Unknown members are ignored, missing ones keep their defaults. Throws an input error
/// naming `label` if it is no JSON, of a newer format, or a member has the wrong type. Strings, and the
/// paths that `images` goes by, are bytes: where the manifest has %XX, the byte of that hexadecimal value.
SessionInfo parse_session_info(std::string_view json, std::string_view label);

}  // namespace op
