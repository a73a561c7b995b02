// SPDX-License-Identifier: GPL-2.0-or-later
// The table of derived events. Fields have the names of AMD64 APM 2, "Instruction-Based Sampling"; their bits
// are from Linux, arch/x86/include/asm/amd-ibs.h. The meaning of an event follows its name; for events of
// operations and of the northbridge it was not checked against a document or on a processor. A sample counts
// for its cycles if the event is a latency.
#include "daemon/source/ibs_decode.h"

#include <algorithm>

#include "libop/base/bytes.h"
#include "libop/base/error.h"

namespace op::collect {
namespace {

using R = IbsRegisters;

constexpr uint64_t bit(unsigned n) {
    return uint64_t{1} << n;
}

// IC_IBS_CTL. The page's size is that of a translation; 0 = 4 KiB, 1 = 2 MiB, 2 = 1 GiB.
constexpr uint64_t completed = bit(50);                               // IbsFetchComp
constexpr uint64_t cache_missed = bit(51);                            // IbsIcMiss
constexpr uint64_t translated = bit(52);                              // IbsPhyAddrValid
constexpr uint64_t page_size_0 = bit(53), page_size_1 = bit(54);      // IbsL1TlbPgSz
constexpr uint64_t itlb_1_missed = bit(55), itlb_2_missed = bit(56);  // IbsL1TlbMiss, IbsL2TlbMiss
/// A fetch that is killed came neither to the TLB nor to the cache, and leaves none of these.
constexpr uint64_t traces = cache_missed | translated | itlb_1_missed | itlb_2_missed;
constexpr unsigned fetch_latency = 32;  // IbsFetchLat

// IBS_OP_DATA. What is said of a branch holds of one that retired.
constexpr unsigned completed_to_retired = 0, tagged_to_retired = 16;  // IbsCompToRetCtr, IbsTagToRetCtr
constexpr uint64_t resync = bit(32);                                  // IbsOpBrnResync, families 10h to 15h
constexpr uint64_t branch = bit(37);                                  // IbsOpBrnRet
constexpr uint64_t returns = branch | bit(34);                        // IbsOpReturn
constexpr uint64_t taken = branch | bit(35);                          // IbsOpBrnTaken
constexpr uint64_t mispredicted = branch | bit(36);                   // IbsOpBrnMisp

// IBS_OP_DATA3.
constexpr uint64_t load = bit(0), store = bit(1), access = load | store;  // IbsLdOp, IbsStOp
constexpr uint64_t dtlb_1_missed = bit(2), dtlb_2_missed = bit(3);        // IbsDcL1tlbMiss, IbsDcL2tlbMiss
constexpr uint64_t dtlb_1_2m = bit(4), dtlb_1_1g = bit(5);                // IbsDcL1tlbHit2M, ...1G
constexpr uint64_t dtlb_2_2m = bit(6), dtlb_2_1g = bit(19);               // IbsDcL2tlbHit2M, ...1G
constexpr uint64_t data_missed = bit(7);                                  // IbsDcMiss
constexpr uint64_t misaligned = bit(8);                                   // IbsDcMisAcc
constexpr uint64_t load_conflict = bit(9), store_conflict = bit(10);      // IbsDcLdBnkCon, IbsDcStBnkCon
constexpr uint64_t forwarded = bit(11), cancelled = bit(12);              // IbsDcStToLdFwd, ...Can
constexpr uint64_t write_combining = bit(13), uncached = bit(14),
                   locked = bit(15);           // IbsDcWcMemAcc, Uc, LockedOp
constexpr uint64_t line_on_its_way = bit(16);  // IbsDcMabHit
/// IbsDcLinAddrValid: without an address nothing was looked up.
constexpr uint64_t looked_up = bit(17);
constexpr unsigned miss_latency = 32;  // IbsDcMissLat, of loads

// IBS_OP_DATA2 of families 10h to 15h: the northbridge's data on a load that missed the data cache. Zen 4 has
// further bits of the source with other meanings; its type lists no such events.
constexpr uint64_t source =
    bit(0) | bit(1) | bit(2);  // NbIbsReqSrc: 1 level 3, 2 other core, 3 DRAM, 7 other
constexpr uint64_t level_3 = bit(0), other_core = bit(1), dram = bit(0) | bit(1), device = source;
constexpr uint64_t remote = bit(4);  // NbIbsReqDstProc
constexpr uint64_t owned = bit(5);   // NbIbsReqCacheHitSt, of another core's data; else modified

// In the order of code. Names are those of the event files without IBS_FETCH_, IBS_OP_ and NB_.
constexpr IbsEvent events[] = {
    /* ALL */ {0xf000, &R::fetch},
    /* KILLED */ {0xf001, &R::fetch, 0, completed | traces},
    /* ATTEMPTED */ {0xf002, &R::fetch, 0, 0, completed | traces},
    /* COMPLETED */ {0xf003, &R::fetch, completed},
    /* ABORTED */ {0xf004, &R::fetch, 0, completed, traces},
    /* ITLB_HITS */ {0xf005, &R::fetch, translated, itlb_1_missed},
    /* L1_ITLB_MISSES_L2_ITLB_HITS */ {0xf006, &R::fetch, itlb_1_missed, itlb_2_missed},
    /* L1_ITLB_MISSES_L2_ITLB_MISSES */ {0xf007, &R::fetch, itlb_1_missed | itlb_2_missed},
    /* ICACHE_MISSES */ {0xf008, &R::fetch, cache_missed},
    /* ICACHE_HITS */ {0xf009, &R::fetch, completed, cache_missed},
    /* 4K_PAGE */ {0xf00a, &R::fetch, translated, page_size_0 | page_size_1},
    /* 2M_PAGE */ {0xf00b, &R::fetch, translated | page_size_0, page_size_1},
    /* LATENCY */ {0xf00e, &R::fetch, 0, 0, completed | traces, {&R::fetch, fetch_latency}},

    /* ALL */ {0xf100, &R::data},
    /* TAG_TO_RETIRE */ {0xf101, &R::data, 0, 0, 0, {&R::data, tagged_to_retired}},
    /* COMP_TO_RET */ {0xf102, &R::data, 0, 0, 0, {&R::data, completed_to_retired}},
    /* BRANCH_RETIRED */ {0xf103, &R::data, branch},
    /* MISPREDICTED_BRANCH */ {0xf104, &R::data, mispredicted},
    /* TAKEN_BRANCH */ {0xf105, &R::data, taken},
    /* MISPREDICTED_BRANCH_TAKEN */ {0xf106, &R::data, mispredicted | taken},
    /* RETURNS */ {0xf107, &R::data, returns},
    /* MISPREDICTED_RETURNS */ {0xf108, &R::data, mispredicted | returns},
    /* RESYNC */ {0xf109, &R::data, resync},

    /* ALL_LOAD_STORE */ {0xf200, &R::data3, 0, 0, access},
    /* LOAD */ {0xf201, &R::data3, load},
    /* STORE */ {0xf202, &R::data3, store},
    /* L1_DTLB_HITS */ {0xf203, &R::data3, looked_up, dtlb_1_missed, access},
    /* L1_DTLB_MISS_L2_DTLB_HIT */ {0xf204, &R::data3, dtlb_1_missed, dtlb_2_missed, access},
    /* L1_L2_DTLB_MISS */ {0xf205, &R::data3, dtlb_1_missed | dtlb_2_missed, 0, access},
    /* DATA_CACHE_MISS */ {0xf206, &R::data3, data_missed, 0, access},
    /* DATA_HITS */ {0xf207, &R::data3, 0, data_missed, access},
    /* MISALIGNED_DATA_ACC */ {0xf208, &R::data3, misaligned, 0, access},
    /* BANK_CONF_LOAD */ {0xf209, &R::data3, load_conflict, 0, access},
    /* BANK_CONF_STORE */ {0xf20a, &R::data3, store_conflict, 0, access},
    /* FORWARD */ {0xf20b, &R::data3, forwarded, 0, access},
    /* CANCELLED */ {0xf20c, &R::data3, cancelled, 0, access},
    /* DCUC_MEM_ACC */ {0xf20d, &R::data3, uncached, 0, access},
    /* DCWC_MEM_ACC */ {0xf20e, &R::data3, write_combining, 0, access},
    /* LOCKED */ {0xf20f, &R::data3, locked, 0, access},
    /* MAB_HIT */ {0xf210, &R::data3, line_on_its_way, 0, access},
    /* L1_DTLB_4K */ {0xf211, &R::data3, looked_up, dtlb_1_missed | dtlb_1_2m | dtlb_1_1g, access},
    /* L1_DTLB_2M */ {0xf212, &R::data3, looked_up | dtlb_1_2m, dtlb_1_missed, access},
    /* L1_DTLB_1G */ {0xf213, &R::data3, looked_up | dtlb_1_1g, dtlb_1_missed, access},
    /* L2_DTLB_4K */ {0xf215, &R::data3, dtlb_1_missed, dtlb_2_missed | dtlb_2_2m | dtlb_2_1g, access},
    /* L2_DTLB_2M */ {0xf216, &R::data3, dtlb_1_missed | dtlb_2_2m, dtlb_2_missed, access},
    /* L2_DTLB_1G */ {0xf217, &R::data3, dtlb_1_missed | dtlb_2_1g, dtlb_2_missed, access},
    /* DC_LOAD_LAT */ {0xf219, &R::data3, load | data_missed, 0, 0, {&R::data3, miss_latency}},

    /* LOCAL_ONLY */ {0xf240, &R::data2, 0, remote, source},
    /* REMOTE_ONLY */ {0xf241, &R::data2, remote, 0, source},
    /* LOCAL_L3 */ {0xf242, &R::data2, level_3, remote | (source & ~level_3)},
    /* LOCAL_CACHE */ {0xf243, &R::data2, other_core, remote | (source & ~other_core)},
    /* REMOTE_CACHE */ {0xf244, &R::data2, remote | other_core, source & ~other_core},
    /* LOCAL_DRAM */ {0xf245, &R::data2, dram, remote | (source & ~dram)},
    /* REMOTE_DRAM */ {0xf246, &R::data2, remote | dram, source & ~dram},
    /* LOCAL_OTHER */ {0xf247, &R::data2, device, remote},
    /* REMOTE_OTHER */ {0xf248, &R::data2, remote | device},
    /* CACHE_MODIFIED */ {0xf249, &R::data2, other_core, owned | (source & ~other_core)},
    /* CACHE_OWNED */ {0xf24a, &R::data2, other_core | owned, source & ~other_core},
    /* LOCAL_CACHE_LAT */ {0xf24b, &R::data2, 0, remote, source, {&R::data3, miss_latency}},
    /* REMOTE_CACHE_LAT */ {0xf24c, &R::data2, remote, 0, source, {&R::data3, miss_latency}},
};

}  // namespace

// Fetch: control, linear and physical address. Op: control, RIP, data, data 2, data 3, then addresses.
std::optional<IbsRegisters> parse_ibs_sample(Sampler sampler, std::span<const std::byte> raw) noexcept try {
    ByteReader in(raw, "IBS sample");
    in.skip(sizeof(uint32_t));  // capabilities: CPUID Fn8000_001B EAX
    IbsRegisters r;
    if (sampler == Sampler::ibs_fetch) {
        r.fetch = in.get<uint64_t>();
        return r;
    }
    in.skip(2 * sizeof(uint64_t));
    r.data = in.get<uint64_t>();
    r.data2 = in.get<uint64_t>();
    r.data3 = in.get<uint64_t>();
    return r;
} catch (const Error&) {
    return std::nullopt;
}

uint32_t IbsEvent::weight(const IbsRegisters& sample) const noexcept {
    const uint64_t value = sample.*where;
    if ((value & set) != set || (value & clear) != 0 || (any != 0 && (value & any) == 0)) return 0;
    constexpr uint64_t load_missed = load | data_missed;
    if (where == &R::data2 && (sample.data3 & load_missed) != load_missed) return 0;
    return cycles.where ? sample.*cycles.where >> cycles.shift & 0xffff : 1;
}

const IbsEvent* find_ibs_event(Sampler sampler, uint32_t code) noexcept {
    const auto event = std::ranges::find(events, code, &IbsEvent::code);
    if (event == std::end(events)) return nullptr;
    const auto wanted = event->where == &R::fetch ? Sampler::ibs_fetch : Sampler::ibs_op;
    return sampler == wanted ? event : nullptr;
}

}  // namespace op::collect
