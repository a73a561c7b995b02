// SPDX-License-Identifier: GPL-2.0-or-later
// Of code in memory of the test itself, and of a process that has ended.
#include "daemon/collect/code_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "daemon/collect/host_machine.h"

namespace op::collect {

namespace {

/// push %rbp; mov %rsp,%rbp; call; pop %rbp; ret
constexpr unsigned char function[] = {0x55, 0x48, 0x89, 0xe5, 0xe8, 0, 0, 0, 0, 0x5d, 0xc3};
constexpr size_t page = 4096, at = 64, behind_call = at + 9;

class CodeInMemory : public testing::Test {
protected:
    CodeInMemory() {
        std::memcpy(static_cast<char*>(memory) + at, function, sizeof function);
        region.start = {reinterpret_cast<uint64_t>(memory)};
        region.end = region.start + page;
        region.kind = RegionKind::anon;
    }
    ~CodeInMemory() override { ::munmap(memory, page); }
    void SetUp() override {
        if (&host_machine != &unwind_x86_64) GTEST_SKIP() << "the code is of another machine";
    }

    void* const memory = ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const uint32_t self = static_cast<uint32_t>(::getpid());
    Region region;
};

}  // namespace

TEST_F(CodeInMemory, is_read_while_the_process_runs) {
    CodeMemory code(true);
    const UnwindRule rule = code.rule_without_frame(region, self, region.start + at);
    EXPECT_EQ(rule.cfa, CfaFrom::sp);
    EXPECT_EQ(rule.cfa_offset, 8);
    EXPECT_FALSE(code.is_after_no_call(region, self, region.start + behind_call));
    EXPECT_TRUE(code.is_after_no_call(region, self, region.start + behind_call + 1));
    EXPECT_FALSE(code.is_after_no_call(region, self, region.start + 1)) << "what lies before is not known";
}

TEST_F(CodeInMemory, is_not_read_outside_its_mapping) {
    CodeMemory code(true);
    region.end = region.start + at + 1;  // ends behind push
    EXPECT_EQ(code.rule_without_frame(region, self, region.start + at).cfa, CfaFrom::no_info);
}

TEST_F(CodeInMemory, the_entry_of_a_function_is_found_far_before_an_address) {
    // mov %eax,-0x14000(%rsp); push %rbp; sub $32,%rsp
    constexpr unsigned char sized[] = {0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe,
                                       0xff, 0x55, 0x48, 0x83, 0xec, 0x20};
    std::memcpy(static_cast<char*>(memory) + 512, sized, sizeof sized);
    CodeMemory code(true);
    const auto rule_at = [&](uint64_t offset) {
        code.begin_stack();
        return code.find_by_entry(region.start, region.end, self, region.start + offset);
    };
    for (const uint64_t offset : {512 + sizeof sized, size_t{2600}, page - 1})
        EXPECT_EQ(rule_at(offset).cfa_offset, 48) << offset;
    EXPECT_EQ(rule_at(512).cfa_offset, 8);
    EXPECT_EQ(rule_at(511).cfa, CfaFrom::no_info) << "there the frame pointer finds the frame";
    EXPECT_EQ(rule_at(at - 1).cfa, CfaFrom::no_info) << "no function begins before";
    EXPECT_EQ(code.known_by_entry(self, region.start + 700), nullptr);
    ASSERT_NE(code.known_by_entry(self, region.start + 2600), nullptr);
    EXPECT_EQ(code.known_by_entry(self, region.start + 2600)->cfa_offset, 48);
    EXPECT_EQ(code.known_by_entry(self + 1, region.start + 2600), nullptr);
    EXPECT_EQ(code.find_by_entry(region.start + 513, region.end, self, region.start + 2601).cfa,
              CfaFrom::no_info)
        << "its entry is not in the code";
}

TEST_F(CodeInMemory,
       that_cannot_be_read_is_not_followed_by_a_frame_pointer_where_functions_have_frames_of_a_size) {
    constexpr unsigned char sized[] = {0x89, 0x84, 0x24, 0x00, 0xc0, 0xfe,
                                       0xff, 0x55, 0x48, 0x83, 0xec, 0x20};
    CodeMemory code(true);
    const RuntimeAddress nothing{page};
    EXPECT_EQ(code.find_by_entry({0}, region.end, self, nothing).cfa, CfaFrom::no_info);
    std::memcpy(memory, sized, sizeof sized);
    EXPECT_EQ(code.find_by_entry(region.start, region.end, self, region.start + 32).cfa_offset, 48);
    EXPECT_EQ(code.find_by_entry({0}, region.end, self, nothing).cfa, CfaFrom::unsupported);
    EXPECT_EQ(CodeMemory(false).find_by_entry(region.start, region.end, self, region.start + 32).cfa,
              CfaFrom::no_info);
}

TEST_F(CodeInMemory, is_entered_by_a_call_of_a_constant_address) {
    // call: it ends at 128 and leads to 256.
    constexpr unsigned char call[] = {0xe8, 0x80, 0, 0, 0};
    std::memcpy(static_cast<char*>(memory) + 123, call, sizeof call);
    CodeMemory code(true);
    const RuntimeAddress returns_to = region.start + 128;
    EXPECT_TRUE(code.is_entered_by(region, self, returns_to, region.start + 256));
    EXPECT_TRUE(code.is_entered_by(region, self, returns_to, region.start + 256 + 255));
    EXPECT_FALSE(code.is_entered_by(region, self, returns_to, region.start + 256 + 256));
    EXPECT_FALSE(code.is_entered_by(region, self, returns_to, region.start + 255));
    EXPECT_FALSE(code.is_entered_by(region, self, returns_to + 1, region.start + 256));
    EXPECT_FALSE(code.is_entered_by(region, self, region.start + 4, region.start + 256));
}

TEST_F(CodeInMemory, hotspot_s_interpreter_is_returned_to_without_a_call) {
    constexpr unsigned char interpreter[] = {0x48, 0x8b, 0x65, 0xf0, 0x48, 0xc7, 0x45, 0xf0, 0, 0, 0, 0};
    std::memcpy(static_cast<char*>(memory) + 512, interpreter, sizeof interpreter);
    CodeMemory code(true);
    EXPECT_FALSE(code.is_after_no_call(region, self, region.start + 512));
    EXPECT_TRUE(code.is_after_no_call(region, self, region.start + 513));
}

TEST_F(CodeInMemory, is_not_read_of_recorded_processes_nor_of_one_that_has_ended) {
    CodeMemory recorded(false), code(true);
    EXPECT_EQ(recorded.rule_without_frame(region, self, region.start + at).cfa, CfaFrom::no_info);
    EXPECT_FALSE(recorded.is_after_no_call(region, self, region.start + behind_call + 1));
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        char byte;
        ::close(ends[1]);
        ::_exit(static_cast<int>(::read(ends[0], &byte, 1)));
    }
    const auto tgid = static_cast<uint32_t>(child);
    EXPECT_EQ(code.rule_without_frame(region, tgid, region.start + at).cfa, CfaFrom::sp);
    ::close(ends[0]);
    ::close(ends[1]);
    ::waitpid(child, nullptr, 0);
    EXPECT_EQ(code.rule_without_frame(region, tgid, region.start + at).cfa, CfaFrom::no_info);
    EXPECT_EQ(code.rule_without_frame(region, self, region.start + at).cfa, CfaFrom::sp);
}

}  // namespace op::collect
