// SPDX-License-Identifier: GPL-2.0-or-later
// The registers in a sample of AMD's instruction-based sampling (IBS), and the derived events that it
// matches. Knows nothing of addresses and processes: those are in the perf record around it.
//
// The bytes are what the kernel's PMUs ibs_fetch and ibs_op give as PERF_SAMPLE_RAW (perf_event_open(2)): u32
// capabilities, then registers of 64 bits. Bits of registers: AMD's BIOS and Kernel Developer's Guides,
// families 10h (31116) to 16h, and Processor Programming References, families 17h to 1Ah, MSRC001_1030 to
// MSRC001_103A. Bits of which these differ are used only for events that the types of their families list
// (events/x86-64).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "libop/events/event_encoding.h"

namespace op::collect {

/// The registers that events are derived from; those of the other sampler are 0.
struct IbsRegisters {
    uint64_t fetch = 0;  ///< MSRC001_1030 IC_IBS_CTL
    uint64_t data = 0;   ///< MSRC001_1035 IBS_OP_DATA
    uint64_t data2 = 0;  ///< MSRC001_1036 IBS_OP_DATA2
    uint64_t data3 = 0;  ///< MSRC001_1037 IBS_OP_DATA3
};

/// Bytes of a sample that parse_ibs_sample() needs.
constexpr uint32_t ibs_sample_size(Sampler sampler) noexcept {
    return sampler == Sampler::ibs_fetch ? 4 + 8 : 4 + 5 * 8;
}

/// Reads a sample's raw bytes; registers after those that are needed may follow. None if they are cut off.
std::optional<IbsRegisters> parse_ibs_sample(Sampler sampler, std::span<const std::byte> raw) noexcept;

/// A derived event: a pattern of bits in a register, and what a sample that has it counts for.
struct IbsEvent {
    using Register = uint64_t IbsRegisters::*;

    uint32_t code;  ///< of events/x86-64/ibs and ibs-family10h
    Register where;
    uint64_t set = 0;    ///< all of these bits are 1
    uint64_t clear = 0;  ///< all of these are 0
    uint64_t any = 0;    ///< if there are any, one of these is 1
    struct {
        Register where = nullptr;
        unsigned shift = 0;
    } cycles = {};  ///< 16 bits that it counts for; none = for 1

    /// The number of samples of the event that a sample counts for; 0 = it does not match.
    uint32_t weight(const IbsRegisters& sample) const noexcept;
};

/// The event of that code; null if it is not derived from the sampler's samples.
const IbsEvent* find_ibs_event(Sampler sampler, uint32_t code) noexcept;

}  // namespace op::collect
