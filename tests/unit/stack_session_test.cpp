// SPDX-License-Identifier: GPL-2.0-or-later
// The stacks of a session as a part of its directory and its account.
#include <gtest/gtest.h>

#include <filesystem>

#include "libop/session/session.h"
#include "libop/session/session_files.h"
#include "libop/stacks/recover_account.h"
#include "tests/unit/faults.h"
#include "tests/unit/stored_stacks.h"

namespace op {

namespace {

namespace fs = std::filesystem;
using test::contains;
using test::file_image;
using test::some_class;
using test::TempDir;

/// Stores stacks of 3 samples, 1 of them without root, in a session that was begun.
void add_stacks(SessionWriter& session, Diagnostics& notes) {
    StackSet set(session.directory(), session.current_path(), notes, session.policy());
    const uint32_t app = set.image(file_image("/a"));
    const std::vector<StackFrame> stack{{app, 2, true}, {app, 1, false}};
    set.add(some_class, app, stack, StackEnd::root, 2);
    set.add(some_class, app, stack, StackEnd::dump_short, 1);
    set.add({"CYCLES", 100000, 1, 5, 5, {}}, app, stack, StackEnd::no_info, 4);
}

}  // namespace

TEST(StackSession, stacks_are_no_sample_files) {
    const TempDir dir;
    Diagnostics notes;
    SessionWriter session(dir / "d", true, notes);
    session.begin(false);
    add_stacks(session, notes);
    EXPECT_EQ(session.list(), std::vector<std::string>());
    EXPECT_EQ(session_part("stacks"), SessionPart::stacks);
    EXPECT_EQ(session_part("fleet.sent"), SessionPart::fleet);
    EXPECT_EQ(count_held_samples(session.directory(), "", notes).samples, 0u);
    EXPECT_EQ(notes.warnings(), std::vector<std::string>());
}

TEST(StackSession, stacks_go_with_their_session) {
    const TempDir dir;
    Diagnostics notes;
    SessionWriter session(dir / "d", true, notes);
    session.begin(false);
    add_stacks(session, notes);
    session.save_as("kept");
    EXPECT_TRUE(fs::exists(dir / "d/samples/kept/stacks/frames"));
    EXPECT_FALSE(fs::exists(dir / "d/samples/current/stacks"));
    add_stacks(session, notes);
    session.reset();
    EXPECT_TRUE(fs::is_empty(dir / "d/samples/current"));
    add_stacks(session, notes);
    dir.write("d/samples/current/{root}/x/y", "");
    session.begin(false);
    EXPECT_TRUE(fs::exists(dir / "d/samples/previous/stacks/frames"));
    add_stacks(session, notes);
    session.begin(false);
    EXPECT_TRUE(fs::exists(dir / "d/samples/previous/{root}/x/y")) << "stacks alone are no session";
}

TEST(StackSession, files_are_made_as_the_policy_has_it) {
    const TempDir dir;
    Diagnostics notes;
    const Fd session = open_file(dir.path(), O_RDONLY | O_DIRECTORY);
    const AccessPolicy policy{.is_strict = true, .directory_mode = 0750, .file_mode = 0640, .group = {}};
    {
        StackSet set(session, "S", notes, policy);
        set.add(some_class, set.image(file_image("/a")), {}, StackEnd::root, 1);
    }
    EXPECT_EQ(fs::status(dir / "stacks").permissions(), fs::perms(0750));
    for (const auto& entry : fs::directory_iterator(dir / "stacks")) {
        EXPECT_EQ(entry.status().permissions(), fs::perms(0640)) << entry.path();
        fs::permissions(entry.path(), fs::perms(0666));
        EXPECT_TRUE(contains(test::fault(ErrorKind::input,
                                         [&] {
                                             StackSet set(session, "S", notes, policy);
                                             set.add(some_class, 1, {}, StackEnd::root, 1);
                                             if (!notes.warnings().empty()) throw_input(notes.take().back());
                                         }),
                             "S/stacks/"));
        fs::permissions(entry.path(), fs::perms(0640));
    }
}

TEST(StackSession, links_are_not_followed) {
    const TempDir dir;
    Diagnostics notes;
    const Fd session = open_file(dir.path(), O_RDONLY | O_DIRECTORY);
    dir.write("elsewhere/precious", "1");
    fs::create_directory_symlink("elsewhere", dir / "stacks");
    EXPECT_TRUE(contains(test::fault(ErrorKind::system, [&] { StackSet(session, "S", notes); }), "link"));
    EXPECT_NE(test::fault(ErrorKind::system, [&] { StackSetReader::open(session, "S", notes); }), "");
    fs::remove(dir / "stacks");
    for (const char* name : {"images", "frames"}) {
        fs::create_directory(dir / "stacks");
        fs::create_symlink("../elsewhere/precious", dir / (std::string("stacks/") + name));
        EXPECT_NE(test::fault(ErrorKind::system, [&] { StackSet(session, "S", notes); }), "") << name;
        fs::remove_all(dir / "stacks");
    }
    EXPECT_EQ(read_file(dir / "elsewhere/precious"), "1");
}

TEST(StackSession, after_a_crash_the_account_is_that_of_the_files) {
    const TempDir dir;
    Diagnostics notes;
    const auto reopen = [&] {
        SessionWriter session(dir / "d", true, notes);
        session.begin(true);
        recover_account(session, notes);
        return session.read_info(notes)->stacks;
    };
    const StackAccount before{.complete = 1, .incomplete = {{"root", 7}}, .cut = 5, .lost = 6};
    {
        SessionWriter session(dir / "d", true, notes);
        session.begin(true);
        add_stacks(session, notes);
        SessionInfo info;
        info.stacks = before;
        session.write_info(info);
    }
    EXPECT_EQ(reopen(), before);
    dir.write("d/lock", "4194305");
    const StackAccount held{
        .complete = 2, .incomplete = {{"dump_short", 1}, {"no_info", 4}}, .cut = 5, .lost = 6};
    EXPECT_EQ(reopen(), held);
    EXPECT_TRUE(contains(notes.take().back(), "there are call stacks of 7 samples, the manifest had 8"));
    dir.write("d/lock", "4194305");
    EXPECT_EQ(reopen(), held);
    EXPECT_EQ(notes.warnings().size(), 0u);
}

}  // namespace op
