// SPDX-License-Identifier: GPL-2.0-or-later
// The driver's guard against too many samples (doc/adr/0017-the-budget-of-handlers.md), under a simulated
// clock.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "tests/unit/kernel/double.h"

// The driver's file itself, as C++.
#include "kernel/op_guard.c"

struct op_counter op_counters[OP_MAX_COUNTERS];
struct op_pmu_model* op_model;
struct op_stats op_stats[KernelDouble::cpus];

namespace {

constexpr u64 us = 1000;
constexpr u64 ms = 1000 * us;
constexpr u64 second = 1000 * ms;
constexpr u64 hour = 3600 * second;
constexpr double overhead = 5e3;  ///< ns that each handler pays besides its own time

/// The throttle records in the ring.
struct Records {
    std::vector<unsigned> begun, ended;  ///< counters
    bool full = false;
};
Records records;

}  // namespace

bool op_put_throttle(unsigned int counter, bool on) {
    if (!records.full) (on ? records.begun : records.ended).push_back(counter);
    return !records.full;
}

namespace {

/// What a handler takes (ns), by its number.
using Cost = std::function<u64(u64)>;

Cost always(u64 took) {
    return [took](u64) { return took; };
}

/// Every nth handler is slow.
Cost one_in(u64 n, u64 slow, u64 took) {
    return [=](u64 i) { return i % n == n - 1 ? slow : took; };
}

struct Outcome {
    u64 samples = 0;
    u64 busy = 0;       ///< ns in handlers
    u64 lasted = 0;     ///< ns
    u64 longest = 0;    ///< ns from the end of a handler to the next
    u64 throttled = 0;  ///< periods, as counted
    u64 overruns = 0;   ///< periods, as counted
    /// Of the CPU's time, handlers alone, and with what they are thought to cost outside.
    double share() const { return static_cast<double>(busy) / static_cast<double>(lasted); }
    double full_share() const {
        return share() + static_cast<double>(samples) * overhead / static_cast<double>(lasted);
    }
};

class Guard : public testing::Test {
protected:
    Guard() {
        KernelDouble::cpu = 0;
        KernelDouble::now = hour;
        entry = 0;
        std::memset(op_counters, 0, sizeof op_counters);
        std::memset(op_stats, 0, sizeof op_stats);
        op_model = &model_;
        records = {};
        op_reset_guards();
    }

    /// A handler that takes so long, without its end; returns when it began.
    static u64 handle(u64 took) {
        const auto began = op_handler_begin();
        op_report_guard();
        KernelDouble::now += took;
        return began;
    }

    /// A timer fires on the CPU, for so long.
    static Outcome run_timer(u64 period, u64 lasts, const Cost& cost) {
        hrtimer timer{static_cast<ktime_t>(KernelDouble::now + period)};
        return run(
            lasts, cost, [&] { return static_cast<u64>(timer.expires); },
            [&](u64 began) { op_next_expiry(&timer, began, period); });
    }

    /// As op_next_count(), with registers that no handler has found before.
    static u64 next_count(unsigned counter, u64 began, u64 most) {
        pt_regs regs{};
        regs.word[0] = ++found;
        return op_next_count(&regs, counter, began, most);
    }

    /// A counter overflows, whose configured count of 1000 takes `period` ns while no handler runs.
    static Outcome run_counter(u64 period, u64 lasts, const Cost& cost) {
        op_counters[0].count = 1000;
        u64 overflow = KernelDouble::now + period, chosen = 1000;
        return run(
            lasts, cost, [&] { return overflow; },
            [&](u64 began) {
                const auto before = std::exchange(chosen, next_count(0, began, 1000 << 20));
                overflow = KernelDouble::now + (op_model->late_count ? before : chosen) * period / 1000;
            });
    }

    static inline u64 entry = 0;            ///< ns from an interrupt to its handler
    static inline unsigned long found = 0;  ///< by handlers

    static u64 stat(enum op_stat which) { return ::op_stat_total(KernelDouble::cpu, which); }

    op_pmu_model model_{};

private:
    static Outcome run(u64 lasts, const Cost& cost, const std::function<u64()>& next,
                       const std::function<void(u64)>& end) {
        Outcome outcome;
        outcome.throttled -= stat(OP_STAT_THROTTLED);
        outcome.overruns -= stat(OP_STAT_OVERRUN);
        const auto starts = KernelDouble::now;
        while (next() < starts + lasts) {
            const auto waits = std::max(next(), KernelDouble::now) - KernelDouble::now;
            KernelDouble::now += waits + entry;
            outcome.longest = std::max(outcome.longest, waits);
            const auto took = cost(outcome.samples++);
            outcome.busy += entry + took;
            end(handle(took));
        }
        KernelDouble::now = std::max(KernelDouble::now, starts + lasts);
        outcome.lasted = KernelDouble::now - starts;
        outcome.throttled += stat(OP_STAT_THROTTLED);
        outcome.overruns += stat(OP_STAT_OVERRUN);
        return outcome;
    }
};

TEST_F(Guard, leaves_samples_within_the_budget_alone) {
    const auto outcome = run_timer(ms, 60 * second, always(200 * us));
    EXPECT_EQ(outcome.samples, 59999u);
    EXPECT_EQ(outcome.throttled + outcome.overruns, 0u);
    EXPECT_TRUE(records.begun.empty());
}

TEST_F(Guard, handlers_of_300_us_at_1_ms_use_a_quarter_of_the_time) {
    const auto outcome = run_timer(ms, 60 * second, always(300 * us));
    EXPECT_GE(outcome.samples, 48000u);
    EXPECT_LE(outcome.full_share(), 0.251);
    EXPECT_EQ(outcome.samples + outcome.throttled + outcome.overruns, 59999u);
    EXPECT_EQ(records.begun.size(), 1u);
    EXPECT_TRUE(records.ended.empty());
}

TEST_F(Guard, recovers_from_twelve_slow_handlers_in_a_quarter_of_a_second) {
    const auto outcome = run_timer(ms, 20 * second, [](u64 i) { return i < 12 ? 5 * ms : 5 * us; });
    EXPECT_GE(outcome.samples, 19750u);
}

TEST_F(Guard, lets_go_when_handlers_become_cheap) {
    const auto dear = run_timer(100 * us, 10 * second, always(70 * us));
    EXPECT_LE(dear.full_share(), 0.251);
    EXPECT_GE(dear.samples, 33000u);
    const auto cheap = run_timer(100 * us, 10 * second, always(5 * us));
    EXPECT_GE(cheap.samples, 99990u);
    EXPECT_EQ(records.begun, std::vector<unsigned>{0});
    EXPECT_EQ(records.ended, std::vector<unsigned>{0});
}

TEST_F(Guard, does_not_hold_back_a_machine_whose_cpu_is_taken_away_now_and_then) {
    for (const auto& each :
         {one_in(50, 10 * ms, 5 * us), one_in(200, 24 * ms, 5 * us), one_in(1000, 100 * ms, 5 * us)}) {
        const auto outcome = run_timer(ms, 60 * second, each);
        EXPECT_LE(outcome.throttled, outcome.samples / 10);
        EXPECT_LE(outcome.longest, 101 * ms);
    }
    EXPECT_EQ(run_timer(ms, 60 * second, one_in(50, 10 * ms, 5 * us)).throttled, 0u);
}

TEST_F(Guard, slow_handlers_in_a_row_use_a_quarter_of_the_time) {
    for (const u64 took : {1 * ms, 5 * ms, 20 * ms, 33 * ms})
        EXPECT_LE(run_timer(100 * us, 60 * second, always(took)).full_share(), 0.253) << took;
}

TEST_F(Guard, slow_handlers_among_others_use_three_eighths_at_most) {
    for (const u64 slow : {600 * us, 5 * ms, 20 * ms})
        for (const u64 n : {2, 3, 10})
            EXPECT_LE(run_timer(100 * us, 60 * second, one_in(n, slow, 5 * us)).full_share(), 0.38)
                << slow << ' ' << n;
}

TEST_F(Guard, uses_its_budget_whatever_short_period_is_wanted) {
    const auto outcome = run_timer(us, 5 * second, always(2 * us));
    EXPECT_LE(outcome.full_share(), 0.251);
    EXPECT_GE(outcome.full_share(), 0.24);
    EXPECT_LE(outcome.longest, 50 * us);
}

TEST_F(Guard, rests_for_a_tenth_of_a_second_at_most) {
    for (const u64 took : {40 * ms, second, 10 * hour}) {
        const auto outcome = run_timer(ms, 20 * took, always(took));
        EXPECT_GE(outcome.longest, 90 * ms);
        EXPECT_LE(outcome.longest, 101 * ms);
    }
}

TEST_F(Guard, a_long_idle_time_buys_no_long_burst) {
    for (const u64 idle : {ms, second, 10 * hour}) {
        KernelDouble::now += idle;
        const auto burst = run_timer(100 * us, 20 * ms, always(300 * us));
        EXPECT_LE(burst.busy, burst.lasted / 4 + 2500 * us + 300 * us);
        EXPECT_EQ(run_timer(ms, 10 * ms, always(5 * us)).throttled, 0u);
    }
}

TEST_F(Guard, leaves_periods_alone_that_are_longer_than_its_rest) {
    EXPECT_EQ(run_timer(10 * second, hour, always(200 * ms)).samples, 359u);
    EXPECT_EQ(stat(OP_STAT_THROTTLED), 0u);
    EXPECT_TRUE(records.begun.empty());
}

TEST_F(Guard, a_clock_that_steps_back_earns_and_costs_nothing) {
    for (const u64 step : {u64{1}, us, ms, hour / 2}) {
        run_timer(ms, 10 * ms, always(5 * us));
        const auto began = handle(5 * us);
        KernelDouble::now = began - step;
        hrtimer timer{static_cast<ktime_t>(KernelDouble::now)};
        op_next_expiry(&timer, began, ms);
        EXPECT_EQ(run_timer(ms, second, always(5 * us)).throttled, 0u) << step;
        EXPECT_LE(run_timer(ms, second, always(300 * us)).full_share(), 0.254) << step;
        KernelDouble::now += hour;
    }
}

TEST_F(Guard, a_clock_that_jumps_ahead_in_a_handler_costs_a_tenth_of_a_second) {
    for (const u64 jump : {second, hour, u64{1} << 61}) {
        const auto outcome =
            run_timer(ms, jump + 10 * second, [&](u64 i) { return i == 100 ? jump : 5 * us; });
        EXPECT_GE(outcome.samples, 9890u);
        EXPECT_LE(outcome.longest, 101 * ms);
    }
}

TEST_F(Guard, a_handler_of_any_length_is_a_long_one) {
    op_counters[0].count = 1000;
    for (const u64 took : {second, u64{1} << 63, UINT64_MAX - 1}) {
        op_reset_guards();
        KernelDouble::now = 1;
        EXPECT_EQ(next_count(0, handle(took), u64{1} << 40), 8000u);
    }
}

TEST_F(Guard, each_cpu_has_its_own_account_and_clock) {
    run_timer(100 * us, second, always(50 * ms));
    const auto there = stat(OP_STAT_THROTTLED);
    EXPECT_GT(there, 0u);
    KernelDouble::cpu = 1;
    KernelDouble::now -= 500 * second;
    EXPECT_EQ(run_timer(ms, second, always(5 * us)).samples, 999u);
    EXPECT_EQ(stat(OP_STAT_THROTTLED), 0u);
    KernelDouble::cpu = 0;
    EXPECT_EQ(stat(OP_STAT_THROTTLED), there);
}

TEST_F(Guard, handlers_without_a_measurable_cost_pay_for_their_interrupt) {
    EXPECT_EQ(run_timer(25 * us, second, always(0)).throttled, 0u);
    EXPECT_LE(run_timer(10 * us, second, always(0)).full_share(), 0.254);
    EXPECT_LE(run_counter(100, second, always(0)).full_share(), 0.254);
}

TEST_F(Guard, work_that_handlers_leave_for_later_is_paid_too) {
    u64 late = 0;
    op_counters[0].count = 1000;
    const auto starts = KernelDouble::now;
    while (KernelDouble::now < starts + second) {
        KernelDouble::now += next_count(0, handle(5 * us), 1000 << 20) * 100;  // 100 us for 1000
        const auto began = op_handler_begin();
        KernelDouble::now += 300 * us;
        late += 300 * us;
        op_end_late_work(began);
    }
    EXPECT_LE(late, (KernelDouble::now - starts) * 26 / 100);
    EXPECT_GE(late, (KernelDouble::now - starts) * 20 / 100);
}

TEST_F(Guard, a_timer_that_is_late_because_interrupts_are_dear_pays_for_that) {
    entry = 15 * us;
    EXPECT_LE(run_timer(us, second, always(5 * us)).share(), 0.254);
    entry = 30 * us;
    EXPECT_LE(run_timer(us, second, always(5 * us)).share(), 0.36);
}

TEST_F(Guard, a_timer_that_is_late_for_other_reasons_pays_little) {
    entry = 900 * us;
    EXPECT_EQ(run_timer(ms, second, always(5 * us)).throttled, 0u);
}

TEST_F(Guard, periods_that_passed_in_a_handler_are_overruns) {
    const auto outcome = run_timer(100 * us, 450 * us, always(220 * us));
    EXPECT_EQ(outcome.samples, 2u);
    EXPECT_EQ(outcome.overruns, 4u);
    EXPECT_EQ(outcome.throttled, 0u);
}

TEST_F(Guard, counters_stay_within_the_budget_and_use_it) {
    for (const bool late : {false, true})
        for (const u64 period : {us, 10 * us, 100 * us, ms})
            for (const u64 took : {5 * us, 70 * us, 300 * us, 5 * ms}) {
                model_.late_count = late;
                op_reset_guards();
                const auto outcome = run_counter(period, 20 * second, always(took));
                const auto wanted = static_cast<double>(took + 5 * us) / static_cast<double>(took + period);
                EXPECT_LE(outcome.full_share(), 0.255) << late << ' ' << period << ' ' << took;
                EXPECT_GE(outcome.full_share(), 0.85 * std::min(wanted, 0.25))
                    << late << ' ' << period << ' ' << took;
                EXPECT_LE(outcome.longest, 100 * ms);
            }
}

TEST_F(Guard, counters_let_go_at_once) {
    run_counter(100 * us, second, always(5 * ms));
    EXPECT_GE(run_counter(100 * us, second, always(5 * us)).samples, 9000u);
    EXPECT_EQ(run_counter(100 * us, second, always(5 * us)).throttled, 0u);
}

TEST_F(Guard, a_counter_whose_events_may_become_rare_is_lengthened_eightfold_at_once) {
    op_counters[0].count = 1000;
    next_count(0, handle(5 * us), u64{1} << 40);
    KernelDouble::now += 10 * us;
    EXPECT_EQ(next_count(0, handle(second), u64{1} << 40), 8000u);
    KernelDouble::now += 80 * us;
    EXPECT_EQ(next_count(0, handle(second), u64{1} << 40), 64000u);
}

TEST_F(Guard, a_counter_is_lengthened_by_powers_of_two_up_to_what_it_holds) {
    const auto lengthened = [](u64 count, u64 most) {
        op_reset_guards();
        op_counters[0].count = count;
        next_count(0, handle(second), most);
        return next_count(0, handle(second), most);
    };
    EXPECT_EQ(lengthened(500, 0x7FFFFFFF), 4000u);
    EXPECT_EQ(lengthened(500, 1999), 1000u);
    EXPECT_EQ(lengthened(500, 2000), 2000u);
    EXPECT_EQ(lengthened(0x40000000, 0x7FFFFFFF), 0x40000000u);
    EXPECT_EQ(lengthened(u64{1} << 62, UINT64_MAX), u64{1} << 63);
    EXPECT_EQ(lengthened(UINT64_MAX, UINT64_MAX), UINT64_MAX);
}

/// A counter runs for `exit` ns before its interrupt returns to the code. The host takes the CPU away now and
/// then, and the account earns meanwhile. Returns the code's share of a second that the host leaves.
double share_of_code(u64 period, u64 exit, bool late_count, const Cost& taken_by_host) {
    u64 code = 0, used = 0, chosen = 1;
    op_counters[0].count = 1;
    pt_regs regs{{1}};
    for (u64 i = 0; used < second; i++) {
        const auto before = std::exchange(
            chosen, op_next_count(&regs, 0, std::exchange(KernelDouble::now, KernelDouble::now + 7 * us),
                                  u64{1} << 20));
        const auto lasts = (late_count ? before : chosen) * period;
        if (lasts > exit) {
            code += lasts - exit;
            regs.word[1]++;
        }
        KernelDouble::now += std::max(lasts, exit) + taken_by_host(i);
        used += 7 * us + std::max(lasts, exit);
    }
    return static_cast<double>(code) / static_cast<double>(used);
}

TEST_F(Guard, code_that_each_interrupt_finds_where_it_was_gets_on) {
    for (const bool late : {false, true})
        for (const u64 exit : {15 * us, 30 * us, 90 * us}) {
            model_.late_count = late;
            op_reset_guards();
            EXPECT_GE(share_of_code(10 * us, exit, late, one_in(50, 5 * ms, 0)), 0.3) << late << ' ' << exit;
        }
}

TEST_F(Guard, a_counter_of_short_periods_lets_go_when_the_code_moves) {
    share_of_code(10 * us, 90 * us, false, always(0));
    EXPECT_LE(run_counter(100 * us, second, always(5 * us)).throttled, 40u);
    EXPECT_EQ(run_counter(100 * us, second, always(5 * us)).throttled, 0u);
}

TEST_F(Guard, code_that_waits_at_one_place_for_long_is_not_held_back) {
    const pt_regs regs{{1, 2, 3, 4}};
    op_counters[0].count = 1000;
    for (int i = 0; i < 1000; i++) {
        KernelDouble::now += 200 * us;
        EXPECT_EQ(op_next_count(&regs, 0, handle(5 * us), u64{1} << 40), 1000u);
    }
}

TEST_F(Guard, a_loop_moves_where_it_adds_to_a_register_what_it_takes_from_another) {
    pt_regs regs{{0, 1000000, 0, 0}};
    op_counters[0].count = 1000;
    for (int i = 0; i < 1000; i++, regs.word[0]++, regs.word[1]--) {
        KernelDouble::now += 50 * us;
        EXPECT_EQ(op_next_count(&regs, 0, handle(5 * us), u64{1} << 40), 1000u);
    }
}

TEST_F(Guard, every_lengthened_counter_has_a_record_of_its_begin_and_end) {
    op_counters[2].count = op_counters[5].count = 1000;
    for (int i = 0; i < 5; i++)
        for (const unsigned counter : {2, 5})
            next_count(counter, handle(20 * ms), u64{1} << 40);
    handle(0);
    EXPECT_EQ(records.begun, (std::vector<unsigned>{2, 5}));
    EXPECT_TRUE(records.ended.empty());
    KernelDouble::now += 2 * second;
    next_count(2, handle(us), u64{1} << 40);
    handle(0);
    EXPECT_EQ(records.begun.size(), 2u);
    EXPECT_EQ(records.ended, (std::vector<unsigned>{2, 5}));
}

TEST_F(Guard, a_record_that_does_not_fit_is_put_later) {
    records.full = true;
    run_timer(100 * us, second, always(300 * us));
    handle(0);
    records.full = false;
    run_timer(ms, 10 * ms, always(5 * us));
    EXPECT_EQ(records.begun, std::vector<unsigned>{0});
    records.full = true;
    run_timer(100 * us, 3 * second, always(5 * us));
    EXPECT_TRUE(records.ended.empty());
    records.full = false;
    run_timer(100 * us, second, always(5 * us));
    EXPECT_EQ(records.ended, std::vector<unsigned>{0});
}

TEST_F(Guard, keeps_its_bound_with_handlers_of_any_cost) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 200; round++) {
        const u64 most = us << random() % 15, period = us << random() % 12;
        const auto outcome = run_timer(
            period, 5 * second, [&](u64) { return random() % 4 ? random() % most : random() % (10 * us); });
        EXPECT_LE(outcome.full_share(), 0.39) << most << ' ' << period;
        EXPECT_LE(outcome.longest, std::max(period, 101 * ms));
    }
}

}  // namespace
