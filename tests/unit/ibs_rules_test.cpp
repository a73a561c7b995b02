// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/events/ibs_rules.h"

#include <gtest/gtest.h>

#include "tests/unit/faults.h"

namespace op {
namespace {

/// Why events of that CPU type cannot be asked for together; "" = they can. Of the toy facilities by name's
/// prefix.
std::string fault_of(const std::vector<std::string>& specs, std::string_view cpu_type = "x86-64/zen3") {
    std::vector<CatalogueEvent> events(specs.size());
    std::vector<ResolvedEvent> resolved;
    for (size_t i = 0; i < specs.size(); ++i) {
        const EventSpec spec = parse_event_spec(specs[i]);
        events[i].name = spec.name;
        if (spec.name.starts_with("FETCH")) events[i].extended = "ibs_fetch";
        if (spec.name.starts_with("OP")) events[i].extended = "ibs_op";
        resolved.push_back({&events[i], spec, {static_cast<uint32_t>(spec.unit_mask.value_or(0)), 0, ""}});
    }
    try {
        check_ibs_events(cpu_type, resolved);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::usage);
        return error.what();
    }
    return "";
}

}  // namespace

TEST(IbsRules, events_of_one_sampler_have_one_count_and_one_unit_mask) {
    EXPECT_EQ(fault_of({"FETCH_A:50000", "FETCH_B:50000", "OP_A:64000:1", "OP_B:64000:1", "OTHER:7"}), "");
    EXPECT_EQ(fault_of({"FETCH_A:50000", "OTHER:7", "FETCH_B:64000"}),
              "event 'FETCH_B': it and 'FETCH_A' are derived from the same samples of ibs_fetch; give them "
              "one count and one unit mask");
    EXPECT_NE(fault_of({"OP_A:64000:1", "OP_B:64000:0"}), "");
    EXPECT_EQ(fault_of({"OP_A:64000:1:1:0", "OP_B:64000:1:0:1"}), "") << "modes are separated later";
}

TEST(IbsRules, counts_are_multiples_of_16) {
    EXPECT_EQ(fault_of({"FETCH_A:50001"}),
              "event 'FETCH_A': count 50001 is no multiple of 16, in which ibs_fetch counts; use 50000");
    EXPECT_EQ(fault_of({"OTHER:50001"}), "");
}

TEST(IbsRules, counts_fit_the_samplers_counter) {
    EXPECT_EQ(fault_of({"FETCH_A:1048560"}), "");
    EXPECT_EQ(fault_of({"FETCH_A:1048576"}),
              "event 'FETCH_A': count 1048576 is above the maximum of 1048560, all that the counter of "
              "ibs_fetch holds");
    EXPECT_EQ(fault_of({"OP_A:134217712"}), "");
    EXPECT_NE(fault_of({"OP_A:134217728"}), "");
    EXPECT_EQ(fault_of({"OP_A:1048560"}, "x86-64/family10"), "");
    EXPECT_NE(fault_of({"OP_A:1048576"}, "x86-64/family10"), "");
    EXPECT_EQ(fault_of({"OP_A:1048576"}, "x86-64/family12h"), "");
}

}  // namespace op
