// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers of DWARF's line number programs (DWARF 4, section 7.21), and those that we write with.
#pragma once

#include <array>
#include <cstdint>

namespace op::dwarf_line {

enum StandardOpcode : uint8_t {
    copy = 1,
    advance_pc,
    advance_line,
    set_file,
    set_column,
    negate_stmt,
    set_basic_block,
    const_add_pc,
    fixed_advance_pc,
};
enum ExtendedOpcode : uint8_t { end_sequence = 1, set_address, define_file };

/// Of what we write: the first special opcode, and which steps of lines these can express.
inline constexpr int opcode_base = 13, line_base = -5, line_range = 14;
/// Operands of the standard opcodes.
inline constexpr std::array<uint8_t, opcode_base - 1> operand_counts = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};

}  // namespace op::dwarf_line
