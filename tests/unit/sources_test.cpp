// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/service/sources.h"

#include <gtest/gtest.h>

#include "tests/unit/fake_oprofilefs.h"
#include "tests/unit/faults.h"
#include "tests/unit/fixtures.h"

namespace op::collect {

TEST(SourceKind, every_row_is_found_by_its_name) {
    for (const SourceKind& kind : source_kinds())
        EXPECT_EQ(&source_kind(kind.name), &kind);
}

TEST(SourceKind, an_unknown_name_is_answered_with_those_there_are) {
    const auto said = test::fault(ErrorKind::usage, [] { source_kind("tape"); });
    EXPECT_EQ(said, "no sample source \"tape\"; there are: driver, perf, replay");
}

TEST(SourceKind, opens_what_it_names) {
    const test::FakeOprofilefs fake;
    Diagnostics notes;
    SourceOptions options;
    options.files = fake.files();
    options.described.tool = "me";
    options.stream = test::fixture("streams/fork_exec.opstream");
    EXPECT_EQ(source_kind("driver").open(options, notes)->describe().tool, "me");
    EXPECT_FALSE(source_kind("replay").open(options, notes)->drain().empty());
}

}  // namespace op::collect
