// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/stack_walker.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "daemon/collect/frame_tables.h"
#include "daemon/collect/stack_resolver.h"
#include "daemon/source/proc_scan.h"

namespace op::collect {

namespace {

constexpr size_t copied = 65536;

/// The registers of a thread, as a sample would have them.
UserRegisters registers_of(const ucontext_t& context) {
    UserRegisters registers;
#if defined(__x86_64__)
    constexpr int by_number[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                                 REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    for (size_t i = 0; i < std::size(by_number); ++i)
        registers.by_number[i] = static_cast<uint64_t>(context.uc_mcontext.gregs[by_number[i]]);
    registers.pc = {static_cast<uint64_t>(context.uc_mcontext.gregs[REG_RIP])};
#elif defined(__aarch64__)
    std::copy_n(context.uc_mcontext.regs, 31, registers.by_number.begin());
    registers.by_number[31] = context.uc_mcontext.sp;
    registers.pc = {context.uc_mcontext.pc};
#endif
    return registers;
}

/// Reads what sanitizers take for no variable's.
__attribute__((no_sanitize("address", "undefined"))) void copy_stack(std::vector<std::byte>& to,
                                                                     uint64_t from) {
    const auto* const bytes = reinterpret_cast<const volatile std::byte*>(from);
    std::byte* const out = to.data();
    for (size_t i = 0, size = to.size(); i < size; ++i)
        out[i] = bytes[i];
}

/// Takes a sample of this thread at every call, walks its stack and keeps the result.
struct Sampler {
    Sampler() : walker(table) {
        RecordList records;
        ScanBudget budget(uint64_t{64} << 20);
        const auto pid = static_cast<uint32_t>(::getpid());
        scan_process(pid, pid, budget, records);
        for (const Record& record : records.records())
            if (const auto* mapping = std::get_if<Mapping>(&record)) table.apply(*mapping);
    }
    void take(const ucontext_t& context) {
        const UserStack stack = copy(context);
        end = walker.walk(sample_of(stack), chain);
    }
    /// Valid until the next call.
    UserStack copy(const ucontext_t& context) {
        UserStack stack{registers_of(context), false, true, false, {}, most};
#if defined(__aarch64__)
        const uint64_t sp = stack.registers.by_number[31];
#else
        const uint64_t sp = stack.registers.by_number[7];
#endif
        const auto room = std::min<uint64_t>(most, stack_end - sp);
        bytes.resize(room);
        copy_stack(bytes, sp);
        stack.bytes = bytes;
        return stack;
    }
    static Sample sample_of(const UserStack& stack) {
        Sample sample{};
        sample.tgid = static_cast<uint32_t>(::getpid());
        sample.mode = CpuMode::user;
        sample.pc = stack.registers.pc;
        sample.user_stack = &stack;
        return sample;
    }

    ProcessTable table;
    StackWalker walker;
    size_t most = copied;
    uint64_t stack_end = UINT64_MAX;  ///< of this thread, exclusive
    std::vector<std::byte> bytes;
    std::vector<uint64_t> chain;
    StackEnd end = StackEnd::no_registers;
};

[[gnu::noinline]] int recurse(int depth, const std::function<void()>& leaf) {
    if (depth == 0) {
        leaf();
        return 0;
    }
    const int below = recurse(depth - 1, leaf);
    asm volatile("" ::: "memory");  // no tail call
    return below + 1;
}

/// The most callers in a row with one address.
size_t longest_run(const std::vector<uint64_t>& chain) {
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < chain.size(); ++i) {
        run = i > 0 && chain[i] == chain[i - 1] ? run + 1 : 1;
        longest = std::max(longest, run);
    }
    return longest;
}

#if defined(__x86_64__) || defined(__aarch64__)
#define SKIP_WITHOUT_TABLES()
#else
#define SKIP_WITHOUT_TABLES() GTEST_SKIP() << "stacks are walked by the kernel on this machine"
#endif

uint64_t end_of_main_stack() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (line.find("[stack]") != std::string::npos)
            return std::stoull(line.substr(line.find('-') + 1), nullptr, 16);
    return UINT64_MAX;
}

/// For the handler.
Sampler* sampler_of_signal;

void take_in_handler(int, siginfo_t*, void*) {
    ucontext_t here;
    ::getcontext(&here);
    sampler_of_signal->take(here);
}

}  // namespace

TEST(StackWalker, walks_its_own_stack_to_the_outermost_frame) {
    SKIP_WITHOUT_TABLES();
    Sampler sampler;
    sampler.stack_end = end_of_main_stack();
    constexpr int depth = 20;
    recurse(depth, [&] {
        ucontext_t here;
        ::getcontext(&here);
        sampler.take(here);
    });
    EXPECT_EQ(stack_end_name(sampler.end), "root");
    EXPECT_EQ(longest_run(sampler.chain), size_t{depth});
}

TEST(StackWalker, a_thread_ends_where_it_was_made) {
    SKIP_WITHOUT_TABLES();
    Sampler sampler;
    sampler.stack_end = 0;
    std::thread([&] {
        pthread_attr_t attributes;
        void* start = nullptr;
        size_t size = 0;
        ::pthread_getattr_np(::pthread_self(), &attributes);
        ::pthread_attr_getstack(&attributes, &start, &size);
        ::pthread_attr_destroy(&attributes);
        sampler.stack_end = reinterpret_cast<uint64_t>(start) + size;
        recurse(3, [&] {
            ucontext_t here;
            ::getcontext(&here);
            sampler.take(here);
        });
    }).join();
    EXPECT_EQ(stack_end_name(sampler.end), "root");
    EXPECT_EQ(longest_run(sampler.chain), 3u);
}

TEST(StackWalker, goes_through_a_signal_handler_to_what_it_interrupted) {
    SKIP_WITHOUT_TABLES();
    Sampler sampler;
    sampler.stack_end = end_of_main_stack();
    sampler_of_signal = &sampler;
    struct sigaction action {
    }, before{};
    action.sa_sigaction = take_in_handler;
    action.sa_flags = SA_SIGINFO;
    ASSERT_EQ(::sigaction(SIGUSR2, &action, &before), 0);
    recurse(5, [] { ::raise(SIGUSR2); });
    ::sigaction(SIGUSR2, &before, nullptr);
    EXPECT_EQ(stack_end_name(sampler.end), "root");
    EXPECT_EQ(longest_run(sampler.chain), 5u);
}

TEST(StackWalker, a_stack_that_was_not_copied_whole_reports_so) {
    SKIP_WITHOUT_TABLES();
    Sampler sampler;
    sampler.stack_end = end_of_main_stack();
    sampler.most = 16384;
    recurse(2000, [&] {
        ucontext_t here;
        ::getcontext(&here);
        sampler.take(here);
    });
    EXPECT_EQ(stack_end_name(sampler.end), "dump_short");
    EXPECT_GT(longest_run(sampler.chain), 100u);
}

TEST(FrameTables, tables_beyond_the_limit_are_dropped_and_rules_stay_right) {
    SKIP_WITHOUT_TABLES();
    Sampler sampler;
    FrameTables generous, narrow(1);
    const RuntimeAddress here{reinterpret_cast<uint64_t>(&recurse)};
    const auto pid = static_cast<uint32_t>(::getpid());
    const Region* const region = sampler.table.find_user(pid, here);
    ASSERT_TRUE(region);
    const uint64_t offset = region->offset(here).value();
    const UnwindRule rule = generous.find(*region, pid, offset);
    EXPECT_NE(rule.cfa, CfaFrom::no_info);
    EXPECT_GT(generous.memory(), 0u);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(narrow.find(*region, pid, offset), rule);
        EXPECT_EQ(narrow.memory(), 0u);
    }
}

TEST(StackResolver, a_sample_leaves_with_its_chain_and_without_the_copy) {
    SKIP_WITHOUT_TABLES();
    Sampler sampler;
    sampler.stack_end = end_of_main_stack();
    StackResolver resolver;
    RecordList records;
    ScanBudget budget(uint64_t{64} << 20);
    const auto pid = static_cast<uint32_t>(::getpid());
    scan_process(pid, pid, budget, records);
    for (const Record& record : records.records())
        resolver.resolve(record);
    recurse(7, [&] {
        ucontext_t here;
        ::getcontext(&here);
        const UserStack stack = sampler.copy(here);
        Sample sample = sampler.sample_of(stack);
        const Record resolved = resolver.resolve(sample);
        const auto& walked = std::get<Sample>(resolved);
        EXPECT_EQ(walked.user_stack, nullptr);
        EXPECT_EQ(walked.stack_end, StackEnd::root);
        EXPECT_EQ(longest_run({walked.chain.begin(), walked.chain.end()}), 7u);
    });
}

TEST(StackWalker, a_sample_without_registers_keeps_its_kernel_frames) {
    const ProcessTable table;
    StackWalker walker(table);
    const UserStack stack;
    const std::vector<uint64_t> kernel{0xffffffff81000000};
    Sample sample{};
    sample.chain = kernel;
    sample.kernel_frames = 1;
    sample.user_stack = &stack;
    std::vector<uint64_t> chain;
    EXPECT_EQ(walker.walk(sample, chain), StackEnd::no_registers);
    EXPECT_EQ(chain, kernel);
}

}  // namespace op::collect
