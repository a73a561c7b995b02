// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/slice.h"

#include <gtest/gtest.h>

#include "libop/base/error.h"
#include "libop/stacks/stack_set.h"
#include "tests/unit/temp_dir.h"

namespace op::fleet {
namespace {

constexpr uint64_t start = 1764028800;

struct Manifest {
    std::string host = "web1", session_id = {};
    uint64_t start_time = start, stop_time = start + 60, sampled = 100, stored = 90;
};

Slice slice_of(const Manifest& manifest, SliceOptions options = {.session_dir = "/var/lib/oprofile"}) {
    SessionInfo info;
    info.host = manifest.host;
    info.session_id = manifest.session_id;
    info.start_time = manifest.start_time;
    info.stop_time = manifest.stop_time;
    info.ledger.add_sampled(manifest.sampled);
    info.ledger.add_stored(manifest.stored);
    info.ledger.add_lost(LossCause::no_mapping, 0, manifest.sampled - manifest.stored);
    const test::TempDir dir;
    dir.write("current/manifest.json", to_json(info));
    Diagnostics notes;
    return read_slice(SessionReader(dir / "current"), "current", options, start + 100, notes);
}

uint64_t version_of(const Manifest& manifest, bool is_sealed = false) {
    Slice slice = slice_of(manifest);
    slice.is_sealed = is_sealed;
    return account_version(slice);
}

}  // namespace

TEST(Slice, is_identified_by_host_and_session_wherever_its_copies_are) {
    const uint64_t original = slice_of({.session_id = "1a"}).id;
    EXPECT_EQ(slice_of({.session_id = "1a"}, {.session_dir = "/mnt/copy"}).id, original);
    EXPECT_EQ(slice_of({.session_id = "1a", .stop_time = start + 99, .sampled = 200}).id, original)
        << "it grew";
    EXPECT_NE(slice_of({.session_id = "1b"}).id, original) << "began in the same second";
    EXPECT_NE(slice_of({.host = "web2", .session_id = "1a"}).id, original);
}

TEST(Slice, without_an_id_is_identified_by_host_start_and_path) {
    const uint64_t original = slice_of({}).id;
    EXPECT_EQ(slice_of({}).id, original);
    EXPECT_NE(slice_of({.host = "web2"}).id, original);
    EXPECT_NE(slice_of({.start_time = start + 1}).id, original);
    EXPECT_NE(slice_of({}, {.session_dir = "/mnt/copy"}).id, original);
}

TEST(Slice, has_whole_files_only_once_it_is_complete) {
    SessionInfo info;
    info.host = "web1";
    info.start_time = start;
    info.unfinished = true;
    const test::TempDir dir;
    dir.write("current/manifest.json", to_json(info));
    dir.write("current/kallsyms.gz", "packed");
    Diagnostics notes;
    const auto read = [&](bool is_recorded) {
        return read_slice(SessionReader(dir / "current"), "current",
                          {.session_dir = "/s", .is_recorded = is_recorded}, start + 100, notes);
    };
    const Slice growing = read(true), left = read(false);
    EXPECT_FALSE(growing.is_sealed);
    ASSERT_EQ(growing.files.size(), 1u);
    EXPECT_EQ(growing.files[0].name, slice_index_name);
    EXPECT_TRUE(left.is_sealed) << "nobody records into it";
    EXPECT_EQ(left.files.size(), 2u);
}

TEST(Slice, leaves_out_counters_of_images_without_a_number_while_it_grows) {
    const test::TempDir dir;
    Diagnostics notes;
    SessionInfo info;
    info.host = "web1";
    info.start_time = start;
    info.unfinished = true;
    info.images["/bin/known"] = {.build_id = "ab"};
    SessionWriter writer(dir / "s", true, notes);
    writer.begin(false);
    const auto add = [&](const std::string& app, const std::string& image) {
        SampleName name;
        name.app = {ImageName::Kind::file, app};
        name.image = {ImageName::Kind::file, image};
        name.event = "TIMER";
        name.count = 1000;
        writer.open_sample_file(name, {}, notes).add(16, 5);
    };
    add("/bin/known", "/bin/known");
    add("/bin/known", "/bin/new");
    add("/bin/new", "/bin/known");
    const auto read = [&](bool is_recorded) {
        writer.write_info(info);
        return read_slice(SessionReader(dir / "s/samples/current"), "current",
                          {.session_dir = "/s", .is_recorded = is_recorded}, start + 100, notes);
    };
    EXPECT_EQ(sum_of(read(true).samples), 5u);
    const Slice complete = read(false);
    EXPECT_EQ(sum_of(complete.samples), 15u) << "there will be no number";
    info.images["/bin/new"] = {.deleted = true};
    EXPECT_EQ(sum_of(read(true).samples), 5u) << "the file may be found later";
    info.images["/bin/new"] = {.mtime = 7};
    EXPECT_EQ(sum_of(read(true).samples), 15u);
    info.images["/bin/new"] = {.build_id = "cd"};
    const Slice later = read(true);
    EXPECT_EQ(sum_of(later.samples), 15u);
    EXPECT_EQ(later.samples, read(false).samples);
    EXPECT_NE(later.samples, complete.samples) << "the number follows from the build-id";
}

TEST(Slice, leaves_out_stacks_with_an_image_without_a_number_while_it_grows) {
    const test::TempDir dir;
    Diagnostics notes;
    SessionInfo info;
    info.host = "web1";
    info.start_time = start;
    info.unfinished = true;
    info.images["/known"] = {.build_id = "ab"};
    SessionWriter writer(dir / "s", true, notes);
    writer.begin(false);
    writer.write_info(info);
    {
        StackSet set(writer.directory(), writer.current_path(), notes, writer.policy());
        const uint32_t known = set.image({ImageName::Kind::file, "/known"});
        const uint32_t blank = set.image({ImageName::Kind::file, "/new"});
        const SampleClass some{"CYCLES", 100000, 1, {}, {}, {}};
        const auto add = [&](uint32_t app, uint32_t caller, uint32_t innermost, StackEnd end,
                             uint64_t count) {
            const std::vector<StackFrame> stack{{innermost, 2, true}, {caller, 1, false}};
            set.add(some, app, stack, end, count);
        };
        add(known, known, known, StackEnd::root, 1);
        add(known, known, known, StackEnd::dump_short, 2);
        add(blank, known, known, StackEnd::root, 4);
        add(known, blank, known, StackEnd::root, 8);
        add(known, known, blank, StackEnd::dump_short, 16);
    }
    const auto sum = [&](bool is_recorded) {
        return sum_of(read_slice(SessionReader(dir / "s/samples/current"), "current",
                                 {.session_dir = "/s", .is_recorded = is_recorded}, start + 100, notes)
                          .stack_samples);
    };
    EXPECT_EQ(sum(true), 3u);
    EXPECT_EQ(sum(false), 31u);
}

TEST(Slice, has_counters_of_the_kernel_at_once) {
    const test::TempDir dir;
    Diagnostics notes;
    SessionInfo info;
    info.host = "web1";
    info.start_time = start;
    info.unfinished = true;
    info.images["module"] = {};
    info.kernel_images = {{.name = "/proc/kallsyms", .start = 0, .length = 0, .build_id = ""}};
    SessionWriter writer(dir / "s", true, notes);
    writer.begin(false);
    SampleName name;
    name.app = {ImageName::Kind::kernel, "module"};
    name.image = {ImageName::Kind::file, "/proc/kallsyms"};
    name.event = "TIMER";
    name.count = 1000;
    writer.open_sample_file(name, {}, notes).add(16, 5);
    writer.write_info(info);
    const Slice slice = read_slice(SessionReader(dir / "s/samples/current"), "current",
                                   {.session_dir = "/s", .is_recorded = true}, start + 100, notes);
    EXPECT_EQ(sum_of(slice.samples), 5u);
}

TEST(Slice, has_an_account_whose_version_grows_with_the_session) {
    const uint64_t before = version_of({});
    EXPECT_EQ(version_of({}), before) << "the clock is no part of it";
    EXPECT_GT(version_of({.sampled = 101}), before);
    EXPECT_GT(version_of({.stored = 91}), before);
    EXPECT_GT(version_of({.stop_time = start + 61}), before);
    EXPECT_GT(version_of({}, true), before) << "complete";
    EXPECT_GT(version_of({.sampled = 101}), version_of({}, true)) << "what was complete was appended to";
    EXPECT_GE(version_of({.sampled = UINT64_MAX}, true), version_of({.sampled = UINT64_MAX - 1}, true));
}

TEST(Slice, begins_at_a_time_that_can_be) {
    EXPECT_THROW(slice_of({.start_time = 5}), Error);
    EXPECT_THROW(slice_of({.start_time = start + 200'000}), Error);
}

}  // namespace op::fleet
