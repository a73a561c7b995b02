// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/session/session.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "libop/base/fd.h"
#include "libop/stacks/recover_account.h"
#include "tests/unit/faults.h"
#include "tests/unit/temp_dir.h"

namespace op {

namespace {

namespace fs = std::filesystem;
using test::contains;
using test::fault;
using test::TempDir;

SampleName sample(std::string image, std::string event = "TIMER") {
    SampleName name;
    name.app.name = image;
    name.image.name = std::move(image);
    name.event = std::move(event);
    name.count = 1;
    return name;
}

/// Opens a session in `dir` and stores one sample file for `image`; with no image, just begins.
void run_session(const std::string& dir, const std::string& image, bool append = false) {
    Diagnostics notes;
    SessionWriter session(dir, true, notes);
    session.begin(append);
    if (!image.empty()) session.open_sample_file(sample(image), {}, notes).add(1);
}

std::vector<std::string> images_in(const std::string& session) {
    std::vector<std::string> images;
    for (const std::string& path : SessionReader(session).list())
        images.push_back(parse_sample_path(path)->image.name);
    return images;
}

SessionWriter open(const std::string& dir, bool create = true) {
    Diagnostics notes;
    return SessionWriter(dir, create, notes);
}

}  // namespace

// ---- rotation

TEST(Session, first_run_makes_directory_and_current) {
    const TempDir dir;
    run_session(dir / "d", "/bin/a");
    EXPECT_EQ(images_in(dir / "d/samples/current"), std::vector<std::string>{"/bin/a"});
    EXPECT_FALSE(fs::exists(dir / "d/samples/previous"));
    EXPECT_FALSE(fs::exists(dir / "d/lock"));
}

TEST(Session, second_run_keeps_the_first_as_previous) {
    const TempDir dir;
    run_session(dir / "d", "/bin/a");
    run_session(dir / "d", "/bin/b");
    EXPECT_EQ(images_in(dir / "d/samples/current"), std::vector<std::string>{"/bin/b"});
    EXPECT_EQ(images_in(dir / "d/samples/previous"), std::vector<std::string>{"/bin/a"});
}

TEST(Session, third_run_deletes_the_first) {
    const TempDir dir;
    for (const char* image : {"/bin/a", "/bin/b", "/bin/c"})
        run_session(dir / "d", image);
    EXPECT_EQ(images_in(dir / "d/samples/current"), std::vector<std::string>{"/bin/c"});
    EXPECT_EQ(images_in(dir / "d/samples/previous"), std::vector<std::string>{"/bin/b"});
    EXPECT_FALSE(fs::exists(dir / "d/samples/.deleted"));
}

TEST(Session, run_without_samples_does_not_push_out_previous) {
    const TempDir dir;
    for (const char* image : {"/bin/a", "/bin/b", "", "/bin/c"})
        run_session(dir / "d", image);
    EXPECT_EQ(images_in(dir / "d/samples/current"), std::vector<std::string>{"/bin/c"});
    EXPECT_EQ(images_in(dir / "d/samples/previous"), std::vector<std::string>{"/bin/b"});
}

TEST(Session, foreign_files_move_to_previous_with_their_run) {
    for (const char* name : {"thesis.txt", "{root}/bin/a/{dep}/{root}/bin/a/TIMER.1.0.all.all.all.damaged",
                             "notes/stats", "stats.txt"}) {
        const TempDir dir;
        run_session(dir / "d", "");
        dir.write("d/samples/current/" + std::string(name), "precious");
        run_session(dir / "d", "/bin/a");
        EXPECT_TRUE(fs::exists(std::string(dir / "d/samples/previous/") + name)) << name;
    }
}

TEST(Session, the_leavings_of_a_run_without_samples_are_deleted) {
    const TempDir dir;
    run_session(dir / "d", "/bin/a");
    run_session(dir / "d", "/bin/b");
    for (const char* name : {"manifest.json", ".manifest.json.x1", "kallsyms.gz", "stats/lost_kernel",
                             "stats/throttled/TIMER", "stacks/frames"})
        dir.write("d/samples/current/" + std::string(name), "");
    fs::remove_all(dir / "d/samples/current/{root}");
    fs::create_directories(dir / "d/samples/current/{root}/bin");
    run_session(dir / "d", "/bin/c");
    EXPECT_EQ(images_in(dir / "d/samples/previous"), std::vector<std::string>{"/bin/a"});
}

TEST(Session, append_adds_to_current) {
    const TempDir dir;
    run_session(dir / "d", "/bin/a", true);
    run_session(dir / "d", "/bin/b", true);
    EXPECT_EQ(images_in(dir / "d/samples/current"), (std::vector<std::string>{"/bin/a", "/bin/b"}));
    EXPECT_FALSE(fs::exists(dir / "d/samples/previous"));
}

TEST(Session, opening_touches_nothing_recorded) {
    const TempDir dir;
    run_session(dir / "d", "/bin/a");
    open(dir / "d");
    EXPECT_EQ(images_in(dir / "d/samples/current"), std::vector<std::string>{"/bin/a"});
}

TEST(Session, saved_sessions_stay) {
    const TempDir dir;
    run_session(dir / "d", "/bin/a");
    fs::rename(dir / "d/samples/current", dir / "d/samples/saved");
    for (const char* image : {"/bin/b", "/bin/c", "/bin/d"})
        run_session(dir / "d", image);
    EXPECT_EQ(images_in(dir / "d/samples/saved"), std::vector<std::string>{"/bin/a"});
}

TEST(Session, a_session_half_deleted_by_a_crash_is_deleted) {
    const TempDir dir;
    run_session(dir / "d", "/bin/a");
    dir.write("d/samples/.deleted/{root}/x/y", "");
    run_session(dir / "d", "/bin/b", true);
    EXPECT_FALSE(fs::exists(dir / "d/samples/.deleted"));
}

TEST(Session, previous_that_is_a_link_loses_only_the_link) {
    const TempDir dir;
    dir.write("precious/file", "x");
    run_session(dir / "d", "/bin/a");
    fs::create_directory_symlink(dir / "precious", dir / "d/samples/previous");
    run_session(dir / "d", "/bin/b");
    EXPECT_TRUE(fs::exists(dir / "precious/file"));
    EXPECT_EQ(images_in(dir / "d/samples/previous"), std::vector<std::string>{"/bin/a"});
}

TEST(Session, current_that_is_a_link_is_refused) {
    const TempDir dir;
    dir.write("elsewhere/file", "x");
    open(dir / "d");
    fs::create_directory_symlink(dir / "elsewhere", dir / "d/samples/current");
    for (const bool append : {false, true})
        EXPECT_TRUE(contains(fault(ErrorKind::system, [&] { run_session(dir / "d", "/bin/a", append); }),
                             "samples/current is a symbolic link"));
    EXPECT_TRUE(fs::exists(dir / "elsewhere/file"));
    fs::remove(dir / "d/samples/current");
    dir.write("d/samples/current", "a file");
    EXPECT_TRUE(contains(fault(ErrorKind::system, [&] { run_session(dir / "d", "/bin/a"); }), "in the way"));
}

TEST(Session, links_inside_an_old_session_are_deleted_not_followed) {
    const TempDir dir;
    dir.write("precious/file", "x");
    run_session(dir / "d", "/bin/a");
    run_session(dir / "d", "/bin/b");
    fs::create_directory_symlink(dir / "precious", dir / "d/samples/previous/{root}/link");
    run_session(dir / "d", "/bin/c");
    EXPECT_TRUE(fs::exists(dir / "precious/file"));
}

TEST(Session, after_a_crash_the_account_is_that_of_the_files) {
    const TempDir dir;
    Diagnostics notes;
    const auto reopen = [&] {
        SessionWriter session(dir / "d", true, notes);
        session.begin(true);
        recover_account(session, notes);
        return session.read_info(notes);
    };
    {
        SessionWriter session(dir / "d", true, notes);
        session.begin(true);
        session.open_sample_file(sample("/bin/a"), {}, notes).add(1, 70);
        SampleName arc = sample("/bin/b");
        arc.callee = arc.image;
        session.open_sample_file(arc, {}, notes).add(1, 5);
        SessionInfo info;
        info.ledger.add_sampled(12);
        info.ledger.add_stored(10);
        info.ledger.add_lost(LossCause::no_mapping, 0, 2);
        session.write_info(info);
    }
    EXPECT_EQ(reopen()->ledger.stored(), 10u);
    dir.write("d/lock", "4194305");
    const auto recovered = reopen();
    EXPECT_EQ(recovered->ledger.stored(), 70u);
    EXPECT_EQ(recovered->ledger.sampled(), 72u);
    EXPECT_EQ(recovered->arcs_stored, 5u);
    EXPECT_TRUE(contains(notes.take().back(), "hold 70 samples, the manifest had 10"));
}

// ---- opening

TEST(Session, missing_directory_is_a_usage_error_unless_it_may_be_made) {
    const TempDir dir;
    EXPECT_TRUE(contains(fault(ErrorKind::usage, [&] { open(dir / "none", false); }), "does not exist"));
    EXPECT_FALSE(fs::exists(dir / "none"));
    EXPECT_TRUE(contains(fault(ErrorKind::system, [&] { open(dir / "none/deeper"); }), "cannot make"));
    EXPECT_TRUE(contains(fault(ErrorKind::system, [&] { open(dir.write("file", "x")); }), "cannot open"));
}

TEST(Session, samples_that_is_a_link_is_refused) {
    const TempDir dir;
    fs::create_directories(dir / "d");
    fs::create_directories(dir / "elsewhere");
    fs::create_directory_symlink(dir / "elsewhere", dir / "d/samples");
    EXPECT_TRUE(contains(fault(ErrorKind::system, [&] { open(dir / "d"); }), "symbolic link"));
}

TEST(Session, an_unwritable_directory_is_reported_at_once) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
    const TempDir dir;
    fs::create_directories(dir / "d/samples");
    fs::permissions(dir / "d/samples", fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_TRUE(contains(fault(ErrorKind::system, [&] { open(dir / "d"); }), "d/samples is not writable"));
    fs::permissions(dir / "d/samples", fs::perms::owner_all);
    fs::permissions(dir / "d", fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_TRUE(contains(fault(ErrorKind::system, [&] { open(dir / "d"); }), "is not writable"));
    fs::permissions(dir / "d", fs::perms::owner_all);
}

TEST(Session, default_directory_is_here_if_there_is_one) {
    const TempDir dir;
    const fs::path before = fs::current_path();
    fs::current_path(dir.path());
    EXPECT_EQ(default_session_dir(), "/var/lib/oprofile");
    dir.write("oprofile_data", "a file");
    EXPECT_EQ(default_session_dir(), "/var/lib/oprofile");
    fs::remove(dir / "oprofile_data");
    fs::create_directory(dir / "oprofile_data");
    EXPECT_EQ(default_session_dir(), "./oprofile_data");
    fs::current_path(before);
}

// ---- sample files

TEST(Session, sample_files_lie_where_their_names_say) {
    const TempDir dir;
    Diagnostics notes;
    SessionWriter session(dir / "d", true, notes);
    session.begin(false);
    session.open_sample_file(sample("/bin/a"), {}, notes);
    const std::string path = dir / "d/samples/current/{root}/bin/a/{dep}/{root}/bin/a/TIMER.1.0.all.all.all";
    ASSERT_TRUE(fs::is_regular_file(path));
}

TEST(Session, only_names_that_are_missing_are_to_be_made) {
    const TempDir dir;
    SessionWriter session = open(dir / "d");
    session.begin(false);
    const std::string path = mangle(sample("/bin/a"));
    EXPECT_EQ(session.names_to_make(sample("/bin/a")),
              1 + static_cast<size_t>(std::ranges::count(path, '/')));
    std::ofstream(session.current_path() + "/{root}") << "a file";
    EXPECT_EQ(session.names_to_make(sample("/bin/a")), 0u) << "none can be made";
}

TEST(Session, links_in_a_sample_path_are_refused) {
    const TempDir dir;
    fs::create_directories(dir / "elsewhere");
    Diagnostics notes;
    SessionWriter session(dir / "d", true, notes);
    session.begin(false);
    fs::create_directory_symlink(dir / "elsewhere", dir / "d/samples/current/{root}");
    const auto try_it = [&] { session.open_sample_file(sample("/bin/a"), {}, notes); };
    EXPECT_TRUE(contains(fault(ErrorKind::system, try_it), "{root} is a symbolic link"));
    EXPECT_TRUE(fs::is_empty(dir / "elsewhere"));
    fs::remove(dir / "d/samples/current/{root}");
    dir.write("d/samples/current/{root}/bin", "a file");
    EXPECT_TRUE(contains(fault(ErrorKind::system, try_it), "{root}/bin is in the way"));
}

TEST(Session, sample_file_with_a_second_name_is_not_written_to) {
    const TempDir dir;
    run_session(dir / "d", "/bin/a");
    const std::string file = "d/samples/current/{root}/bin/a/{dep}/{root}/bin/a/TIMER.1.0.all.all.all";
    fs::create_hard_link(dir / file, dir / "precious");
    const std::string before = read_file(dir / "precious");
    EXPECT_TRUE(contains(fault(ErrorKind::input, [&] { run_session(dir / "d", "/bin/a", true); }),
                         "TIMER.1.0.all.all.all has a second name"));
    EXPECT_EQ(read_file(dir / "precious"), before);
}

TEST(Session, names_that_cannot_be_spelled_or_are_too_long_are_errors) {
    const TempDir dir;
    Diagnostics notes;
    SessionWriter session(dir / "d", true, notes);
    session.begin(false);
    EXPECT_NE(fault(ErrorKind::input, [&] { session.open_sample_file(sample("/a/../b"), {}, notes); }), "");
    EXPECT_TRUE(
        contains(fault(ErrorKind::system,
                       [&] { session.open_sample_file(sample("/" + std::string(256, 'x')), {}, notes); }),
                 "name too long"));
}

TEST(Session, paths_longer_than_the_system_limit_are_written_listed_and_read) {
    const TempDir dir;
    Diagnostics notes;
    std::string image;
    while (image.size() < 4000)
        image += "/" + std::string(200, 'x');
    SessionWriter session(dir / "d", true, notes);
    session.begin(false);
    session.open_sample_file(sample(image), {}, notes).add(1);
    const SessionReader reader(session.current_path());
    const auto list = reader.list();
    ASSERT_EQ(list.size(), 1u);
    EXPECT_GT(list[0].size(), 8000u);
    EXPECT_EQ(parse_sample_path(list[0])->image.name, image);
    EXPECT_NO_THROW(reader.read(list[0], notes));
    session.begin(false);
    session.open_sample_file(sample("/a"), {}, notes).add(1);
    session.begin(false);
    EXPECT_FALSE(fs::exists(dir / "d/samples/.deleted"));
}

TEST(Session, use_before_begin_is_our_fault) {
    const TempDir dir;
    SessionWriter session = open(dir / "d");
    EXPECT_NE(fault(ErrorKind::internal, [&] { session.write_info({}); }), "");
}

// ---- what lies beside them

TEST(Session, manifest_survives_and_a_damaged_one_is_a_warning) {
    const TempDir dir;
    Diagnostics notes;
    SessionWriter session(dir / "d", true, notes);
    session.begin(true);
    EXPECT_FALSE(session.read_info(notes));
    SessionInfo info;
    info.host = "box";
    session.write_info(info);
    EXPECT_EQ(session.read_info(notes)->host, "box");
    EXPECT_EQ(SessionReader(session.current_path()).info(notes)->host, "box");
    EXPECT_TRUE(notes.warnings().empty());
    session.write_file(manifest_name, "{\"host\":");
    EXPECT_FALSE(session.read_info(notes));
    ASSERT_EQ(notes.warnings().size(), 1u);
    EXPECT_TRUE(contains(notes.warnings()[0], "samples/current/manifest.json: invalid JSON"));
}

TEST(Session, files_of_ours_have_plain_names) {
    const TempDir dir;
    SessionWriter session = open(dir / "d");
    session.begin(false);
    for (const char* name : {"", ".", "..", "a/b", "../x"}) {
        EXPECT_NE(fault(ErrorKind::internal, [&] { session.write_file(name, "x"); }), "") << name;
        EXPECT_NE(fault(ErrorKind::internal, [&] { session.create_in_samples(name); }), "") << name;
    }
    session.write_file("stacks", "abc");
    EXPECT_EQ(read_file(session.current_path() + "/stacks"), "abc");
}

TEST(Session, scratch_file_in_samples_is_private_and_replaces_traps) {
    const TempDir dir;
    SessionWriter session = open(dir / "d");
    fs::create_symlink(dir.write("victim", "x"), dir / "d/samples/operf.data");
    {
        const Fd file = session.create_in_samples("operf.data");
        struct stat st {};
        ASSERT_EQ(::fstat(file.get(), &st), 0);
        EXPECT_EQ(st.st_mode & 07777, 0600u);
        write_fd(file.get(), "data", "operf.data");
    }
    EXPECT_EQ(read_file(dir / "victim"), "x");
    EXPECT_EQ(read_file(dir / "d/samples/operf.data"), "data");
    session.remove_in_samples("operf.data");
    session.remove_in_samples("operf.data");
    EXPECT_FALSE(fs::exists(dir / "d/samples/operf.data"));
}

TEST(Session, statistics_are_written_for_the_classic_readers) {
    const TempDir dir;
    SessionWriter session = open(dir / "d");
    session.begin(false);
    SessionInfo info;
    info.ledger.add_sampled(100);
    info.ledger.add_stored(90);
    info.ledger.add_lost(LossCause::no_mapping, 0, 4);
    info.ledger.add_lost(LossCause::disk_full, 0, 1);
    info.ledger.add_lost(LossCause::saturated, 1, 5);
    info.events = {{"TIMER", 0, 1, 0, true, true, true}, {"../evil", 0, 1, 0, true, true, true}};
    session.write_statistics(info);
    const SessionReader reader(session.current_path());
    EXPECT_EQ(reader.statistic("lost_no_mapping"), 4u);
    EXPECT_EQ(reader.statistic("lost_samplefile"), 6u);
    EXPECT_EQ(reader.statistic("total_samples"), 100u);
    EXPECT_EQ(reader.statistic("lost_kernel"), std::nullopt);
    EXPECT_EQ(read_file(dir / "d/samples/current/stats/lost_no_mapping"), "4");
    EXPECT_TRUE(fs::exists(dir / "d/samples/current/stats/throttled/TIMER"));
    EXPECT_FALSE(fs::exists(dir / "d/samples/current/stats/evil"));
    EXPECT_TRUE(contains(read_file(dir / "d/abi"), "sizeof_struct_opd_header 72\n"));
    EXPECT_TRUE(reader.list().empty());
}

TEST(Session, statistics_of_a_sound_run_leave_no_counter_behind) {
    const TempDir dir;
    SessionWriter session = open(dir / "d");
    session.begin(false);
    SessionInfo info;
    info.ledger.add_sampled(5);
    info.ledger.add_stored(4);
    info.ledger.add_lost(LossCause::guest, 0, 1);
    session.write_statistics(info);
    EXPECT_FALSE(fs::is_empty(dir / "d/samples/current/stats"));
    session.write_statistics({});
    EXPECT_TRUE(fs::is_empty(dir / "d/samples/current/stats"));
}

TEST(Session, statistics_are_of_all_runs_and_the_log_of_the_last) {
    const TempDir dir;
    SessionWriter session = open(dir / "d");
    session.begin(false);
    SessionInfo whole, run;
    whole.ledger.add_lost(LossCause::guest, 0, 7);
    run.ledger.add_lost(LossCause::guest, 0, 3);
    session.write_statistics(whole);
    session.append_account(operf_log, run);
    EXPECT_EQ(SessionReader(session.current_path()).statistic("lost_invalid_hypervisor_addr"), 7u);
    EXPECT_TRUE(contains(read_file(dir / "d/samples/operf.log"), "samples lost: 3\n"));
}

TEST(Session, a_current_that_was_removed_or_replaced_is_noticed) {
    const TempDir dir;
    SessionWriter session = open(dir / "d");
    EXPECT_FALSE(session.is_in_place());
    session.begin(false);
    EXPECT_TRUE(session.is_in_place());
    fs::remove_all(dir / "d/samples/current");
    EXPECT_FALSE(session.is_in_place());
    fs::create_directory(dir / "d/samples/current");
    EXPECT_FALSE(session.is_in_place());
}

TEST(Session, log_grows_by_every_account) {
    const TempDir dir;
    SessionWriter session = open(dir / "d");
    session.begin(false);
    SessionInfo info;
    info.start_time = 1700000000;
    info.ledger.add_lost(LossCause::guest, 0, 7);
    session.append_account(operf_log, info);
    const std::string once = read_file(dir / "d/samples/operf.log");
    EXPECT_TRUE(contains(once, "session from 2023-11-14 22:13:20 UTC to unknown\n")) << once;
    EXPECT_TRUE(contains(once, "  7: taken in a virtual machine's guest or the hypervisor\n")) << once;
    session.append_account(operf_log, info);
    EXPECT_EQ(read_file(dir / "d/samples/operf.log"), once + once);
}

TEST(Session, a_recording_that_was_left_is_kept_under_a_free_name) {
    const test::TempDir dir;
    Diagnostics notes;
    SessionWriter session(dir.path(), false, notes);
    EXPECT_EQ(session.set_aside_in_samples("operf.data"), "");
    for (const char* content : {"first", "second"}) {
        dir.write("samples/operf.data", content);
        EXPECT_NE(session.set_aside_in_samples("operf.data"), "");
    }
    session.create_in_samples("operf.data");
    EXPECT_EQ(session.set_aside_in_samples("operf.data"), "") << "it is empty";
    EXPECT_EQ(read_file(dir / "samples/operf.data.1"), "first");
    EXPECT_EQ(read_file(dir / "samples/operf.data.2"), "second");
}

}  // namespace op
