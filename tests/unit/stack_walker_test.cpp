// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/stack_walker.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "daemon/collect/frame_tables.h"
#include "daemon/collect/stack_resolver.h"
#include "daemon/source/own_vdso.h"
#include "daemon/source/proc_scan.h"
#include "libop/base/build_id.h"
#include "tests/unit/temp_dir.h"

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
#define SKIP_WITHOUT_TABLES() GTEST_SKIP() << "registers of this machine are not known to the test"
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

#if defined(__x86_64__) || defined(__aarch64__)
TEST(StackWalker, a_context_ends_where_makecontext_lets_it_return) {
    Sampler sampler;
    sampler_of_signal = &sampler;
    std::vector<std::byte> stack(size_t{1} << 17);
    sampler.stack_end = reinterpret_cast<uint64_t>(stack.data()) + stack.size();
    ucontext_t context, back;
    ::getcontext(&context);
    context.uc_stack.ss_sp = stack.data();
    context.uc_stack.ss_size = stack.size();
    context.uc_link = &back;
    ::makecontext(
        &context, [] { take_in_handler(0, nullptr, nullptr); }, 0);
#if defined(__x86_64__)
    const auto sp = static_cast<uint64_t>(context.uc_mcontext.gregs[REG_RSP]);
    const uint64_t returns_to = *reinterpret_cast<const uint64_t*>(sp);
#else
    const uint64_t returns_to = context.uc_mcontext.regs[30];
#endif
    ::swapcontext(&back, &context);
    EXPECT_EQ(stack_end_name(sampler.end), "root");
    ASSERT_FALSE(sampler.chain.empty());
    EXPECT_EQ(sampler.chain.back(), returns_to + 1) << "the first byte of a function, which runs next";
}
#endif

/// Code of this program and of the C library: of a function there that no sanitizer has one of its own for.
struct OwnCode : ::testing::Test {
    void SetUp() override {
#if !defined(__x86_64__) && !defined(__aarch64__)
        GTEST_SKIP() << "registers of this machine are not known to the test";
#endif
        ASSERT_TRUE(program && library && program->image != library->image);
    }
    FoundRule find(FrameTables& tables, const Region* region, uint64_t address) const {
        return tables.find(*region, pid, region->offset({address}).value());
    }
    static size_t open_files() {
        const std::filesystem::directory_iterator files("/proc/self/fd");
        return static_cast<size_t>(std::distance(begin(files), end(files)));
    }

    Sampler sampler;
    const uint32_t pid = static_cast<uint32_t>(::getpid());
    const uint64_t in_program = reinterpret_cast<uint64_t>(&recurse),
                   in_library = reinterpret_cast<uint64_t>(::dlsym(RTLD_DEFAULT, "hcreate_r"));
    const Region* program = sampler.table.find_user(pid, {in_program});
    const Region* library = sampler.table.find_user(pid, {in_library});
};
using FrameTablesOfOwnCode = OwnCode;

TEST_F(FrameTablesOfOwnCode, tables_beyond_the_limit_are_dropped_and_rules_stay_right) {
    FrameTables generous, narrow(true, {.memory = 1});
    const FoundRule found = find(generous, program, in_program);
    EXPECT_NE(found.rule.cfa, CfaFrom::no_info);
    EXPECT_TRUE(found.is_final);
    const uint64_t built = generous.memory();
    EXPECT_GT(built, 0u);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(find(narrow, program, in_program).rule, found.rule);
        EXPECT_LT(narrow.memory(), built);
    }
}

TEST_F(FrameTablesOfOwnCode, the_file_that_was_used_longest_ago_is_dropped_first) {
    FrameTables one, both;
    find(one, library, in_library);
    const uint64_t of_library = one.memory();
    find(both, program, in_program);
    const uint64_t of_program = both.memory();
    FrameTables tables(true, {.memory = of_program + of_library - 1});
    find(tables, program, in_program);
    EXPECT_EQ(tables.memory(), of_program);
    EXPECT_NE(find(tables, library, in_library).rule.cfa, CfaFrom::no_info);
    EXPECT_GE(tables.memory(), of_library);
    EXPECT_LT(tables.memory(), of_library + of_program)
        << "the program's are gone, the ones just built are not";
}

TEST_F(FrameTablesOfOwnCode, that_are_unused_are_dropped_when_a_further_file_is_found) {
    const auto in_third = reinterpret_cast<uint64_t>(::dlsym(RTLD_DEFAULT, "_ZSt9terminatev"));
    const Region* const third = sampler.table.find_user(pid, {in_third});
    if (!third || third->image == program->image) GTEST_SKIP() << "the C++ library is no file of its own";
    FrameTables kept, tables(true, {.unused = 0});
    const FoundRule first = find(tables, program, in_program);
    find(tables, library, in_library);
    for (const auto& [region, address] : {std::pair(program, in_program), {library, in_library}})
        find(kept, region, address);
    EXPECT_EQ(tables.memory(), kept.memory()) << "the program's were used since the last time";
    find(tables, third, in_third);
    find(kept, third, in_third);
    EXPECT_LT(tables.memory(), kept.memory());
    EXPECT_EQ(find(tables, program, in_program), first);
    EXPECT_EQ(tables.memory(), kept.memory());
}

TEST_F(FrameTablesOfOwnCode, no_file_stays_open) {
    const size_t before = open_files();
    FrameTables tables;
    find(tables, program, in_program);
    find(tables, library, in_library);
    EXPECT_EQ(open_files(), before);
}

TEST_F(FrameTablesOfOwnCode, work_beyond_the_limit_leaves_rules_for_later) {
    FrameTables tables(true, {.work = 1});
    EXPECT_TRUE(find(tables, program, in_program).is_final) << "the first one is charged later";
    const FoundRule later = find(tables, library, in_library);
    EXPECT_EQ(later.rule.cfa, CfaFrom::unsupported);
    EXPECT_FALSE(later.is_final);
    EXPECT_TRUE(find(tables, program, in_program).is_final) << "it is there already";
}

TEST_F(FrameTablesOfOwnCode, a_start_that_no_call_returns_to_is_read_within_the_limit) {
    const auto unreturned = [&](FrameTables& tables, uint64_t address) {
        return tables.find_unreturned(*program, pid, program->offset({address}).value());
    };
    FrameTables tables;
    const FoundRule start = unreturned(tables, in_program);
    EXPECT_EQ(start.rule, find(tables, program, in_program).rule);
    EXPECT_NE(start.rule.cfa, CfaFrom::no_info);
    EXPECT_EQ(unreturned(tables, in_program + 4).rule.cfa, CfaFrom::no_info) << "within the function";
    FrameTables spent(true, {.work = 1});
    find(spent, program, in_program);
    const FoundRule later = unreturned(spent, in_program);
    EXPECT_EQ(later.rule.cfa, CfaFrom::no_info);
    EXPECT_FALSE(later.is_final);
}

TEST_F(FrameTablesOfOwnCode, images_of_another_machine_are_known_by_their_build_id_alone) {
    FrameTables tables(false);
    Region region = *program;
    region.image = std::make_shared<MappedImage>(*program->image);
    region.image->build_id.clear();
    EXPECT_EQ(find(tables, &region, in_program), (FoundRule{{}, true}));
    region.image->build_id = "00112233";
    EXPECT_EQ(find(tables, &region, in_program), (FoundRule{{}, true})) << "the file here is another one";
    region.image->name = "[vdso]";
    region.kind = RegionKind::anon;
    EXPECT_EQ(tables.find(region, pid, 0), (FoundRule{{}, true}));
}

TEST_F(FrameTablesOfOwnCode, the_vdso_of_a_recording_is_this_ones_by_its_build_id_alone) {
    if (own_vdso_build_id().empty()) GTEST_SKIP() << "no vDSO with a build-id here";
    Region region = *program;
    region.kind = RegionKind::anon;
    region.file_offset = 0;
    region.image = std::make_shared<MappedImage>();
    region.image->name = vdso_label;
    FrameTables own, recorded(false), others(false);
    size_t known = 0;
    for (uint64_t offset = 0; offset < 0x2000; offset += 16) {
        region.image->build_id.clear();
        const FoundRule rule = own.find(region, pid, offset);
        EXPECT_EQ(others.find(region, pid, offset), (FoundRule{{}, true}));
        region.image->build_id = own_vdso_build_id();
        EXPECT_EQ(recorded.find(region, pid, offset), rule) << offset;
        known += rule.rule.cfa != CfaFrom::no_info;
    }
    EXPECT_GT(known, 10u);
}

TEST_F(FrameTablesOfOwnCode, a_recording_is_limited_by_a_total) {
    constexpr uint64_t total = 100'000, opened = 4096;  // what a look into the file is charged at least
    FrameTables tables(false, {.work = total});
    Region region = *library;
    region.image = std::make_shared<MappedImage>(*library->image);
    region.image->build_id = build_id_of_fd(Fd(::open(region.image->name.c_str(), O_RDONLY | O_CLOEXEC)));
    if (region.image->build_id.empty()) GTEST_SKIP() << "the C library has no build-id here";
    EXPECT_NE(find(tables, &region, in_library).rule.cfa, CfaFrom::no_info);
    const uint64_t offset = region.offset({in_library}).value();
    for (uint64_t i = 0; i <= total / opened; ++i)
        tables.find_register(region, pid, offset + i, 3);
    const auto elsewhere = reinterpret_cast<uint64_t>(::dlsym(RTLD_DEFAULT, "argp_parse"));
    EXPECT_EQ(find(tables, &region, elsewhere), (FoundRule{{CfaFrom::unsupported}, false}));
}

TEST(FrameTables, a_file_that_is_not_found_is_looked_for_again_and_one_without_a_table_is_not) {
    const test::TempDir dir;
    const auto image = std::make_shared<MappedImage>();
    image->name = dir / "file";
    Region region{};
    region.kind = RegionKind::file;
    region.image = image;
    FrameTables tables(true, {.retry = 0}), patient;
    EXPECT_FALSE(tables.find(region, 0, 0).is_final);
    EXPECT_FALSE(patient.find(region, 0, 0).is_final);
    dir.write("file", "no ELF file");
    EXPECT_FALSE(patient.find(region, 0, 0).is_final) << "once a second";
    EXPECT_TRUE(tables.find(region, 0, 0).is_final);
    EXPECT_EQ(tables.find(region, 0, 0).rule.cfa, CfaFrom::no_info);
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

namespace {

Mapping some_mapping(uint32_t tgid) {
    Mapping mapping{};
    mapping.tgid = tgid;
    mapping.start = {0x1000};
    mapping.length = 0x1000;
    mapping.path = "/none";
    return mapping;
}

}  // namespace

TEST(StackWalker, a_program_that_the_kernel_is_loading_has_no_stack_yet) {
    constexpr uint32_t pid = 10;
    const std::vector<uint64_t> kernel{0xffffffff81000000};
    ProcessTable table;
    StackWalker walker(table);
    UserStack stack;
    stack.has_registers = true;
    stack.registers.pc = {0x5000};  // of the program before
    stack.registers.by_number.fill(1);
    Sample sample{};
    sample.tgid = pid;
    sample.mode = CpuMode::kernel;
    sample.chain = kernel;
    sample.kernel_frames = 1;
    sample.user_stack = &stack;
    std::vector<uint64_t> chain;
    EXPECT_NE(walker.walk(sample, chain), StackEnd::root) << "nothing is known of the process";
    Name name{};
    name.tgid = name.tid = pid;
    name.exec = true;
    table.apply(name);
    EXPECT_EQ(walker.walk(sample, chain), StackEnd::root);
    EXPECT_EQ(chain, kernel);
    table.apply(some_mapping(pid));
    EXPECT_EQ(walker.walk(sample, chain), StackEnd::root);
    EXPECT_EQ(chain, kernel);
    const std::array<uint64_t, 2> words{};
    UserStack with_bytes = *sample.user_stack;
    with_bytes.bytes = std::as_bytes(std::span(words));
    with_bytes.requested = sizeof words;
    Sample elsewhere = sample;
    elsewhere.user_stack = &with_bytes;
    EXPECT_NE(walker.walk(elsewhere, chain), StackEnd::root) << "it runs code that is not known";
    sample.mode = CpuMode::user;
    EXPECT_NE(walker.walk(sample, chain), StackEnd::root);
    sample.mode = CpuMode::kernel;
    table.lose_track();
    EXPECT_NE(walker.walk(sample, chain), StackEnd::root) << "its mappings may not be known";
}

TEST(StackWalker, a_program_whose_memory_the_kernel_frees_for_another_one_has_no_stack_any_more) {
    constexpr uint32_t pid = 10;
    constexpr uint64_t exec = 0xffffffff81001000, after = 0xffffffff81001100;
    ProcessTable table;
    KernelRange exec_code{};
    StackWalker walker(table, true, &exec_code);
    table.apply(some_mapping(pid));
    UserStack stack;
    stack.has_registers = true;
    stack.registers.pc = {0x1500};
    stack.registers.by_number.fill(1);
    stack.requested = 16384;
    std::vector<uint64_t> kernel{0xffffffff81000000, after};
    Sample sample{};
    sample.tgid = pid;
    sample.mode = CpuMode::kernel;
    sample.pc = {0xffffffff81002000};
    sample.chain = kernel;
    sample.kernel_frames = 2;
    sample.user_stack = &stack;
    std::vector<uint64_t> chain;
    EXPECT_NE(walker.walk(sample, chain), StackEnd::root) << "the kernel's code is not known";
    exec_code = {exec, after};
    EXPECT_EQ(walker.walk(sample, chain), StackEnd::root) << "called by its last instruction";
    EXPECT_EQ(chain, kernel);
    kernel[1] = exec;
    EXPECT_NE(walker.walk(sample, chain), StackEnd::root) << "called by what lies before it";
    sample.pc = {exec};
    EXPECT_EQ(walker.walk(sample, chain), StackEnd::root);
    sample.kernel_frames = 0;
    sample.pc = {after};
    EXPECT_NE(walker.walk(sample, chain), StackEnd::root);
    // As long as the stack is there it is followed.
    const std::array<uint64_t, 2> words{};
    stack.bytes = std::as_bytes(std::span(words));
    sample.pc = {exec};
    EXPECT_NE(walker.walk(sample, chain), StackEnd::root);
}

}  // namespace op::collect
