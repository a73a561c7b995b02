// SPDX-License-Identifier: GPL-2.0-or-later
// Fuzz target: registers, a stack and call frame information, all of any bytes. A walk ends, has at most so
// many frames, and all of them but the sampled one are code.
//
// Input: u8 machine, kind of section, and whether a linker's table is before it, u8 bytes of the stack / 8,
// u64 pc, u64 for each of 32 registers, the stack, a quarter of the rest as the linker's table, the section.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "daemon/unwind/frame_state.h"
#include "daemon/unwind/function_entry.h"
#include "daemon/unwind/return_path.h"
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
    Code(UnwindTable& table, FrameIndex& index, const FrameSection& section, const UnwindMachine& machine,
         std::span<const std::byte> bytes)
        : table_(table), index_(index), section_(section), machine_(machine), bytes_(bytes) {}
    CodePlace find(RuntimeAddress address) override {
        if (address.value() >= code_end) return {};
        const LinkAddress linked{address.value()};
        CfiReader reader(section_, machine_);
        if (!table_.has_page(linked)) try {
                require(table_.build_page(linked, index_, reader) <= CfiReader::most_work);
            } catch (const Error&) {
                return {true, {}};  // the linker's table is shorter than its count
            }
        return {true, table_.find(linked), false, address.value() % 2 == 0};
    }
    UnwindRule read_code(RuntimeAddress address) override {
        const size_t at = address.value() % (bytes_.size() + 1);
        const UnwindRule rule = rule_by_return_path(bytes_, at);
        return rule.cfa != CfaFrom::no_info ? rule : rule_without_frame(bytes_, at);
    }
    UnwindRule find_by_entry(RuntimeAddress address) override {
        const size_t at = address.value() % (bytes_.size() + 1);
        const FoundEntry found = last_entry(bytes_, at);
        require(found.at <= at);
        return found.entry.rule(at - found.at);
    }
    bool is_after_no_call(RuntimeAddress address) override {
        return is_pushed_target(bytes_.subspan(address.value() % (bytes_.size() + 1)));
    }

private:
    UnwindTable& table_;
    FrameIndex& index_;
    const FrameSection& section_;
    const UnwindMachine& machine_;
    std::span<const std::byte> bytes_;
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
    const UnwindMachine& machine = data[0] & 8 ? unwind_ppc64 : data[0] & 1 ? unwind_aarch64 : unwind_x86_64;
    const size_t stack_size = std::min<size_t>(size_t{data[1]} * 8, size - head);
    const auto* const rest = reinterpret_cast<const std::byte*>(data + head);
    const UserRegisters registers = registers_from(data + 2);
    const std::span bytes(rest + stack_size, size - head - stack_size);
    const size_t pairs = (data[0] & 4) != 0 ? bytes.size() / 32 : 0;
    const FrameSection section{FrameBytes(bytes.subspan(8 * pairs)), {section_at}, (data[0] & 2) != 0};
    const FdeList list = list_entries(section, machine);
    FrameIndex index(list.entries, list.is_whole);
    if (pairs != 0)
        index = FrameIndex({0, pairs + 1, {0}}, FrameBytes(bytes.first(8 * pairs)), section.address);
    UnwindTable table;
    Code code(table, index, section, machine, bytes);
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
