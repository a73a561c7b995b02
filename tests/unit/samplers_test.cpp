// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/source/samplers.h"

#include <gtest/gtest.h>

#include "tests/unit/faults.h"

namespace op::collect {
namespace {

EventEncoding of(Sampler sampler) {
    EventEncoding encoding;
    encoding.sampler = sampler;
    return encoding;
}

const std::vector<EventEncoding> encodings = {of(Sampler::counter),   of(Sampler::ibs_op),
                                              of(Sampler::ibs_fetch), of(Sampler::ibs_op),
                                              of(Sampler::counter),   of(Sampler::ibs_fetch)};

std::vector<RecordedEvent> events() {
    return {{"CPU_CLK_UNHALTED", 0x76, 100000},     {"IBS_OP_LOAD", 0xf201, 50000, 1, true, false},
            {"IBS_FETCH_KILLED", 0xf001, 64000},    {"IBS_OP_STORE", 0xf202, 50000, 1, false, true},
            {"RETIRED_INSTRUCTIONS", 0xc0, 100000}, {"IBS_FETCH_LATENCY", 0xf00e, 64000}};
}

}  // namespace

TEST(Samplers, are_opened_as_their_first_event_and_counters_each) {
    std::vector<size_t> opened;
    for (size_t i = 0; i < encodings.size(); ++i)
        opened.push_back(opened_for(encodings, i));
    EXPECT_EQ(opened, (std::vector<size_t>{0, 1, 2, 1, 4, 2}));
}

TEST(Samplers, report_all_their_events_with_the_modes_of_each) {
    const auto samplings = samplings_of(events(), encodings);
    ASSERT_EQ(samplings.size(), 2u);
    EXPECT_EQ(samplings[0].sampler, Sampler::ibs_op);
    EXPECT_EQ(samplings[0].opened, 1);
    ASSERT_EQ(samplings[0].events.size(), 2u);
    EXPECT_EQ(samplings[0].events[1].event, 3);
    EXPECT_EQ(samplings[0].events[1].how->code, 0xf202u);
    EXPECT_TRUE(samplings[0].events[0].kernel && !samplings[0].events[0].user);
    EXPECT_TRUE(!samplings[0].events[1].kernel && samplings[0].events[1].user);
    EXPECT_EQ(samplings[1].opened, 2);
    EXPECT_EQ(samplings[1].events.size(), 2u);
    EXPECT_TRUE(samplings_of({events()[0]}, {encodings[0]}).empty());
}

TEST(Samplers, an_event_of_unknown_derivation_is_refused) {
    EXPECT_EQ(test::fault(ErrorKind::usage,
                          [] {
                              samplings_of({{"IBS_OP_WHAT", 0xf2ff, 50000}}, {of(Sampler::ibs_op)});
                          }),
              "event 'IBS_OP_WHAT': which samples are such events is not known");
}

}  // namespace op::collect
