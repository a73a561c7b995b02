// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/recorded_processor.h"

#include <gtest/gtest.h>

namespace op::collect {
namespace {

std::string type_of(std::string_view arch, std::string_view cpu_id, std::string_view cpu_desc = {}) {
    return recorded_cpu_type(recorded_processor(arch, cpu_id, cpu_desc), builtin_cpu_models()).name;
}

}  // namespace

TEST(RecordedProcessor, has_the_type_of_its_cpuid) {
    EXPECT_EQ(type_of("x86_64", "GenuineIntel,6,143,8"), "i386/sapphirerapids");
    EXPECT_EQ(type_of("i686", "GenuineIntel,6,8,3"), "i386/piii") << "which does not describe its counters";
    EXPECT_EQ(type_of("aarch64", "0x00000000410fd083"), "arm/armv8-ca72");
    EXPECT_EQ(type_of("s390x", "IBM,2964,701,N63"), "s390/z13");
    EXPECT_EQ(type_of("ppc64le", "004e,1202", "POWER9, altivec supported"), "ppc64/power9");
}

TEST(RecordedProcessor, has_no_type_by_texts_of_another_form) {
    for (const char* text : {"", ",", "GenuineIntel", "GenuineIntel,6", "GenuineIntel,a,b,c",
                             "GenuineIntel,4294967302,143,8", "GenuineIntel,-6,143,8", "0x410fd083"})
        EXPECT_EQ(type_of("x86_64", text), "timer") << text;
    for (const char* text : {"", "0x", "410fd08g", "GenuineIntel,6,143,8"})
        EXPECT_EQ(type_of("aarch64", text), "timer") << text;
    EXPECT_EQ(type_of("s390x", "IBM"), "timer");
    EXPECT_EQ(type_of("", "GenuineIntel,6,143,8"), "timer") << "a machine that is not named";
}

TEST(RecordedProcessor, is_numbered_by_a_related_type_if_its_own_has_no_number) {
    const auto type =
        recorded_cpu_type(recorded_processor("x86_64", "GenuineIntel,6,143,8", ""), builtin_cpu_models());
    const CpuModel* const row = builtin_cpu_models().find_number(type.number);
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->name, "i386/arch_perfmon");
}

}  // namespace op::collect
