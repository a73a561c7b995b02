// SPDX-License-Identifier: GPL-2.0-or-later
// How x86-64 functions made at run time begin, and what that shows of their frames. The compilers of HotSpot,
// the Java virtual machine, give a function one frame of constant size and use rbp for data: its frames are
// found by the stack pointer, as far as the size is known. It is read from the instructions that make the
// frame. Encodings: Intel SDM, volume 2, appendix A.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "daemon/unwind/unwind_rule.h"

namespace op::collect {

/// The first instructions of a function.
struct FunctionEntry {
    enum class Frame : uint8_t {
        none,       ///< these instructions begin no function that is known here
        of_size,    ///< constant: the stack pointer finds it
        by_pointer  ///< the frame pointer finds it
    };

    Frame frame = Frame::none;
    bool pushes_first = false;  ///< the caller's rbp is pushed, then the size subtracted; else the reverse
    uint8_t first = 0;          ///< bytes of code up to the end of the first of these two steps
    uint8_t length = 0;         ///< bytes of code until the frame is there
    int32_t size = 0;           ///< bytes of the frame below the caller's rbp

    /// The rule for the instruction at a distance from the entry, in bytes; `no_info` unless the frame is
    /// `of_size`.
    UnwindRule rule(size_t distance) const noexcept;
};

/// Bytes of code that show a function's entry.
inline constexpr size_t longest_entry = 16;

/// The entry that the code begins with.
FunctionEntry read_entry(std::span<const std::byte> code) noexcept;

/// An entry, and where it is in some code.
struct FoundEntry {
    FunctionEntry entry;
    size_t at = 0;
};

/// The last entry that begins at `last` or before, if all its bytes are in `code`. Without one, its frame is
/// `none`.
FoundEntry last_entry(std::span<const std::byte> code, size_t last) noexcept;

/// Bytes that is_pushed_target() looks at.
inline constexpr size_t longest_target = 12;

/// True for code to which HotSpot returns though no call lies before it: where its interpreter goes on behind
/// a call, whose return address it pushes itself, and where a compiled function goes on that is no longer
/// valid.
bool is_pushed_target(std::span<const std::byte> code) noexcept;

}  // namespace op::collect
