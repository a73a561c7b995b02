// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: any bytes are code: each instruction has a length within them and a short text. The first byte
// selects the machine, the second where the code lies.
#include <elf.h>

#include <cstdint>
#include <cstdlib>
#include <iterator>

#include "libop/base/error.h"
#include "libpp/object/disassemble.h"

namespace {

using namespace op;
using namespace op::pp;

constexpr Machine machines[] = {{EM_X86_64, true, false},  {EM_X86_64, false, false}, {EM_386, false, false},
                                {EM_AARCH64, true, false}, {EM_ARM, false, false},    {EM_PPC64, true, false},
                                {EM_PPC64, true, true},    {EM_S390, true, true},     {EM_RISCV, true, false},
                                {EM_AARCH64, true, true}};
constexpr uint64_t starts[] = {0, 0x401000, UINT64_MAX - 7, 0xffffffff81000001};
constexpr size_t longest_instruction = 32;  // bytes; of these machines, with room for bundles and prefixes
constexpr size_t longest_text = 1024;

void disassemble(Disassembler& disassembler, std::span<const std::byte> code, uint64_t address) {
    const NameAddress name = [](LinkAddress at) { return at.value() % 2 ? "name+0x1" : ""; };
    while (!code.empty()) {
        const auto instruction = disassembler.next(code, LinkAddress{address}, name);
        if (instruction.length == 0 || instruction.length > code.size()) std::abort();
        if (instruction.length > longest_instruction || instruction.text.size() > longest_text) std::abort();
        code = code.subspan(instruction.length);
        address += instruction.length;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < 2) return 0;
    try {
        Disassembler disassembler(machines[data[0] % std::size(machines)]);
        disassemble(disassembler, {reinterpret_cast<const std::byte*>(data) + 2, size - 2},
                    starts[data[1] % std::size(starts)]);
    } catch (const Error& error) {
        // libopcodes is built for a few machines only
        if (error.kind() != ErrorKind::input) std::abort();
    }
    return 0;
}
