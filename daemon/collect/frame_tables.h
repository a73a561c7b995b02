// SPDX-License-Identifier: GPL-2.0-or-later
// The unwind tables of the files that processes have mapped, within bounds of memory and work. No file stays
// open.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "daemon/collect/process_table.h"
#include "daemon/source/image_file.h"
#include "daemon/unwind/unwind_rule.h"
#include "libop/base/rate_limit.h"

namespace op::collect {

/// The tables of one file.
class FileFrames;

/// A rule, and whether it may be remembered: another look may find what could not be read now.
struct FoundRule {
    UnwindRule rule = {};
    bool is_final = true;

    bool operator==(const FoundRule&) const = default;
};

struct FrameLimits {
    /// Bytes that all tables may take together; above it those of the files that were used longest ago
    /// are dropped, and built as needed. A desktop's programs need a few dozen MB if all their code runs.
    uint64_t memory = uint64_t{32} << 20;
    /// Bytes of tables that are read and executed at once, in each of two shares: of files that belong to
    /// root or the recorder's user, and of others'. Then as much in 8 seconds; of a recording nothing more.
    uint64_t work = uint64_t{64} << 20;
    /// Tables that were not used for so long, ns, up to twice that, are dropped when a further file is found:
    /// the mappings of programs that have ended may be known much longer.
    uint64_t unused = 60'000'000'000;
    /// Between two attempts to find the file of one image, ns.
    uint64_t retry = 1'000'000'000;
};

/// Tables by mapped image, built page by page as code is asked for. Not thread-safe.
class FrameTables {
public:
    /// If the images are not `local`, only files of the recorded build-ids are used, and no process is looked
    /// at. Their limits do not depend on time: programs in a recording cannot take more by running longer.
    explicit FrameTables(bool local = true) : FrameTables(local, local ? FrameLimits{} : of_recording()) {}
    FrameTables(bool local, const FrameLimits& limits);
    ~FrameTables();

    /// The rule for the code at a byte of the region's file; `no_info` if the file has no table or is not
    /// found, `unsupported` if it has one that cannot be read now.
    FoundRule find(const Region& region, uint32_t tgid, uint64_t file_offset);
    /// See CodeFinder.
    UnwindRule find_register(const Region& region, uint32_t tgid, uint64_t file_offset, uint8_t number);
    UnwindRule read_code(const Region& region, uint32_t tgid, uint64_t file_offset);
    /// True if a function begins at the byte and no call ends before it: as a return address it was placed
    /// there by the program, such as makecontext(3) does.
    bool is_never_returned_to(const Region& region, uint32_t tgid, uint64_t file_offset);
    /// The rule for the code at the byte if a function begins there and no call ends before it, else
    /// `no_info`: as a return address it was placed by the program, such as makecontext(3) does.
    FoundRule find_unreturned(const Region& region, uint32_t tgid, uint64_t file_offset);
    /// About what the tables take, in bytes.
    uint64_t memory() const noexcept { return memory_; }

private:
    /// What is known of an image. One that is gone is not mistaken for a new one at its address.
    struct Known {
        std::weak_ptr<MappedImage> image;
        std::unique_ptr<FileFrames> frames;  ///< null = not found yet, or with `is_final` it has no table
        bool is_final = false, is_trusted = false;
        uint64_t mtime = 0, size = 0;  ///< of the file that `frames` is of
        uint64_t next_try = 0;  ///< to open the file after a failure, not before, monotonic ns; 0 = none
        uint64_t used = 0;      ///< number of the last use
        uint64_t serial = 0;    ///< distinguishes it from all others
    };
    /// What no table has: a rule that was read from the file.
    struct ReadRule {
        uint64_t serial = 0, file_offset = 0;
        uint8_t number = 0;
        UnwindRule rule;
    };
    static constexpr size_t read_rules = 1024;

    /// Half a minute's work or so, should a recording name more files than fit into memory.
    static constexpr FrameLimits of_recording() noexcept { return {.work = uint64_t{4} << 30}; }
    uint64_t now() const noexcept;

    bool has_file(const Region& region) const;
    Known& known(const ImagePtr& image);
    bool may_open(const Known& known);
    Fd open(Known& known, const Region& region, uint32_t tgid);
    void load(Known& known, const Region& region, uint32_t tgid);
    template <class Read>
    bool read(Known& known, const Region& region, uint32_t tgid, Read read);
    template <class Find>
    FoundRule read_rule(const Region& region, uint32_t tgid, uint64_t file_offset, uint8_t number, Find find);
    void limit_memory(Known& newest);
    void forget(Known& file, void (FileFrames::*part)());
    void forget_unused();
    void sweep();

    std::unordered_map<const MappedImage*, Known> known_;
    bool local_;
    FrameLimits limits_;
    uint64_t memory_ = 0, uses_ = 0, serials_ = 0;
    uint64_t uses_before_ = 0;      ///< uses_ when unused tables were dropped last
    uint64_t next_forgetting_ = 0;  ///< not before, monotonic ns
    std::vector<ReadRule> read_rules_;
    uint64_t next_retry_ = 0;  ///< of any file, not before, monotonic ns
    size_t sweep_at_ = 1024;   ///< images
    SearchLimit search_;
    std::array<RateLimit, 2> work_;  ///< of others' files, of trusted ones
};

}  // namespace op::collect
