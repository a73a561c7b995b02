// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/events/cpu_model.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/faults.h"

namespace op {

namespace {

constexpr const char* small_table =
    "# comment\n"
    "cpu:timer number:4 number_0_9:4 counters:1 : Clock\n"
    "cpu:i386/a number:1 number_0_9:7 counters:2 default:CYCLES:5000:0x3 : The first\n"
    "\tx86: GenuineIntel 06 0f,16-18 perfmon\n"
    "\tpfm: core core2\n"
    "\tfilter: arch_perfmon\n"
    "cpu:i386/b counters:cpuid : The second\n"
    "\tx86: GenuineIntel 06 *\n"
    "cpu:old number_0_9:5 counters:1 : Dropped\n";

CpuModels table() {
    return CpuModels::parse(small_table, "models");
}

std::string fault(const std::string& line) {
    return test::fault(ErrorKind::input,
                       [&] { CpuModels::parse(std::string(small_table) + line + "\n", "models"); });
}

Processor x86(const char* vendor, uint32_t family, uint32_t model, bool perfmon, uint32_t siblings = 1) {
    Processor processor;
    processor.x86.emplace();
    processor.x86->vendor = vendor;
    processor.x86->family = family;
    processor.x86->model = model;
    processor.x86->siblings = siblings;
    processor.x86->perfmon_version = perfmon ? 3 : 0;
    return processor;
}

Processor of_cpuinfo(std::string_view text) {
    Processor processor;
    processor.cpuinfo = parse_cpuinfo(text);
    return processor;
}

Processor power(const char* platform, const char* base, std::string_view cpuinfo) {
    Processor processor = of_cpuinfo(cpuinfo);
    processor.platform = platform;
    processor.base_platform = base;
    return processor;
}

std::string detected(const Processor& processor) {
    return builtin_cpu_models().detect(processor).name;
}

Processor arm(const char* implementer, const char* part) {
    return of_cpuinfo("processor\t: 0\nCPU implementer\t: " + std::string(implementer) +
                      "\nCPU part\t: " + part + "\n");
}

}  // namespace

TEST(CpuModels, a_row_holds_the_values_of_its_lines) {
    const CpuModels models = table();
    const CpuModel& row = *models.find("i386/a");
    EXPECT_EQ(row.title, "The first");
    EXPECT_EQ(row.number, 1u);
    EXPECT_EQ(row.counters, 2u);
    EXPECT_EQ(row.default_event, parse_event_spec("CYCLES:5000:0x3"));
    EXPECT_TRUE(row.has_perfmon_filter);
    EXPECT_EQ(row.pmus, (std::vector<std::string>{"core", "core2"}));
    EXPECT_EQ(models.find("i386/b")->counters, 0u);
    EXPECT_EQ(models.find("i386/c"), nullptr);
}

TEST(CpuModels, numbers_find_rows_in_either_numbering) {
    const CpuModels models = table();
    EXPECT_EQ(models.find_number(1)->name, "i386/a");
    EXPECT_EQ(models.find_number_0_9(7)->name, "i386/a");
    EXPECT_EQ(models.find_number_0_9(5)->number, cpu_type_dropped + 5);
    EXPECT_EQ(models.find_number(cpu_type_dropped + 5)->name, "old");
    EXPECT_EQ(models.find_number(7), nullptr);
    EXPECT_EQ(models.find_number(cpu_type_unnumbered), nullptr);
    EXPECT_EQ(models.find_number_0_9(1), nullptr);
}

TEST(CpuModels, the_first_row_that_matches_counts) {
    const CpuModels models = table();
    EXPECT_EQ(models.detect(x86("GenuineIntel", 6, 0x17, true)).name, "i386/a");
    EXPECT_EQ(models.detect(x86("GenuineIntel", 6, 0x17, false)).name, "i386/b");
    EXPECT_EQ(models.detect(x86("GenuineIntel", 6, 0x19, true)).name, "i386/b");
    EXPECT_EQ(models.detect(x86("GenuineIntel", 7, 0x17, true)).name, "timer");
    EXPECT_EQ(models.detect({}).name, "timer");
}

TEST(CpuModels, headers_get_the_number_of_a_row_that_has_one) {
    EXPECT_EQ(table().detect_numbered(x86("GenuineIntel", 6, 0x19, true)).number, cpu_type_timer);
    const auto zen = x86("AuthenticAMD", 0x19, 1, false);
    EXPECT_EQ(detected(zen), "x86-64/zen3");
    EXPECT_EQ(builtin_cpu_models().detect_numbered(zen).name, "x86-64/generic");
}

TEST(CpuModels, faults_are_reported_with_their_line) {
    EXPECT_EQ(fault("cpu:x counters:1 colour:red : X"), "models:10: unknown tag 'colour:'");
    EXPECT_EQ(fault("counters:1 : X"), "models:10: no tag 'cpu:'");
    EXPECT_EQ(fault("cpu:x counters:1"), "models:10: no description; write ' : TEXT' after the tags");
    EXPECT_EQ(fault("cpu:x counters:33 : X"), "models:10: '33' is no decimal number up to 32");
    EXPECT_EQ(fault("cpu:../x counters:1 : X"), "models:10: '../x' is no name of a CPU type");
    EXPECT_EQ(fault("cpu:i386/a counters:1 : X"), "models:10: 'i386/a' has a row already");
    EXPECT_EQ(fault("cpu:x number:1 counters:1 : X"), "models:10: 'i386/a' has that number already");
    EXPECT_EQ(fault("\tx86: Intel 6"), "models:10: x86: takes a vendor, families and models");
    EXPECT_EQ(fault("\tx86: Intel 6 7 red"), "models:10: 'red' is not perfmon, noperfmon or siblings:N");
    EXPECT_EQ(fault("\tarm: 41 d-c"), "models:10: 'd-c' is no hexadecimal number or range");
    EXPECT_EQ(fault("\tmood: good"), "models:10: 'mood: good' is not known here");
    EXPECT_EQ(fault("\tfilter: some"), "models:10: 'filter: some' is not known here");
    EXPECT_EQ(test::fault(ErrorKind::input, [] { CpuModels::parse("\tx86: a 1 2\n", "models"); }),
              "models:1: no 'cpu:NAME' line comes before this one");
    EXPECT_EQ(test::fault(ErrorKind::input, [] { CpuModels::parse("", "models"); }),
              "models:1: no row has number:4, the timer");
}

TEST(BuiltinCpuModels, numbers_differ_between_the_two_numberings) {
    const CpuModels& models = builtin_cpu_models();
    EXPECT_EQ(models.find_number(32)->name, "i386/core_2");
    EXPECT_EQ(models.find_number_0_9(40)->number, 32u);
    EXPECT_EQ(models.find_number(6)->name, "x86-64/hammer");
    EXPECT_EQ(models.find_number_0_9(6)->name, "i386/p4");
    EXPECT_EQ(models.find_number(87)->name, "arm/armv8-thunderx2");
    EXPECT_EQ(models.find_number(cpu_type_timer)->title, "CPU with timer interrupt");
    EXPECT_EQ(models.find_number(88), nullptr);
    EXPECT_EQ(models.find_number_0_9(84), nullptr);
}

TEST(BuiltinCpuModels, every_number_of_either_numbering_has_a_row) {
    std::set<std::string> names;
    for (uint32_t i = 0; i < 88; ++i) {
        ASSERT_NE(builtin_cpu_models().find_number(i), nullptr) << i;
        EXPECT_TRUE(names.insert(builtin_cpu_models().find_number(i)->name).second) << i;
    }
    names.clear();
    for (uint32_t i = 0; i < 84; ++i) {
        ASSERT_NE(builtin_cpu_models().find_number_0_9(i), nullptr) << i;
        EXPECT_TRUE(names.insert(builtin_cpu_models().find_number_0_9(i)->name).second) << i;
    }
    EXPECT_EQ(builtin_cpu_models().find_number_0_9(5)->name, "rtc");
}

TEST(CpuDetection, intel_models_are_detected_by_family_and_model) {
    EXPECT_EQ(detected(x86("GenuineIntel", 6, 0x3c, true)), "i386/haswell");
    EXPECT_EQ(detected(x86("GenuineIntel", 6, 0x9e, true)), "i386/skylake");
    EXPECT_EQ(detected(x86("GenuineIntel", 6, 0x1a, true)), "i386/core_i7");
    EXPECT_EQ(detected(x86("GenuineIntel", 6, 0xff, true)), "i386/arch_perfmon");
}

TEST(CpuDetection, intel_without_architectural_counters_goes_by_the_old_list) {
    EXPECT_EQ(detected(x86("GenuineIntel", 6, 1, false)), "i386/ppro");
    EXPECT_EQ(detected(x86("GenuineIntel", 6, 5, false)), "i386/pii");
    EXPECT_EQ(detected(x86("GenuineIntel", 6, 8, false)), "i386/piii");
    EXPECT_EQ(detected(x86("GenuineIntel", 6, 13, false)), "i386/p6_mobile");
    EXPECT_EQ(detected(x86("GenuineIntel", 6, 0x3c, false)), "timer");
    EXPECT_EQ(detected(x86("GenuineIntel", 15, 2, false)), "i386/p4");
    EXPECT_EQ(detected(x86("GenuineIntel", 15, 2, false, 2)), "i386/p4-ht");
    EXPECT_EQ(detected(x86("GenuineIntel", 15, 5, false)), "timer");
}

TEST(CpuDetection, amd_families_are_detected_and_future_ones_are_generic) {
    EXPECT_EQ(detected(x86("AuthenticAMD", 6, 1, false)), "i386/athlon");
    EXPECT_EQ(detected(x86("AuthenticAMD", 0x10, 1, false)), "x86-64/family10");
    EXPECT_EQ(detected(x86("AuthenticAMD", 0x13, 1, false)), "timer");
    EXPECT_EQ(detected(x86("AuthenticAMD", 0x1b, 1, false)), "x86-64/generic");
    EXPECT_EQ(detected(x86("AuthenticAMD", 5, 1, false)), "timer");
}

TEST(CpuDetection, hygon_is_detected_like_amd) {
    EXPECT_EQ(detected(x86("HygonGenuine", 0x18, 1, false)), "x86-64/zen1");
    EXPECT_EQ(detected(x86("HygonGenuine", 0x10, 1, false)), "x86-64/family10");
    EXPECT_EQ(detected(x86("CentaurHauls", 6, 0x3c, true)), "timer");
}

TEST(CpuDetection, arm_goes_by_implementer_and_part) {
    EXPECT_EQ(detected(arm("0x41", "0xd03")), "arm/armv8-ca53");
    EXPECT_EQ(detected(arm("0x42", "0x00f")), "arm/armv7-ca15");
    EXPECT_EQ(detected(arm("0x69", "0x211")), "arm/xscale1");
    EXPECT_EQ(detected(arm("0x69", "0x411")), "arm/xscale2");
    EXPECT_EQ(detected(arm("0x7f", "0xd03")), "timer");
    EXPECT_EQ(detected(arm("x", "0xd03")), "timer");
}

TEST(CpuDetection, power_goes_by_its_name_unless_the_kernel_plays_an_older_one) {
    const char* const cpuinfo = "processor\t: 0\ncpu\t\t: POWER9, altivec supported\n";
    EXPECT_EQ(detected(power("power9", "power9", cpuinfo)), "ppc64/power9");
    EXPECT_EQ(detected(power("", "", cpuinfo)), "ppc64/power9");
    EXPECT_EQ(detected(power("power8", "power9", cpuinfo)), "ppc64/power9");
    EXPECT_EQ(detected(power("power7+", "power7", "cpu : POWER7+\n")), "ppc64/power7");
    EXPECT_EQ(detected(power("power8", "power8", "cpu : POWER8E (raw)\n")), "ppc64/power8");
    EXPECT_EQ(detected(power("power7", "power9", cpuinfo)), "ppc64/architected_events_v1");
}

TEST(CpuDetection, others_go_by_proc_cpuinfo) {
    EXPECT_EQ(detected(of_cpuinfo("processor 0: version = FF,  identification = 0,  machine = 2964\n")),
              "s390/z13");
    EXPECT_EQ(detected(of_cpuinfo("cpu model\t: EV68CB\n")), "alpha/ev67");
    EXPECT_EQ(detected(of_cpuinfo("cpu model\t: MIPS 34Kc V5.4\n")), "mips/34K");
    EXPECT_EQ(detected(of_cpuinfo("model name\t: TILEPro\n")), "tile/tilepro");
}

TEST(CpuDetection, leaf_10_lists_counters_and_missing_events) {
    X86Processor cpu;
    set_perfmon(cpu, 0x07300403, 0xffffff80 | 0x10);
    EXPECT_EQ(cpu.perfmon_version, 3u);
    EXPECT_EQ(cpu.counters, 4u);
    EXPECT_EQ(cpu.missing_events, 0x10u);  // seven bits are valid
}

TEST(CpuDetection, early_nehalems_lack_reference_cycles_whatever_cpuid_reports) {
    for (const uint32_t stepping : {4u, 5u}) {
        X86Processor cpu;
        cpu.vendor = "GenuineIntel";
        cpu.family = 6;
        cpu.model = 26;
        cpu.stepping = stepping;
        set_perfmon(cpu, 0x07300403, 0);
        EXPECT_EQ(cpu.missing_events, stepping <= 4 ? 4u : 0u);
    }
}

TEST(CpuDetection, the_running_machine_has_rows) {
    const Processor machine = running_processor();
    EXPECT_NE(builtin_cpu_models().find(builtin_cpu_models().detect(machine).name), nullptr);
    EXPECT_LT(builtin_cpu_models().detect_numbered(machine).number, cpu_type_dropped);
}

}  // namespace op
