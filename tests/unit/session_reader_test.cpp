// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/session/session.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "libop/base/gzip.h"
#include "tests/unit/faults.h"
#include "tests/unit/temp_dir.h"

namespace op {

namespace {

namespace fs = std::filesystem;
using test::contains;
using test::fault;
using test::TempDir;

}  // namespace

TEST(SessionReader, missing_directory_is_a_system_error) {
    EXPECT_NE(fault(ErrorKind::system, [] { SessionReader("/nonexistent/session"); }), "");
}

TEST(SessionReader, list_is_sorted_and_leaves_out_what_is_no_sample_file) {
    const TempDir dir;
    const std::string base = "{root}/bin/a/{dep}/{root}/bin/a/";
    for (const char* name : {"Z.1.0.all.all.all", "A.1.0.all.all.all", "A.1.0.all.all.all.damaged", "note",
                             ".A.1.0.all.all.all.tmp"})
        dir.write(base + name, "");
    dir.write("{root}/bin/a/{dep}/{anon:anon}/5.jo", "");
    dir.write("{kern}/x/{dep}/{kern}/x/B.1.0.all.all.all", "");
    dir.write("stats/{root}/bin/a/{dep}/{root}/bin/a/A.1.0.all.all.all", "");
    dir.write("manifest.json", "{}");
    fs::create_symlink("A.1.0.all.all.all", dir / (base + "L.1.0.all.all.all"));
    fs::create_directory_symlink(dir / "{root}/bin/a", dir / "{root}/bin/link");
    ASSERT_EQ(::mkfifo((dir / (base + "F.1.0.all.all.all")).c_str(), 0600), 0);
    EXPECT_EQ(SessionReader(dir.path()).list(),
              (std::vector<std::string>{"{kern}/x/{dep}/{kern}/x/B.1.0.all.all.all",
                                        base + "A.1.0.all.all.all", base + "Z.1.0.all.all.all"}));
}

TEST(SessionReader, list_of_an_empty_session_is_empty) {
    const TempDir dir;
    EXPECT_TRUE(SessionReader(dir.path()).list().empty());
}

TEST(SessionReader, only_regular_files_are_read) {
    const TempDir dir;
    Diagnostics notes;
    const SessionReader reader(dir.path());
    ASSERT_EQ(::mkfifo((dir / "fifo").c_str(), 0600), 0);
    fs::create_symlink("fifo", dir / "link");
    EXPECT_TRUE(contains(fault(ErrorKind::input, [&] { reader.read("fifo", notes); }), "not a regular file"));
    EXPECT_NE(fault(ErrorKind::system, [&] { reader.read("link", notes); }), "");
    EXPECT_NE(fault(ErrorKind::system, [&] { reader.read("none", notes); }), "");
    EXPECT_NE(fault(ErrorKind::system, [&] { reader.read("/etc/passwd", notes); }), "");
    EXPECT_NE(fault(ErrorKind::input, [&] { reader.read(".", notes); }), "");
    dir.write("noise", std::string(100, '\0'));
    EXPECT_NE(fault(ErrorKind::input, [&] { reader.read("noise", notes); }), "");
}

TEST(SessionReader, kallsyms_snapshot_is_unpacked_or_warned_about) {
    const TempDir dir;
    Diagnostics notes;
    const SessionReader reader(dir.path());
    EXPECT_EQ(reader.kallsyms(notes), "");
    dir.write("kallsyms.gz", gzip("ffffffff81000000 T _text\n"));
    EXPECT_EQ(reader.kallsyms(notes), "ffffffff81000000 T _text\n");
    EXPECT_TRUE(notes.warnings().empty());
    dir.write("kallsyms.gz", "noise");
    EXPECT_EQ(reader.kallsyms(notes), "");
    EXPECT_EQ(notes.warnings().size(), 1u);
}

TEST(SessionReader, statistics_of_other_tools_are_read) {
    const TempDir dir;
    const SessionReader reader(dir.path());
    dir.write("stats/cpu0/sample_lost_overflow", "12\n");
    dir.write("stats/odd", "x");
    EXPECT_EQ(reader.statistic("cpu0/sample_lost_overflow"), 12u);
    EXPECT_EQ(reader.statistic("odd"), std::nullopt);
    EXPECT_EQ(reader.statistic("none"), std::nullopt);
    EXPECT_EQ(reader.statistic("cpu0"), std::nullopt);
}

}  // namespace op
