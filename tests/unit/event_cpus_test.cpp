// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf/event_cpus.h"

#include <gtest/gtest.h>

#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

/// A processor with two kinds of cores, and a memory controller.
class EventCpus : public ::testing::Test {
protected:
    EventCpus() {
        put("cpu_core/type", "4");
        put("cpu_core/cpus", "0-3");
        put("cpu_atom/type", "10");
        put("cpu_atom/cpus", "4-7");
        put("uncore_imc/type", "12");
        put("uncore_imc/cpumask", "0");
        put("msr/type", "13");
    }
    void put(const std::string& file, const std::string& text) { dir_.write(file, text + "\n"); }
    CountingCpus cpus(uint32_t type) const {
        EventEncoding encoding;
        encoding.type = type;
        return cpus_of_event(dir_.path(), encoding);
    }

    test::TempDir dir_;
    const std::vector<uint32_t> core_{0, 1, 2, 3}, atom_{4, 5, 6, 7};
};

}  // namespace

TEST_F(EventCpus, codes_without_a_pmu_are_for_the_first_kind_of_core) {
    for (const uint32_t type : {perf_type_hardware, perf_type_raw, 3u})
        EXPECT_EQ(cpus(type), core_);
    EXPECT_EQ(cpus(10), atom_);
    EXPECT_EQ(cpus(perf_type_software), std::nullopt);
}

TEST_F(EventCpus, a_pmu_without_a_cpu_list_counts_on_all_cpus) {
    EXPECT_EQ(cpus(13), std::nullopt);
    EXPECT_EQ(cpus(12), std::nullopt) << "a PMU outside the CPUs takes no samples there";
    EXPECT_EQ(cpus(99), std::nullopt);
    EXPECT_EQ(cpus_of_pmu(dir_.path(), "uncore_imc"), std::vector<uint32_t>{0});
    EXPECT_EQ(cpus_of_pmu(dir_.path(), "cpu_atom"), atom_);
    EXPECT_EQ(cpus_of_pmu(dir_.path(), "msr"), std::nullopt);
}

TEST(CountingCpus, are_all_cpus_or_those_of_the_list) {
    EXPECT_TRUE(counts_on(std::nullopt, 5));
    EXPECT_TRUE(counts_on(std::vector<uint32_t>{0, 2}, 2));
    EXPECT_FALSE(counts_on(std::vector<uint32_t>{0, 2}, 1));
    EXPECT_FALSE(counts_on(std::vector<uint32_t>{}, 0));
}

TEST(EventCpusOfOneKind, are_all) {
    const test::TempDir dir;
    EXPECT_EQ(cpus_of_event(dir.path(), {}), std::nullopt);
    EXPECT_EQ(cpus_of_event(dir.path() + "/none", {.type = 10}), std::nullopt);
}

}  // namespace op::collect
