// SPDX-License-Identifier: GPL-2.0-or-later
// Why a call stack has no more frames.
#pragma once

#include <cstdint>
#include <string_view>

namespace op {

/// The reasons, as a store of stacks numbers them. Only `root` means that the stack is complete.
enum class StackEnd : uint8_t {
    root,            ///< the outermost frame
    dump_short,      ///< a word beyond the copied part of the stack, perhaps beyond any copy
    page_absent,     ///< a word in a page that was not in memory
    stack_switch,    ///< the caller's frame is not on the copied stack
    no_mapping,      ///< a return address outside all code
    no_info,         ///< code with neither a table nor a frame pointer
    unsupported,     ///< code whose frame cannot be computed from the sample
    no_progress,     ///< a frame that is its own caller
    too_deep,        ///< more frames than are kept
    no_registers,    ///< the sample has no user registers
    frame_pointers,  ///< followed by frame pointers, which do not show where a stack ends
    not_copied,      ///< the driver could not copy the stack: the memory map was locked, or its buffer full
    count
};

/// As reports name it: "root", "dump_short", ...
std::string_view stack_end_name(StackEnd end) noexcept;

}  // namespace op
