// SPDX-License-Identifier: GPL-2.0-or-later
// The length of x86-64 instructions and what they do to the stack pointer, the frame pointer and the flow of
// control. Not what else they do. Encodings: Intel SDM, volume 2, chapter 2 and appendix A.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace op::collect {

struct X86Instruction {
    enum class Kind : uint8_t {
        unknown,     ///< not decoded, or it changes the stack pointer in another way than those below
        plain,       ///< goes on with the next instruction
        push,        ///< of one word
        pop,         ///< of one word
        add_sp,      ///< adds `amount` to the stack pointer
        set_frame,   ///< mov %rsp,%rbp
        drop_frame,  ///< mov %rbp,%rsp or leave: the frame pointer is the one of this function
        jump,        ///< to the end of the instruction + `amount`
        branch,      ///< the same, or on with the next instruction
        call,
        ret,
        stop  ///< control goes where the code does not show, or nowhere
    };

    Kind kind = Kind::unknown;
    uint8_t length = 0;     ///< bytes; 0 if unknown
    bool is_of_fp = false;  ///< a push or pop of rbp, or another instruction that may write rbp
    int32_t amount = 0;     ///< bytes
};

/// The instruction that `code` begins with.
X86Instruction read_x86(std::span<const std::byte> code);

}  // namespace op::collect
