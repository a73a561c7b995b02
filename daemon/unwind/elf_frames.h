// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the call frame information of an ELF file (System V gABI; Linux Standard Base, "Exception Frames").
// Foreign bytes: whatever they hold, a bounded part of the file is read, and nothing of it is mapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/unwind/frame_index.h"
#include "daemon/unwind/unwind_rule.h"
#include "libop/base/address.h"
#include "libop/base/fd.h"

namespace op::collect {

/// Where a part of the file goes when it is loaded.
struct LoadedPart {
    uint64_t file_offset = 0, size = 0;  ///< bytes of the file
    LinkAddress address = {};
};

/// Where a section of call frame information is.
struct FrameSectionPlace {
    uint64_t offset = 0, size = 0;  ///< in the file
    LinkAddress address = {};
    bool is_debug_frame = false;
    bool is_compressed = false;
    FrameSearchTable search = {};  ///< of .eh_frame, if the linker made one
};

/// What a walk needs to know of a file.
struct ElfFrames {
    const UnwindMachine* machine = nullptr;
    std::vector<LoadedPart> code;             ///< executable parts
    std::vector<FrameSectionPlace> sections;  ///< .eh_frame, then .debug_frame for what is not in it
    LinkAddress entry = {};                   ///< where a program begins; 0 for a library

    /// The linked address of a file offset in executable code; none elsewhere.
    std::optional<LinkAddress> link_address(uint64_t file_offset) const noexcept;
};

/// Code around a place.
struct CodeWindow {
    std::vector<std::byte> bytes;
    size_t at = 0;  ///< of the place
};

/// Some hundred bytes before and after a file offset in executable code; empty elsewhere. Throws a system
/// error.
CodeWindow read_code(const Fd& file, const ElfFrames& frames, uint64_t file_offset);

/// Bytes behind the entry that are still the start: it calls a function of the C library and never returns.
inline constexpr uint64_t start_code = 64;

/// Larger sections without a linker's table are not read. The largest known are of some ten MB.
inline constexpr uint64_t largest_listed_section = 64 << 20;

/// Reads the headers. None if it is no 64-bit ELF file of this host's byte order, or of a machine whose
/// stacks cannot be walked. Throws an input error if it is damaged.
std::optional<ElfFrames> find_elf_frames(const Fd& file);

/// The bytes of a section that zlib or zstd compressed. Throws a system error, or an input error if they are
/// compressed in another way, or damaged, or too many.
std::vector<std::byte> read_compressed(const Fd& file, const FrameSectionPlace& place);

}  // namespace op::collect
