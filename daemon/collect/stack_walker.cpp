// SPDX-License-Identifier: GPL-2.0-or-later
// Places by process and address, remembered.
#include "daemon/collect/stack_walker.h"

#include <algorithm>
#include <utility>

#include "daemon/collect/host_machine.h"

namespace op::collect {

/// Functions without it exist; that none of them is asked about saves time for all return addresses.
constexpr uint64_t function_alignment = 16;

/// Remembers places by address and what distinguishes address spaces and their states.
class StackWalker::Finder : public CodeFinder {
public:
    Finder(StackWalker& walker, uint32_t tgid, uint32_t space, uint32_t generation)
        : walker_(walker), tgid_(tgid), space_(space), generation_(generation) {}

    CodePlace find(RuntimeAddress address) override {
        const uint64_t hash = (address.value() ^ uint64_t{space_} << 40) * 0x9e3779b97f4a7c15;
        CachedPlace& cached = walker_.cache_[hash >> 32 & (cached_places - 1)];
        if (cached.address == address.value() && cached.space == space_ && cached.generation == generation_)
            return cached.place;
        const Region* const region = region_of(address);
        if (!region) return {};
        const auto [place, is_final] = look_up(*region, address);
        if (is_final) cached = {address.value(), space_, generation_, place};
        return place;
    }

    UnwindRule find_register(RuntimeAddress address, uint8_t number) override {
        const Region* const region = region_of(address);
        if (!region) return {};
        return walker_.tables_.find_register(*region, tgid_, region->offset(address).value(), number);
    }
    UnwindRule read_code(RuntimeAddress address) override {
        const Region* const region = region_of(address);
        if (!region) return {};
        const uint64_t offset = region->offset(address).value();
        const UnwindRule rule = walker_.tables_.read_code(*region, tgid_, offset);
        if (rule.cfa != CfaFrom::no_info || region->kind != RegionKind::anon) return rule;
        return walker_.memory_.rule_without_frame(*region, tgid_, address);
    }
    UnwindRule find_by_entry(RuntimeAddress address) override {
        if (const UnwindRule* const known = walker_.memory_.known_by_entry(tgid_, address)) return *known;
        const Region* const region = region_of(address);
        if (!region) return {};
        return walker_.memory_.find_by_entry(start_of_code(*region, address), region->end, tgid_, address);
    }
    bool is_entered_by(RuntimeAddress returns_to, RuntimeAddress address) override {
        const Region* const region = region_of(returns_to - 1);
        return region && walker_.memory_.is_entered_by(*region, tgid_, returns_to, address);
    }
    bool is_after_no_call(RuntimeAddress address) override {
        const Region* const region = region_of(address - 1);
        return region && walker_.memory_.is_after_no_call(*region, tgid_, address);
    }

private:
    virtual const Region* region_of(RuntimeAddress address) const = 0;

    /// Of the regions without a gap up to the address, as far back as an entry is looked for: memory for code
    /// grows by mappings behind each other.
    RuntimeAddress start_of_code(const Region& region, RuntimeAddress address) const {
        RuntimeAddress start = region.start;
        while (address - start < CodeMemory::farthest_entry) {
            const Region* const before = region_of(start - 1);
            if (!before || before->kind != RegionKind::anon) break;
            start = before->start;
        }
        return start;
    }
    /// The place, and whether it may be remembered.
    std::pair<CodePlace, bool> look_up(const Region& region, RuntimeAddress address) {
        const uint64_t offset = region.offset(address).value();
        const FoundRule found = walker_.tables_.find(region, tgid_, offset);
        const RuntimeAddress next = address + 1;
        CodePlace place{true, found.rule, false, region.kind == RegionKind::anon};
        if (next.value() % function_alignment != 0 || next >= region.end) return {place, found.is_final};
        const FoundRule start = walker_.tables_.find_unreturned(region, tgid_, offset + 1);
        place.is_before_start = start.rule.cfa != CfaFrom::no_info;
        return {place, found.is_final && start.is_final};
    }

    StackWalker& walker_;
    uint32_t tgid_, space_, generation_;
};

class StackWalker::TableFinder final : public Finder {
public:
    TableFinder(StackWalker& walker, uint32_t tgid)
        : Finder(walker, tgid, tgid, walker.table_.generation(tgid)), table_(walker.table_), tgid_(tgid) {}

private:
    const Region* region_of(RuntimeAddress address) const override {
        return table_.find_user(tgid_, address);
    }

    const ProcessTable& table_;
    uint32_t tgid_;
};

class StackWalker::MapsFinder final : public Finder {
public:
    MapsFinder(StackWalker& walker, const ProcessMaps& maps)
        : Finder(walker, maps.tgid(), maps.number(), of_driver), maps_(maps) {}

private:
    /// A generation that no table of processes reaches.
    static constexpr uint32_t of_driver = UINT32_MAX;

    const Region* region_of(RuntimeAddress address) const override {
        const ProcessMaps::Part* const part = maps_.find(address);
        return part ? &part->region : nullptr;
    }

    const ProcessMaps& maps_;
};

StackWalker::StackWalker(const ProcessTable& table, bool images_are_local, const KernelRange* exec_code)
    : table_(table),
      unwinder_(host_machine),
      tables_(images_are_local),
      memory_(images_are_local),
      exec_code_(exec_code) {}

StackEnd StackWalker::walk(const Sample& sample, std::vector<uint64_t>& chain) {
    const UserStack& stack = *sample.user_stack;
    chain.assign(sample.chain.begin(), sample.chain.end());
    if (stack.is_kernel_thread && sample.mode == CpuMode::kernel) return StackEnd::root;
    if (is_being_started(sample) || is_being_replaced(sample)) return StackEnd::root;
    TableFinder finder(*this, sample.tgid);
    const StackEnd end = follow(stack, finder);
    if (end != StackEnd::no_registers) sizer_.note(end, stack.requested, missed_);
    for (size_t i = sample.mode == CpuMode::user ? 1 : 0; i < frames_.size(); ++i)
        chain.push_back(frames_[i].pc.value() + (frames_[i].is_exact ? 1 : 0));
    return end;
}

/// True while the kernel loads a program: the registers are still those of the one before, whose code and
/// stack are gone.
bool StackWalker::is_being_started(const Sample& sample) const {
    if (sample.mode != CpuMode::kernel || !sample.user_stack->has_registers) return false;
    const Process* const process = table_.find(sample.tgid);
    // Code that is mapped out of our sight, such as [vsyscall], has a stack.
    const bool is_new = process && (process->awaiting_executable ||
                                    (process->executable && sample.user_stack->bytes.empty()));
    return is_new && !table_.is_in_doubt(sample.tgid) &&
           !table_.find_user(sample.tgid, sample.user_stack->registers.pc);
}

/// True while the kernel frees the memory of the program that called exec, before it reports that: registers
/// and mappings are still those of that program, but its stack is gone.
bool StackWalker::is_being_replaced(const Sample& sample) const {
    if (!exec_code_ || sample.mode != CpuMode::kernel || !sample.user_stack->bytes.empty()) return false;
    const auto is_there = [this](uint64_t address) {
        return address - exec_code_->start < exec_code_->end - exec_code_->start;
    };
    const auto kernel_chain = sample.chain.first(std::min<size_t>(sample.kernel_frames, sample.chain.size()));
    return is_there(sample.pc.value()) ||
           std::ranges::any_of(kernel_chain, [&](uint64_t returns_to) { return is_there(returns_to - 1); });
}

StackEnd StackWalker::walk(const PlacedSample& sample, const ProcessMaps* maps, std::vector<Place>& chain) {
    chain.assign(sample.chain.begin(), sample.chain.end());
    if (!maps) return StackEnd::not_copied;  // nor are its mappings there any more
    MapsFinder finder(*this, *maps);
    const StackEnd end = follow(*sample.user_stack, finder);
    for (size_t i = sample.mode == CpuMode::user ? 1 : 0; i < frames_.size(); ++i) {
        const WalkedFrame& frame = frames_[i];
        const RuntimeAddress code = frame.is_exact ? frame.pc : frame.pc - 1;
        const ProcessMaps::Part* const part = maps->find(code);
        if (!part) return StackEnd::no_mapping;
        chain.push_back({part->region.offset(code).value() + 1, part->cookie});
    }
    return end;
}

/// Fills frames_ by the user's frames and sets missed_.
StackEnd StackWalker::follow(const UserStack& stack, CodeFinder& finder) {
    frames_.clear();
    memory_.begin_stack();
    if (cache_.empty()) cache_.resize(cached_places);
    const bool is_32_bit = stack.is_32_bit && !host_machine.has_link_register;
    if (!stack.has_registers && !is_32_bit) return StackEnd::no_registers;
    const uint64_t sp = stack.registers.by_number[host_machine.stack_pointer];
    const StackMemory memory(stack.bytes, sp, stack.requested, stack.is_whole);
    const StackEnd end = is_32_bit ? unwinder_.walk_32_bit(stack.registers, memory, finder, frames_)
                                   : unwinder_.walk(stack.registers, memory, finder, frames_);
    missed_ = memory.missed();
    return end;
}

}  // namespace op::collect
