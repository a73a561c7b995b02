// SPDX-License-Identifier: GPL-2.0-or-later
// Places by process and address, remembered.
#include "daemon/collect/stack_walker.h"

#include "daemon/collect/host_machine.h"

namespace op::collect {

/// Remembers places by address and what distinguishes address spaces and their states.
class StackWalker::Finder : public CodeFinder {
public:
    Finder(StackWalker& walker, uint32_t space, uint32_t generation)
        : walker_(walker), space_(space), generation_(generation) {}

    CodePlace find(RuntimeAddress address) override {
        const uint64_t hash = (address.value() ^ uint64_t{space_} << 40) * 0x9e3779b97f4a7c15;
        CachedPlace& cached = walker_.cache_[hash >> 32 & (cached_places - 1)];
        if (cached.address == address.value() && cached.space == space_ && cached.generation == generation_)
            return cached.place;
        cached = {address.value(), space_, generation_, look_up(address)};
        return cached.place;
    }

protected:
    CodePlace place_in(const Region& region, uint32_t tgid, RuntimeAddress address) {
        return {true, walker_.tables_.find(region, tgid, region.offset(address).value())};
    }

private:
    virtual CodePlace look_up(RuntimeAddress address) = 0;

    StackWalker& walker_;
    uint32_t space_, generation_;
};

class StackWalker::TableFinder final : public Finder {
public:
    TableFinder(StackWalker& walker, uint32_t tgid)
        : Finder(walker, tgid, walker.table_.generation(tgid)), table_(walker.table_), tgid_(tgid) {}

private:
    CodePlace look_up(RuntimeAddress address) override {
        const Region* const region = table_.find_user(tgid_, address);
        return region ? place_in(*region, tgid_, address) : CodePlace{};
    }

    const ProcessTable& table_;
    uint32_t tgid_;
};

class StackWalker::MapsFinder final : public Finder {
public:
    MapsFinder(StackWalker& walker, const ProcessMaps& maps)
        : Finder(walker, maps.number(), of_driver), maps_(maps) {}

private:
    /// A generation that no table of processes reaches.
    static constexpr uint32_t of_driver = UINT32_MAX;

    CodePlace look_up(RuntimeAddress address) override {
        const ProcessMaps::Part* const part = maps_.find(address);
        return part ? place_in(part->region, maps_.tgid(), address) : CodePlace{};
    }

    const ProcessMaps& maps_;
};

StackWalker::StackWalker(const ProcessTable& table)
    : table_(table), unwinder_(host_machine), cache_(cached_places) {}

StackEnd StackWalker::walk(const Sample& sample, std::vector<uint64_t>& chain) {
    const UserStack& stack = *sample.user_stack;
    chain.assign(sample.chain.begin(), sample.chain.end());
    if (stack.is_kernel_thread && sample.mode == CpuMode::kernel) return StackEnd::root;
    TableFinder finder(*this, sample.tgid);
    const StackEnd end = follow(stack, finder);
    if (end != StackEnd::no_registers) sizer_.note(end, stack.requested, read_);
    for (size_t i = sample.mode == CpuMode::user ? 1 : 0; i < frames_.size(); ++i)
        chain.push_back(frames_[i].pc.value() + (frames_[i].is_exact ? 1 : 0));
    return end;
}

StackEnd StackWalker::walk(const PlacedSample& sample, const ProcessMaps* maps, std::vector<Place>& chain) {
    chain.assign(sample.chain.begin(), sample.chain.end());
    if (!maps) return StackEnd::not_copied;  // nor are its mappings there any more
    MapsFinder finder(*this, *maps);
    const StackEnd end = follow(*sample.user_stack, finder);
    for (size_t i = sample.mode == CpuMode::user ? 1 : 0; i < frames_.size(); ++i) {
        const WalkedFrame& frame = frames_[i];
        const ProcessMaps::Part* const part = maps->find(frame.pc);
        if (!part) return StackEnd::no_mapping;
        chain.push_back({part->region.offset(frame.pc).value() + (frame.is_exact ? 1 : 0), part->cookie});
    }
    return end;
}

/// Fills frames_ by the user's frames and sets read_.
StackEnd StackWalker::follow(const UserStack& stack, CodeFinder& finder) {
    frames_.clear();
    const bool is_32_bit = stack.is_32_bit && !host_machine.has_link_register;
    if (!stack.has_registers && !is_32_bit) return StackEnd::no_registers;
    const uint64_t sp = stack.registers.by_number[host_machine.stack_pointer];
    const StackMemory memory(stack.bytes, sp, stack.requested, stack.is_whole);
    const StackEnd end = is_32_bit ? unwinder_.walk_32_bit(stack.registers, memory, finder, frames_)
                                   : unwinder_.walk(stack.registers, memory, finder, frames_);
    read_ = memory.read();
    return end;
}

}  // namespace op::collect
