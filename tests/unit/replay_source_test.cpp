// SPDX-License-Identifier: GPL-2.0-or-later
// From recorded stream to sample files. fork_exec.opstream: a shell forks, the child is sampled before and
// after it calls exec; a library is unmapped and anonymous memory takes its place; three samples are lost in
// the kernel. named_contexts.opstream: samples that the driver placed, of two scripts on two CPUs, of which
// one becomes another program with two threads more, one of them without a name; idle between them.
#include "daemon/source/replay_source.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <string>

#include "daemon/collect/collector.h"
#include "daemon/run/recording.h"
#include "libop/base/fd.h"
#include "libop/session/session.h"
#include "tests/unit/fixtures.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

/// The account of a stream replayed into a session below `dir`.
SessionInfo replay(const std::string& stream, const test::TempDir& dir, Diagnostics& notes,
                   const CollectorOptions& options = {}) {
    SessionWriter session(dir.path(), false, notes);
    session.begin(false);
    ReplaySource source(stream, notes);
    Collector collector(session, source.describe(), options, notes);
    drain_into(source, [&](auto records) { collector.process(records); });
    return collector.flush_and_account();
}

}  // namespace

TEST(ReplaySource, a_recorded_fork_and_exec_gives_each_program_its_samples) {
    const test::TempDir dir;
    Diagnostics notes;
    const SessionInfo info = replay(test::fixture("streams/fork_exec.opstream"), dir, notes);
    const std::string tail = "TIMER.1000000.0.all.all.all";
    const SessionReader reader(dir / "samples/current");
    EXPECT_EQ(reader.list(),
              (std::vector<std::string>{"{root}/bin/shell/{dep}/{anon:anon}/100.0x7f0000.0x7f0fff/" + tail,
                                        "{root}/bin/shell/{dep}/{root}/bin/shell/" + tail,
                                        "{root}/bin/shell/{dep}/{root}/lib/libc.so/" + tail,
                                        "{root}/bin/tool/{dep}/{root}/bin/tool/" + tail,
                                        "{root}/bin/tool/{dep}/{root}/proc/kallsyms/" + tail}));
    const auto shell = reader.read("{root}/bin/shell/{dep}/{root}/bin/shell/" + tail, notes);
    EXPECT_EQ(shell.total, 2u) << "the child before exec is the shell too";
    EXPECT_EQ(info.ledger.sampled(), 11u);
    EXPECT_EQ(info.ledger.stored(), 6u);
    EXPECT_EQ(info.ledger.lost(LossCause::no_mapping), 2u) << "the unmapped library, a stranger";
    EXPECT_EQ(info.ledger.lost(LossCause::kernel_buffer), 3u);
    EXPECT_TRUE(info.ledger.balanced());
    EXPECT_TRUE(notes.warnings().empty());
}

TEST(ReplaySource, recorded_contexts_name_the_programs_samples_and_threads) {
    const test::TempDir dir;
    Diagnostics notes;
    const SessionInfo info = replay(test::fixture("streams/named_contexts.opstream"), dir, notes,
                                    {.separation = {.library = true, .kernel = true, .thread = true}});
    EXPECT_EQ(info.names.commands(),
              (std::map<RecordedNames::Command, uint64_t>{{{"/bin/dash", "first.sh"}, 4},
                                                          {{"/bin/dash", "second.sh"}, 1},
                                                          {{"/bin/tool", "tool"}, 2},
                                                          {{"/bin/tool", "worker"}, 1}}));
    EXPECT_EQ(
        info.names.threads(),
        (std::map<RecordedNames::Thread, std::string>{
            {{0, 0}, "swapper/0"}, {{100, 100}, "first.sh"}, {{101, 101}, "tool"}, {{101, 102}, "worker"}}));
    EXPECT_EQ(info.ledger.stored(), 10u) << "an idle sample and one of a nameless thread have no name";
    EXPECT_EQ(info.ledger.lost(LossCause::no_mapping), 1u);
    EXPECT_EQ(info.ledger.lost(LossCause::kernel_buffer), 3u);
    EXPECT_TRUE(info.ledger.balanced());
}

TEST(ReplaySource, a_stream_that_lost_its_name_is_replayed_from_its_descriptor) {
    const test::TempDir dir;
    const std::string path = dir.write("stream", read_file(test::fixture("streams/fork_exec.opstream")));
    const Fd file = open_file(path, O_RDWR);
    ASSERT_EQ(::unlink(path.c_str()), 0);
    Diagnostics notes;
    ReplaySource source(MappedFile(file, path), path, notes);
    size_t records = 0;
    drain_into(source, [&](auto batch) { records += batch.size(); });
    EXPECT_GT(records, 11u);
}

TEST(ReplaySource, a_stream_cut_off_anywhere_is_used_up_to_there_and_the_account_balances) {
    const std::string whole = read_file(test::fixture("streams/fork_exec.opstream"));
    for (size_t cut = 8; cut < 400; cut += 40) {
        const test::TempDir dir;
        Diagnostics notes;
        const SessionInfo info =
            replay(dir.write("cut", whole.substr(0, whole.size() - cut + 4)), dir, notes);
        EXPECT_EQ(info.ledger.lost(LossCause::damaged_stream), 1u);
        EXPECT_EQ(notes.warnings().size(), 1u);
        EXPECT_TRUE(info.ledger.balanced());
    }
}

}  // namespace op::collect
