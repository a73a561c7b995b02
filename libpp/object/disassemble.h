// SPDX-License-Identifier: GPL-2.0-or-later
// Instructions as text, through libopcodes. The one door to it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "libop/base/address.h"
#include "libpp/object/machine.h"

namespace op::pp {

/// "SYMBOL+0xOFFSET" or "SYMBOL" for an address, or empty.
using NameAddress = std::function<std::string(LinkAddress)>;

/// Disassembles code of one machine. Not thread-safe.
class Disassembler {
public:
    /// Throws an input error if the disassembler built in knows no such machine.
    explicit Disassembler(const Machine& machine);
    ~Disassembler();

    /// The name of such files' format, e.g. "elf64-x86-64".
    std::string_view format() const noexcept;

    struct Instruction {
        std::string text;  ///< as objdump -d shows it; "(bad)" for bytes that are no instruction
        size_t length;     ///< bytes; at least 1, at most the given ones
    };
    /// The first instruction of `code`, which starts at `address` and is not empty.
    Instruction next(std::span<const std::byte> code, LinkAddress address, const NameAddress& name);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace op::pp
