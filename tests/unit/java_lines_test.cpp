// SPDX-License-Identifier: GPL-2.0-or-later
#include "libopagent/java_lines.h"

#include <gtest/gtest.h>
#include <jvmticmlr.h>

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace op::java {
namespace {

/// A virtual machine of two methods: `known` has line 10 from place 0 and line 11 from place 1 on, `bare` has
/// no lines.
class FakeMachine {
public:
    FakeMachine() {
        interface_.Deallocate = [](jvmtiEnv*, unsigned char* memory) {
            free(memory);
            return JVMTI_ERROR_NONE;
        };
        interface_.GetLineNumberTable = [](jvmtiEnv*, jmethodID method, jint* count,
                                           jvmtiLineNumberEntry** lines) {
            if (method != known()) return JVMTI_ERROR_ABSENT_INFORMATION;
            *count = 2;
            *lines = static_cast<jvmtiLineNumberEntry*>(malloc(2 * sizeof(jvmtiLineNumberEntry)));
            (*lines)[0] = {0, 10};
            (*lines)[1] = {1, 11};
            return JVMTI_ERROR_NONE;
        };
        interface_.GetMethodDeclaringClass = [](jvmtiEnv*, jmethodID, jclass*) { return JVMTI_ERROR_NONE; };
        interface_.GetClassSignature = [](jvmtiEnv*, jclass, char** signature, char**) {
            *signature = strdup("LJ;");
            return JVMTI_ERROR_NONE;
        };
        interface_.GetSourceFileName = [](jvmtiEnv*, jclass, char** file) {
            *file = strdup("J.java");
            return JVMTI_ERROR_NONE;
        };
        environment_.functions = &interface_;
    }
    jvmtiEnv* environment() { return &environment_; }
    static jmethodID known() { return reinterpret_cast<jmethodID>(8); }
    static jmethodID bare() { return reinterpret_cast<jmethodID>(16); }

private:
    jvmtiInterface_1_ interface_{};
    jvmtiEnv environment_{};
};

const void* address(uintptr_t at) {
    return reinterpret_cast<const void*>(at);
}

TEST(JavaLines, beyond_their_limit_are_cut) {
    FakeMachine machine;
    LineTable table(machine.environment());
    constexpr uintptr_t start = 0x1000;
    std::vector<jvmtiAddrLocationMap> map;
    for (size_t i = 0; i < LineTable::most_lines + 64; ++i)
        map.push_back({address(start + i), static_cast<jlocation>(i % 2)});
    table.fill(machine.known(), start, map.size(), map.data(), static_cast<jint>(map.size()), nullptr);
    ASSERT_EQ(table.size(), LineTable::most_lines);
    const debug_line_info& last = table.lines()[table.size() - 1];
    EXPECT_EQ(last.vma, start + LineTable::most_lines - 1);
    EXPECT_EQ(last.lineno, 11u);
    EXPECT_STREQ(last.filename, "J.java");
}

TEST(JavaLines, of_inlined_code_without_lines_are_not_those_before) {
    FakeMachine machine;
    LineTable table(machine.environment());
    constexpr uintptr_t start = 0x1000;
    jmethodID known = FakeMachine::known(), bare = FakeMachine::bare();
    jint place = 0;
    PCStackInfo places[] = {
        {const_cast<void*>(address(start + 3)), 1, &bare, &place},
        {const_cast<void*>(address(start + 7)), 1, &known, &place},
        {const_cast<void*>(address(start + 11)), 1, &bare, &place},
        {const_cast<void*>(address(start + 13)), 1, &bare, &place},
        {const_cast<void*>(address(start + 15)), 1, &known, &place},
    };
    jvmtiCompiledMethodLoadInlineRecord record{};
    record.header = {JVMTI_CMLR_INLINE_INFO, JVMTI_CMLR_MAJOR_VERSION_1, 0, nullptr};
    record.numpcs = std::size(places);
    record.pcinfo = places;
    table.fill(known, start, 16, nullptr, 0, &record);
    std::vector<std::pair<uintptr_t, unsigned>> lines;
    for (const debug_line_info& line : std::span(table.lines(), table.size()))
        lines.emplace_back(line.vma - start, line.lineno);
    EXPECT_EQ(lines, (std::vector<std::pair<uintptr_t, unsigned>>{{4, 10}, {8, 0}, {14, 10}}));
}

}  // namespace
}  // namespace op::java
