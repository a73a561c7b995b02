// SPDX-License-Identifier: GPL-2.0-or-later
// As much of the kernel as kernel/op_guard.c uses, in user space: two CPUs, a clock that a test sets, and
// timers that it fires.
#pragma once

#include <linux/types.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

// NOLINTBEGIN: the kernel's names.
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;
using ktime_t = s64;

#define NSEC_PER_USEC 1000L
#define NSEC_PER_MSEC 1000000L
#define NSEC_PER_SEC 1000000000L
#define BIT(n) (1UL << (n))
#define BIT_ULL(n) (1ULL << (n))
#define min_t(type, a, b) std::min<type>((a), (b))
#define max_t(type, a, b) std::max<type>((a), (b))
#define clamp_t(type, x, low, high) std::clamp<type>((x), (low), (high))
#define READ_ONCE(x) (x)
#define smp_load_acquire(at) (*(at))

struct mutex {};
struct wait_queue_head_t {};

/// The simulated machine.
struct KernelDouble {
    static constexpr unsigned cpus = 2;
    static inline unsigned cpu = 0;  ///< the one that runs
    static inline u64 now = 0;       ///< its clock, ns
};

inline u64 ktime_get_mono_fast_ns() {
    return KernelDouble::now;
}
inline ktime_t ktime_get() {
    return static_cast<ktime_t>(KernelDouble::now);
}
inline ktime_t ns_to_ktime(u64 ns) {
    return static_cast<ktime_t>(ns);
}
inline s64 ktime_to_ns(ktime_t time) {
    return time;
}
inline ktime_t ktime_add_ns(ktime_t time, u64 ns) {
    return time + static_cast<ktime_t>(ns);
}

#define DECLARE_PER_CPU(type, name) extern type name[KernelDouble::cpus]
#define DEFINE_PER_CPU(type, name) type name[KernelDouble::cpus]
#define per_cpu(name, cpu) ((name)[cpu])
#define this_cpu_ptr(at) (&(*(at))[KernelDouble::cpu])
#define for_each_possible_cpu(i) for ((i) = 0; (i) < KernelDouble::cpus; (i)++)
inline unsigned smp_processor_id() {
    return KernelDouble::cpu;
}

struct atomic64_t {
    s64 value;
};
inline void atomic64_add(u64 n, atomic64_t* to) {
    to->value += static_cast<s64>(n);
}
inline void atomic64_inc(atomic64_t* to) {
    to->value++;
}
inline u64 atomic64_xchg(atomic64_t* at, s64 value) {
    return static_cast<u64>(std::exchange(at->value, value));
}
inline u64 atomic64_read(const atomic64_t* of) {
    return static_cast<u64>(of->value);
}

struct pt_regs {
    unsigned long word[4];
};

struct hrtimer {
    ktime_t expires;
};

inline ktime_t hrtimer_get_expires(const hrtimer* timer) {
    return timer->expires;
}

/// As the kernel's: moves the expiry by periods until it is after `now`, and returns how many these were.
inline u64 hrtimer_forward(hrtimer* timer, ktime_t now, ktime_t period) {
    if (now < timer->expires) return 0;
    const auto periods = (now - timer->expires) / period + 1;
    timer->expires += periods * period;
    return static_cast<u64>(periods);
}
// NOLINTEND
