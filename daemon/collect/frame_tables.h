// SPDX-License-Identifier: GPL-2.0-or-later
// The unwind tables of the files that processes have mapped, within a bound of memory.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "daemon/collect/process_table.h"
#include "daemon/source/image_file.h"
#include "daemon/unwind/unwind_rule.h"

namespace op::collect {

/// The unwind table of one file, and what it is built from.
class FileFrames;

/// Tables by mapped image, built page by page as code is asked for. Not thread-safe.
class FrameTables {
public:
    /// What the tables may take together; above it all of them are dropped and built as needed. A desktop's
    /// programs need a few dozen MB if all their code runs.
    static constexpr uint64_t most_memory = uint64_t{32} << 20;

    explicit FrameTables(uint64_t limit = most_memory);
    ~FrameTables();

    /// The rule for the code at a byte of the region's file; `no_info` if the file has no table or cannot be
    /// read.
    UnwindRule find(const Region& region, uint32_t tgid, uint64_t file_offset);
    /// About what the tables take, in bytes.
    uint64_t memory() const noexcept { return memory_; }

private:
    FileFrames* frames_of(const Region& region, uint32_t tgid);
    std::shared_ptr<FileFrames> load(const Region& region, uint32_t tgid);
    void limit_memory();

    /// By image. An image that is gone is not mistaken for a new one at its address.
    struct Known {
        std::weak_ptr<MappedImage> image;
        std::shared_ptr<FileFrames> frames;  ///< null = no table can be had
    };

    std::unordered_map<const MappedImage*, Known> known_;
    uint64_t limit_, memory_ = 0;
    SearchLimit search_;
};

}  // namespace op::collect
