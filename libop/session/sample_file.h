// SPDX-License-Identifier: GPL-2.0-or-later
// The OProfile 1.x sample file: a memory-mapped hash from key to sample count. Layout: doc/FORMATS.md.
// Does not know what a key means, nor where the file lies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libop/base/diagnostics.h"
#include "libop/base/fd.h"

namespace op {

/// The header of a sample file, independent of the version on disk.
struct SampleHeader {
    uint32_t cpu_type = 0;          ///< CPU type number of the 1.x column (doc/FORMATS.md)
    uint32_t event_code = 0;        ///< low 32 bits of the event's code
    uint32_t unit_mask = 0;         ///< unit mask
    uint32_t count = 0;             ///< events (or ns, for TIMER) per sample
    bool is_kernel = false;         ///< the samples' image is the kernel or a module
    double cpu_speed_mhz = 0;       ///< 0 = unknown
    uint64_t mtime = 0;             ///< of the image, seconds since the epoch; 0 = unknown
    bool cg_to_is_kernel = false;   ///< call graph: the callee's image is the kernel or a module
    uint64_t anon_start = 0;        ///< run-time start of the image if it is anonymous memory, else 0
    uint64_t cg_to_anon_start = 0;  ///< the same for the callee

    bool operator==(const SampleHeader&) const = default;
};

/// One key with the number of samples that fell on it.
struct SampleEntry {
    uint64_t key;
    uint64_t count;

    bool operator==(const SampleEntry&) const = default;
};

class SampleTable;

/// Keys on their way into a table together, so that their cache misses overlap.
using SampleBatch = std::array<uint64_t, 32>;

/// What became of the samples given to SampleFile::add since the file was opened.
struct SampleFileCounts {
    uint64_t stored = 0;          ///< counted in the file
    uint64_t lost_saturated = 0;  ///< dropped because the key's count is at 2^32-1
    uint64_t lost_no_space = 0;   ///< dropped because the file could not grow
};

/// A sample file open for counting. Always written in version 0x13. One writer at a time (the session lock
/// sees to that); concurrent readers see a sound file at every moment, and so does whoever opens it after a
/// crash. Holds one descriptor. A process that truncates the file meanwhile brings SIGBUS, which the
/// commands survive (utils/shared/sigbus_guard.h) at the cost of the samples in it. Not thread-safe.
class SampleFile {
public:
    /// Opens `name` below `dir` (never through a symbolic link), creating it with `header` when new. An
    /// existing file's counts stay and its header is replaced. A file that was cut off, scribbled on, left
    /// half-grown, or is of version 0x12 is rebuilt from its sound entries, with a warning; one that is no
    /// sample file of this byte order is set aside as NAME.damaged, with a warning, and a new one begun. An
    /// empty file counts as new. `label` names the file in warnings. Throws a system error.
    SampleFile(const Fd& dir, const std::string& name, const SampleHeader& header, std::string_view label,
               Diagnostics& notes);
    SampleFile(SampleFile&&) noexcept;
    SampleFile& operator=(SampleFile&&) noexcept;
    /// Flushes.
    ~SampleFile();

    /// Counts one sample on `key`. May be deferred until flush(). Never fails: a sample that cannot be
    /// stored is counted by cause.
    void add(uint64_t key) noexcept;
    /// Counts `samples` samples on `key` at once; those above saturation are lost_saturated.
    void add(uint64_t key, uint32_t samples) noexcept;
    /// Brings every deferred sample into the file. The next sample that needs room tries a full disk again,
    /// as does every thousandth one lost.
    void flush() noexcept;
    /// Flushes, then returns what became of all samples added. stored + both losses = samples added.
    SampleFileCounts flush_and_count() noexcept;
    /// Number of distinct keys in the file as of the last flush; 2^25 - 1 at most.
    uint32_t size() const noexcept;

private:
    void drain() noexcept;

    std::unique_ptr<SampleTable> table_;  ///< null once moved from
    uint32_t pending_ = 0;
    SampleBatch keys_;  ///< the first pending_ are deferred
};

inline void SampleFile::add(uint64_t key) noexcept {
    keys_[pending_++] = key;
    if (pending_ == keys_.size()) drain();
}

/// A sample file's content, read whole.
struct SampleFileContent {
    uint32_t version = 0;  ///< 0x12 or 0x13
    SampleHeader header;
    std::vector<SampleEntry> entries;  ///< in file order; keys may repeat in damaged files
    uint64_t total = 0;                ///< sum of the counts
};

/// Parses the bytes of a sample file of version 0x13 or 0x12 in this machine's byte order, laid out as a
/// 64-bit or an i386 program does. A cut-off or inconsistent file gives its sound entries and a warning, one
/// caught growing no warning; bytes that are no such file, or end within its header, throw an input error
/// that names `label` and the fault (no sample file, cut off, other byte order, other version).
SampleFileContent parse_sample_file(std::span<const std::byte> bytes, std::string_view label,
                                    Diagnostics& notes);

}  // namespace op
