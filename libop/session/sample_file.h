// SPDX-License-Identifier: GPL-2.0-or-later
// The OProfile 1.x sample file: a memory-mapped hash from key to sample count. Layout: doc/FORMATS.md.
// Does not know the meaning of a key or the place of the file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libop/base/access_policy.h"
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
    uint64_t lost_limit = 0;      ///< dropped because the file's room is used up
};

/// Bytes that files may yet take together.
struct ByteRoom {
    uint64_t bytes;

    /// Takes that many, or none if they are not there.
    bool take(uint64_t n) noexcept {
        if (n > bytes) return false;
        bytes -= n;
        return true;
    }
};

/// A sample file open for counting. Always written in version 0x13. The session lock allows one writer at a
/// time. Concurrent readers, and readers after a crash, find a consistent file at any moment. Holds one
/// descriptor. If another process truncates the file, accesses raise SIGBUS, which the commands survive
/// (utils/shared/sigbus_guard.h) at the cost of the samples in it. Not thread-safe.
class SampleFile {
public:
    /// Opens `name` below `dir` (never through a symbolic link) and creates it with `header` if it is new.
    /// The counts of an existing file are kept and its header is replaced. A truncated, damaged, half-grown
    /// or version 0x12 file is rebuilt from its sound entries, with a warning. A file that is not a sample
    /// file of this byte order is renamed to NAME.damaged, with a warning, and replaced by a new one. An
    /// empty file counts as new. `label` names the file in warnings. Throws a system error, or an input error
    /// if `policy` refuses the file.
    SampleFile(const Fd& dir, const std::string& name, const SampleHeader& header, std::string_view label,
               Diagnostics& notes, const AccessPolicy& policy = {});
    SampleFile(SampleFile&&) noexcept;
    SampleFile& operator=(SampleFile&&) noexcept;
    /// Flushes.
    ~SampleFile();

    /// Counts one sample on `key`. May be deferred until flush(). Never fails: a sample that cannot be
    /// stored is counted by cause.
    void add(uint64_t key) noexcept;
    /// Counts `samples` samples on `key` at once; samples beyond saturation are counted as lost_saturated.
    void add(uint64_t key, uint32_t samples) noexcept;
    /// Stores all deferred samples in the file. After that, the next sample that needs space retries a full
    /// disk; without a flush, every thousandth lost sample does.
    void flush() noexcept;
    /// From now on the file grows within that room, which must outlive it.
    void limit_growth(ByteRoom& room) noexcept;
    /// Flushes, then returns what became of all samples added. stored + all losses = samples added.
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

/// Parses the bytes of a sample file of version 0x13 or 0x12 in this machine's byte order and the layout of
/// 64-bit or i386 programs. A truncated or inconsistent file gives its sound entries and a warning; a file
/// that is just growing gives no warning. Other bytes, or a truncated header, throw an input error that names
/// `label` and the fault (no sample file, cut off, other byte order, other version).
SampleFileContent parse_sample_file(std::span<const std::byte> bytes, std::string_view label,
                                    Diagnostics& notes);

}  // namespace op
