// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/perf/perf_errors.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace op::collect {
namespace {

bool mentions(const PerfSituation& situation, const std::string& text) {
    const std::string message = explain_perf_error(situation);
    EXPECT_EQ(message.find('\n'), std::string::npos) << "one line";
    return message.find(text) != std::string::npos;
}

}  // namespace

TEST(PerfErrors, a_refusal_names_knob_value_and_remedy) {
    const PerfSituation user{EACCES, false, false, "3", false, 0};
    EXPECT_TRUE(mentions(user, "kernel.perf_event_paranoid is 3"));
    EXPECT_TRUE(mentions(user, "sysctl kernel.perf_event_paranoid=2"));
    const PerfSituation system{EACCES, true, false, "2", false, 0};
    EXPECT_TRUE(mentions(system, "kernel.perf_event_paranoid=0"));
}

TEST(PerfErrors, a_system_call_filter_is_suspected_where_there_is_one) {
    EXPECT_TRUE(mentions({EPERM, false, true, "2", true, 0}, "seccomp"));
    EXPECT_TRUE(mentions({ENOSYS, false, true, "", true, 0}, "seccomp"));
    EXPECT_TRUE(mentions({ENOSYS, false, true, "", false, 0}, "CONFIG_PERF_EVENTS"));
}

TEST(PerfErrors, another_users_process_is_named) {
    EXPECT_TRUE(mentions({EACCES, false, false, "1", false, 42}, "process 42 belongs to another user"));
    EXPECT_TRUE(mentions({ESRCH, false, true, "1", false, 42}, "process 42 ended before"));
}

TEST(PerfErrors, samplers_see_the_kernel_and_older_ones_the_whole_system_only) {
    const PerfSituation user{EACCES, false, false, "2", false, 42, true};
    EXPECT_TRUE(mentions(user, "kernel.perf_event_paranoid is 2"));
    EXPECT_TRUE(mentions(user, "sysctl kernel.perf_event_paranoid=1"));
    EXPECT_TRUE(mentions({EACCES, true, false, "2", false, 0, true}, "kernel.perf_event_paranoid=0"));
    EXPECT_TRUE(mentions({EINVAL, false, true, "2", false, 0, true}, "use --system-wide"));
    EXPECT_FALSE(mentions({EINVAL, true, true, "2", false, 0, true}, "--system-wide"));
}

TEST(PerfErrors, a_refused_event_is_named) {
    PerfSituation situation{EINVAL, false, true, "2", false, 0};
    situation.event = "msr@tsc";
    EXPECT_TRUE(mentions(situation, "the kernel refuses event 'msr@tsc': it may count it"));
    situation.error = ENOENT;
    EXPECT_TRUE(mentions(situation, "cannot count event 'msr@tsc'; use event TIMER"));
}

TEST(PerfErrors, the_other_refusals_name_a_remedy) {
    EXPECT_TRUE(mentions({ENOENT, false, true, "2", false, 0}, "use event TIMER"));
    EXPECT_TRUE(mentions({EMFILE, false, true, "2", false, 0}, "ulimit -n"));
    EXPECT_TRUE(mentions({EBUSY, false, true, "2", false, 0}, "in use by another profiler"));
}

}  // namespace op::collect
