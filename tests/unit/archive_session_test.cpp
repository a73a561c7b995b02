// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/archive_session.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "libop/base/error.h"
#include "tests/unit/faults.h"
#include "tests/unit/temp_dir.h"

namespace op::tool {

namespace {

namespace fs = std::filesystem;
constexpr uid_t stranger = 65534;

/// The places in the archive of what is taken; its notes are appended to `notes`.
std::vector<std::string> taken(const test::TempDir& dir, std::string* notes = nullptr) {
    std::vector<std::string> targets;
    Diagnostics diagnostics;
    take_session_files(SessionReader(dir / "samples/current"), diagnostics,
                       [&](const SessionFile& each) { targets.push_back(each.target); });
    for (const std::string& note : diagnostics.warnings())
        if (notes) *notes += note + "\n";
    return targets;
}

/// The same of one sample file; empty if it is left out.
std::string taken_sample_file(const test::TempDir& dir, const std::string& path,
                              std::string* notes = nullptr) {
    std::string target;
    Diagnostics diagnostics;
    take_sample_file(SessionReader(dir / "samples/current"), path, diagnostics,
                     [&](const SessionFile& each) { target = each.target; });
    for (const std::string& note : diagnostics.warnings())
        if (notes) *notes += note + "\n";
    EXPECT_EQ(target.empty(), !diagnostics.warnings().empty());
    return target;
}

const std::string top = "/var/lib/oprofile";

}  // namespace

TEST(ArchiveSession, takes_what_a_session_has) {
    const test::TempDir dir;
    for (const char* const name :
         {"manifest.json", "kallsyms.gz", "stats/lost_kernel", "stats/cpu0/received", "stats/a/b/c",
          "images/ab12", "core", "keys/id_rsa", "stacks/frames", "stacks/images",
          "stacks/CYCLES.1.0.all.all.all", "stacks/CYCLES.1.0.all.all.all.damaged", "stacks/other"})
        dir.write(std::string("samples/current/") + name, "1");
    dir.write("abi", "1");
    dir.write("samples/operf.log", "1");
    dir.write("secret", "1");
    std::string notes;
    const std::string session = top + "/samples/current";
    EXPECT_EQ(
        taken(dir, &notes),
        (std::vector<std::string>{session + "/kallsyms.gz", session + "/manifest.json",
                                  session + "/stacks/CYCLES.1.0.all.all.all", session + "/stacks/frames",
                                  session + "/stacks/images", session + "/stats/cpu0/received",
                                  session + "/stats/lost_kernel", top + "/samples/operf.log", top + "/abi"}));
    EXPECT_TRUE(test::contains(notes, "(core,keys)")) << notes;
}

TEST(ArchiveSession, takes_nothing_that_is_larger_than_a_session_has_it) {
    const test::TempDir dir;
    for (const char* const name : {"manifest.json", "kallsyms.gz", "stats/lost_kernel", "../operf.log"})
        fs::resize_file(dir.write(std::string("samples/current/") + name, ""), uint64_t{1} << 40);
    std::string notes;
    EXPECT_TRUE(taken(dir, &notes).empty());
    EXPECT_TRUE(
        test::contains(notes, "stats/lost_kernel is not in the archive: it is larger than 4096 bytes"));
    EXPECT_TRUE(test::contains(notes, "operf.log is not in the archive: it is larger than 67108864 bytes"));
}

TEST(ArchiveSession, sample_files_are_not_reached_through_links) {
    const test::TempDir dir;
    dir.write("elsewhere/file", "1");
    dir.write("samples/current/{root}/file", "1");
    fs::create_directory_symlink("../../elsewhere", dir / "samples/current/{kern}");
    EXPECT_EQ(taken_sample_file(dir, "{root}/file"), top + "/samples/current/{root}/file");
    EXPECT_EQ(taken_sample_file(dir, "{kern}/file"), "");
    EXPECT_EQ(taken_sample_file(dir, "{root}/absent"), "");
    EXPECT_EQ(taken_sample_file(dir, "{none}/absent"), "");
}

TEST(ArchiveSession, a_sample_file_that_is_too_large_is_left_out) {
    const test::TempDir dir;
    const std::string file = dir.write("samples/current/{root}/a/{dep}/{root}/a/TIMER", "");
    fs::resize_file(file, uint64_t{1} << 30);
    EXPECT_NE(taken_sample_file(dir, "{root}/a/{dep}/{root}/a/TIMER"), "");
    fs::resize_file(file, (uint64_t{1} << 30) + 1);
    std::string notes;
    EXPECT_EQ(taken_sample_file(dir, "{root}/a/{dep}/{root}/a/TIMER", &notes), "");
    EXPECT_TRUE(test::contains(notes, "TIMER is not in the archive: it is larger than 1073741824 bytes"));
}

TEST(ArchiveSession, a_link_of_a_strangers_leads_to_no_session) {
    const test::TempDir dir;
    dir.write("hidden/samples/current/manifest.json", "1");
    fs::create_directories(dir / "samples");
    fs::create_directory_symlink("../hidden/samples/current", dir / "samples/current");
    check_session_place(SessionReader(dir / "hidden/samples/current"));
    check_session_place(SessionReader(dir / "samples/current"));
    if (::geteuid() != 0) GTEST_SKIP() << "only root has strangers' links to show";
    ASSERT_EQ(::lchown((dir / "samples/current").c_str(), stranger, stranger), 0);
    EXPECT_THROW(check_session_place(SessionReader(dir / "samples/current")), Error);
}

TEST(ArchiveSession, a_strangers_hard_link_to_a_private_file_is_not_taken) {
    if (::geteuid() != 0) GTEST_SKIP() << "not root";
    const test::TempDir dir;
    fs::permissions(dir.write("shadow", "secret"), fs::perms::owner_read);
    dir.write("samples/current/manifest.json", "1");
    fs::create_hard_link(dir / "shadow", dir / "samples/operf.log");
    EXPECT_EQ(taken(dir).size(), 2u) << "root's own";
    ASSERT_EQ(::chown((dir / "samples").c_str(), stranger, stranger), 0);
    EXPECT_EQ(taken(dir).size(), 1u);
    const std::string sample_file = "{root}/a/TIMER", place = dir / "samples/current/{root}/a";
    fs::create_directories(place);
    fs::create_hard_link(dir / "shadow", place + "/TIMER");
    EXPECT_NE(taken_sample_file(dir, sample_file), "") << "in a directory of root's";
    ASSERT_EQ(::chown(place.c_str(), stranger, stranger), 0);
    EXPECT_EQ(taken_sample_file(dir, sample_file), "");
}

}  // namespace op::tool
