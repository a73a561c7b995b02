// SPDX-License-Identifier: GPL-2.0-or-later
// Places by process and address, remembered.
#include "daemon/collect/stack_walker.h"

#include "daemon/collect/host_machine.h"

namespace op::collect {

class StackWalker::Finder final : public CodeFinder {
public:
    Finder(StackWalker& walker, uint32_t tgid)
        : walker_(walker), tgid_(tgid), generation_(walker.table_.generation(tgid)) {}

    CodePlace find(RuntimeAddress address) override {
        const uint64_t hash = (address.value() ^ uint64_t{tgid_} << 40) * 0x9e3779b97f4a7c15;
        CachedPlace& cached = walker_.cache_[hash >> 32 & (cached_places - 1)];
        if (cached.address == address.value() && cached.tgid == tgid_ && cached.generation == generation_)
            return cached.place;
        cached = {address.value(), tgid_, generation_, look_up(address)};
        return cached.place;
    }

private:
    CodePlace look_up(RuntimeAddress address) {
        const Region* const region = walker_.table_.find_user(tgid_, address);
        if (!region) return {};
        return {true, walker_.tables_.find(*region, tgid_, region->offset(address).value())};
    }

    StackWalker& walker_;
    uint32_t tgid_, generation_;
};

StackWalker::StackWalker(const ProcessTable& table)
    : table_(table), unwinder_(host_machine), cache_(cached_places) {}

StackEnd StackWalker::walk(const Sample& sample, std::vector<uint64_t>& chain) {
    const UserStack& stack = *sample.user_stack;
    chain.assign(sample.chain.begin(), sample.chain.end());
    if (stack.is_kernel_thread && sample.mode == CpuMode::kernel) return StackEnd::root;
    const bool is_32_bit = stack.is_32_bit && !host_machine.has_link_register;
    if (!stack.has_registers && !is_32_bit) return StackEnd::no_registers;
    Finder finder(*this, sample.tgid);
    const uint64_t sp = stack.registers.by_number[host_machine.stack_pointer];
    const StackMemory memory(stack.bytes, sp, stack.requested);
    const StackEnd end = is_32_bit ? unwinder_.walk_32_bit(stack.registers, memory, finder, frames_)
                                   : unwinder_.walk(stack.registers, memory, finder, frames_);
    sizer_.note(end);
    for (size_t i = sample.mode == CpuMode::user ? 1 : 0; i < frames_.size(); ++i)
        chain.push_back(frames_[i].pc.value() + (frames_[i].is_exact ? 1 : 0));
    return end;
}

}  // namespace op::collect
