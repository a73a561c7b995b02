// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: registers, a stack and call frame information, all of any bytes. A walk ends, has at most so
// many frames, and all of them but the sampled one are code.
//
// Input: u8 machine and kind of section, u8 bytes of the stack / 8, u64 pc, u64 for each of 32 registers, the
// stack, the section.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "daemon/unwind/unwind_table.h"
#include "daemon/unwind/unwinder.h"
#include "libop/base/error.h"

namespace {

using namespace op;
using namespace op::collect;

constexpr uint64_t code_end = uint64_t{1} << 20, section_at = 0x2000;

void require(bool claim) {
    if (!claim) std::abort();
}

class Code final : public CodeFinder {
public:
    Code(UnwindTable& table, const FrameIndex& index) : table_(table), index_(index) {}
    CodePlace find(RuntimeAddress address) override {
        if (address.value() >= code_end) return {};
        const LinkAddress linked{address.value()};
        if (!table_.has_page(linked)) table_.build_page(linked, index_);
        return {true, table_.find(linked)};
    }

private:
    UnwindTable& table_;
    const FrameIndex& index_;
};

UserRegisters registers_from(const uint8_t* bytes) {
    UserRegisters registers;
    uint64_t pc;
    std::memcpy(&pc, bytes, sizeof pc);
    registers.pc = RuntimeAddress{pc};
    std::memcpy(registers.by_number.data(), bytes + sizeof pc, sizeof registers.by_number);
    return registers;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    constexpr size_t head = 2 + sizeof(uint64_t) * (1 + unwind_registers);
    if (size < head) return 0;
    const UnwindMachine& machine = data[0] & 1 ? unwind_aarch64 : unwind_x86_64;
    const size_t stack_size = std::min<size_t>(size_t{data[1]} * 8, size - head);
    const auto* const rest = reinterpret_cast<const std::byte*>(data + head);
    const UserRegisters registers = registers_from(data + 2);
    const FrameIndex index({rest + stack_size, rest + (size - head)}, LinkAddress{section_at},
                           (data[0] & 2) != 0, machine);
    UnwindTable table(machine);
    Code code(table, index);
    std::vector<WalkedFrame> frames;
    const uint64_t sp = registers.by_number[machine.stack_pointer];
    const StackEnd end =
        Unwinder(machine).walk(registers, {{rest, stack_size}, sp, stack_size}, code, frames);
    require(end < StackEnd::count && !frames.empty() && frames.size() <= Unwinder::deepest);
    for (size_t i = 1; i < frames.size(); ++i)
        require(frames[i].pc.value() <= code_end);
    require(table.rows() <= (code_end >> UnwindTable::page_bits) << UnwindTable::page_bits);
    return 0;
}
