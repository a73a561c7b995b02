// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/session/session_info.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "libop/base/error.h"
#include "libop/session/event_label.h"
#include "tests/unit/faults.h"

using namespace std::literals;

namespace op {

namespace {

constexpr uint64_t most = std::numeric_limits<uint64_t>::max();

SessionInfo full_info() {
    SessionInfo info;
    info.tool = "operf 0.1";
    info.session_id = std::string(32, 'a');
    info.command = "make -j\t\"all\"";
    info.host = "box";
    info.kernel_release = "6.1.0";
    info.machine = "x86_64";
    info.cpu_type = 67;
    info.cpu_type_name = "i386/haswell";
    info.cpu_model = "Some CPU @ 2.80GHz";
    info.cpu_speed_mhz = 2793.436;
    info.start_time = 1700000000;
    info.stop_time = most;
    info.unfinished = true;
    info.events = {{"TIMER", 0, 1000000, 0, true, true, true},
                   {"CYC", 0x3c, most, 7, false, true, false, "L3_MISS"}};
    info.events[1].time = {most, 1};
    info.kernel_images = {{"/proc/kallsyms", 0xffffffff81000000, 0x1000000, "0a0b"}, {"ext4", most, 0, ""}};
    info.images["/bin/true"] = {"deadbeef", 1699999999, false};
    info.images["/tmp/gone"] = {"", 0, true};
    info.ledger.add_sampled(most);
    info.ledger.add_stored(123);
    for (int i = 0; i < loss_causes; ++i)
        info.ledger.add_lost(static_cast<LossCause>(i), i * 3, i + 1);
    info.arcs_stored = 5;
    info.arcs_lost = 6;
    info.side_band_lost = 9;
    info.unsure_samples = 8;
    info.mappings_left_out = 9;
    info.missed_periods = 4;
    info.clock_set_forward = 1700000000;
    info.clock_set_back = 3;
    info.dropped.add({"fleet-20261125T000000Z", most, 1, 2});
    info.dropped.add({"", 7, 0, 0});
    info.stacks = {.complete = most, .incomplete = {{"dump_short", 3}, {"new%", 4}}, .cut = 5, .lost = 6};
    info.recorder_cpu = {most, 12};
    info.names.add_command("/bin/\xff%41", "a \"name\"\n", most);
    info.names.set_thread({1, 4294967295}, "50%\xfe");
    info.names.add_left_out_samples(7);
    info.names.set_left_out_threads();
    return info;
}

void expect_same(const SessionInfo& a, const SessionInfo& b) {
    EXPECT_EQ(a.session_id, b.session_id);
    EXPECT_EQ(a.tool, b.tool);
    EXPECT_EQ(a.command, b.command);
    EXPECT_EQ(a.host, b.host);
    EXPECT_EQ(a.kernel_release, b.kernel_release);
    EXPECT_EQ(a.machine, b.machine);
    EXPECT_EQ(a.cpu_type, b.cpu_type);
    EXPECT_EQ(a.cpu_type_name, b.cpu_type_name);
    EXPECT_EQ(a.cpu_model, b.cpu_model);
    EXPECT_EQ(a.cpu_speed_mhz, b.cpu_speed_mhz);
    EXPECT_EQ(a.start_time, b.start_time);
    EXPECT_EQ(a.stop_time, b.stop_time);
    EXPECT_EQ(a.unfinished, b.unfinished);
    EXPECT_EQ(a.events, b.events);
    EXPECT_EQ(a.kernel_images, b.kernel_images);
    EXPECT_EQ(a.images, b.images);
    EXPECT_TRUE(a.ledger == b.ledger);
    EXPECT_EQ(a.arcs_stored, b.arcs_stored);
    EXPECT_EQ(a.arcs_lost, b.arcs_lost);
    EXPECT_EQ(a.side_band_lost, b.side_band_lost);
    EXPECT_EQ(a.missed_periods, b.missed_periods);
    EXPECT_EQ(a.clock_set_forward, b.clock_set_forward);
    EXPECT_EQ(a.clock_set_back, b.clock_set_back);
    EXPECT_EQ(a.dropped, b.dropped);
    EXPECT_EQ(a.stacks, b.stacks);
    EXPECT_EQ(a.recorder_cpu, b.recorder_cpu);
    EXPECT_EQ(a.unsure_samples, b.unsure_samples);
    EXPECT_EQ(a.mappings_left_out, b.mappings_left_out);
    EXPECT_EQ(a.names, b.names);
}

std::string fault(std::string_view json) {
    try {
        parse_session_info(json, "x/manifest.json");
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        return error.what();
    }
    return "";
}

}  // namespace

TEST(Manifest, everything_survives_a_round_trip) {
    const SessionInfo info = full_info();
    const std::string json = to_json(info);
    EXPECT_EQ(json.back(), '\n');
    expect_same(parse_session_info(json, "m"), info);
    expect_same(parse_session_info(to_json(SessionInfo()), "m"), SessionInfo());
}

TEST(Manifest, a_dropped_session_counts_once_and_beyond_the_limit_in_a_sum) {
    DroppedSessions dropped;
    dropped.add({"fleet-1", 5, 1, 2});
    dropped.add({"fleet-1", 5, 1, 2});
    EXPECT_EQ(dropped.samples(), 5u);
    for (size_t i = 0; i < DroppedSessions::most_rows + 10; ++i)
        dropped.add({"fleet-x" + std::to_string(i), 1, 0, 0});
    EXPECT_EQ(dropped.rows().size(), DroppedSessions::most_rows + 1);
    EXPECT_EQ(dropped.rows().back().session, "");
    EXPECT_EQ(dropped.samples(), 5 + DroppedSessions::most_rows + 10);
    SessionInfo info;
    info.dropped = dropped;
    EXPECT_EQ(parse_session_info(to_json(info), "m").dropped, dropped);
    info.merge(info);
    EXPECT_EQ(info.dropped.rows().size(), DroppedSessions::most_rows + 1);
}

TEST(Manifest, paths_of_any_bytes_survive_a_round_trip) {
    std::mt19937 random(3);
    SessionInfo info;
    for (int i = 0; i < 2000; ++i) {
        std::string path = "/";
        for (size_t n = random() % 12; n > 0; --n)
            path += static_cast<char>(random() % 3 ? random() : 0xe0 + random() % 32);
        info.images[path] = {"ab", static_cast<uint64_t>(i), false};
    }
    info.command =
        "50%41 of \xed\xa0\x80 \xc0\xaf \xf4\x90\x80\x80 \xc3\xa9 \xf0\x9f\x98\x80 \x01\x7f"s + '\0';
    expect_same(parse_session_info(to_json(info), "m"), info);
}

TEST(Manifest, readable_text_stays_readable) {
    SessionInfo info;
    info.host = "b\xc3\xb6x";
    info.command = "\xff%";
    const std::string json = to_json(info);
    EXPECT_NE(json.find("\"host\": \"b\xc3\xb6x\""), json.npos) << json;
    EXPECT_NE(json.find("\"command\": \"%ff%25\""), json.npos) << json;
    EXPECT_EQ(parse_session_info("{\"host\": \"100%, %zz %4\"}", "m").host, "100%, %zz %4");
}

TEST(Manifest, missing_members_keep_their_defaults_and_unknown_ones_are_ignored) {
    const SessionInfo info =
        parse_session_info(R"({"host": "a", "colour": [1, {}], "events": [{"new": 1}]})", "m");
    EXPECT_EQ(info.host, "a");
    ASSERT_EQ(info.events.size(), 1u);
    EXPECT_TRUE(info.events[0].kernel);
    EXPECT_EQ(info.events[0].time, CountedTime{}) << "not known";
    EXPECT_EQ(fault(R"({"ledger": {"lost": {"by_a_newer_cause": {"0": 1}}}})"), "");
}

TEST(Manifest, wrong_types_are_reported_by_member) {
    EXPECT_EQ(fault(R"({"host": 1})"), "x/manifest.json: member 'host' is not a string");
    EXPECT_EQ(fault(R"({"events": {}})"), "x/manifest.json: member 'events' is not an array");
    EXPECT_EQ(fault(R"({"events": [{}, {"count": -1}]})"),
              "x/manifest.json: member 'events[1].count' is not an unsigned number below 2^64");
    EXPECT_EQ(fault(R"({"cpu_type": 4294967296})"),
              "x/manifest.json: member 'cpu_type' is not an unsigned number below 2^32");
    EXPECT_EQ(fault(R"({"start_time": 18446744073709551616})"),
              "x/manifest.json: member 'start_time' is not an unsigned number below 2^64");
    EXPECT_EQ(fault(R"({"events": [{"user": 1}]})"),
              "x/manifest.json: member 'events[0].user' is not true or false");
    EXPECT_EQ(fault(R"({"cpu_speed_mhz": "1"})"), "x/manifest.json: member 'cpu_speed_mhz' is not a number");
    EXPECT_EQ(fault(R"({"images": {"/a": 3}})"), "x/manifest.json: member 'images./a' is not an object");
    EXPECT_EQ(fault(R"({"ledger": []})"), "x/manifest.json: member 'ledger' is not an object");
    EXPECT_EQ(fault(R"({"ledger": {"lost": {"guest": {"x": 1}}}})"),
              "x/manifest.json: member 'ledger.lost.guest' is not an object of CPU numbers");
    EXPECT_EQ(fault("[]"), "x/manifest.json: the manifest is not an object");
}

TEST(Manifest, newer_format_is_refused) {
    EXPECT_EQ(fault(R"({"format": 1})"), "");
    EXPECT_NE(fault(R"({"format": 2})").find("newer oprofile-ng"), std::string::npos);
}

TEST(Manifest, damage_is_an_input_error_and_never_a_crash) {
    const std::string json = to_json(full_info());
    for (size_t n = 0; n + 1 < json.size(); ++n)
        EXPECT_NE(fault(std::string_view(json).substr(0, n)), "") << n;
    EXPECT_EQ(fault("{\"a"), "x/manifest.json: invalid JSON at byte 4");
    EXPECT_NE(fault(std::string(64, '\0')), "");
    EXPECT_NE(fault(json + "\0"s), "");
    EXPECT_NE(fault("{\"host\": \"\xff\"}"), "");
    EXPECT_NE(fault("{\"cpu_speed_mhz\": 1e999}"), "");
}

TEST(Manifest, nesting_bombs_are_refused) {
    EXPECT_EQ(fault(std::string(1 << 20, '[')), "x/manifest.json: nested too deeply for a manifest");
    std::string objects;
    for (int i = 0; i < 100000; ++i)
        objects += "{\"a\":";
    EXPECT_EQ(fault(objects), "x/manifest.json: nested too deeply for a manifest");
}

TEST(Manifest, speeds_that_are_no_numbers_are_written_as_unknown) {
    SessionInfo info;
    info.cpu_speed_mhz = std::nan("");
    EXPECT_EQ(parse_session_info(to_json(info), "m").cpu_speed_mhz, 0);
}

TEST(SessionInfo, merge_widens_times_and_adds_accounts) {
    SessionInfo info = full_info(), newer;
    info.stop_time = 1700000010;
    newer.start_time = 1700000100;
    newer.stop_time = 1700000200;
    newer.ledger.add_stored(10);
    newer.arcs_lost = newer.side_band_lost = newer.unsure_samples = newer.mappings_left_out = most;
    newer.missed_periods = 6;
    newer.command = "other";
    newer.session_id = std::string(32, 'b');
    info.merge(newer);
    EXPECT_EQ(info.session_id, std::string(32, 'a')) << "the session's, not the run's";
    EXPECT_EQ(info.start_time, 1700000000u);
    EXPECT_EQ(info.stop_time, 1700000200u);
    EXPECT_FALSE(info.unfinished) << "the newer run's";
    EXPECT_EQ(info.ledger.stored(), 133u);
    EXPECT_EQ(info.arcs_lost, most);
    EXPECT_EQ(info.side_band_lost, most);
    EXPECT_EQ(info.unsure_samples, most);
    EXPECT_EQ(info.mappings_left_out, most);
    EXPECT_EQ(info.missed_periods, 10u);
    EXPECT_EQ(info.command, "other");
    EXPECT_EQ(info.host, "box");
    EXPECT_EQ(info.cpu_type, 67u);
}

TEST(SessionInfo, merge_unites_lists_and_the_newer_wins) {
    SessionInfo info = full_info(), newer;
    newer.events = {{"TIMER", 9, 1000000, 0, true, true, false}, {"TIMER", 0, 20000, 0, true, true, false}};
    newer.kernel_images = {{"ext4", 1, 2, "cc"}, {"xfs", 3, 4, ""}};
    newer.images["/bin/true"] = {"f00d", 1, false};
    info.merge(newer);
    ASSERT_EQ(info.events.size(), 3u);
    EXPECT_EQ(info.events[0].code, 9u);
    EXPECT_TRUE(info.events[0].throttled) << "once held back, held back";
    ASSERT_EQ(info.kernel_images.size(), 3u);
    EXPECT_EQ(info.kernel_images[1].build_id, "cc");
    EXPECT_EQ(info.images.size(), 2u);
    EXPECT_EQ(info.images["/bin/true"].build_id, "f00d");
}

TEST(SessionInfo, merge_records_that_an_image_was_rebuilt) {
    const auto merged = [](const RecordedImage& before, const RecordedImage& after) {
        SessionInfo sum, newer;
        sum.images["/bin/a"] = before;
        newer.images["/bin/a"] = after;
        sum.merge(newer);
        return sum.recorded("/bin/a", 0).several_builds;
    };
    EXPECT_TRUE(merged({"ab", 5}, {"cd", 5}));
    EXPECT_FALSE(merged({"ab", 5}, {"ab", 6})) << "the same build, copied";
    EXPECT_TRUE(merged({"", 5}, {"cd", 6})) << "without build-ids the time decides";
    EXPECT_TRUE(merged({.mtime = 5, .size = 8}, {.mtime = 5, .size = 9})) << "and the size";
    EXPECT_TRUE(merged({.mtime = 5, .size = 8, .checksum = 1}, {.mtime = 5, .size = 8, .checksum = 2}));
    EXPECT_FALSE(merged({.mtime = 5, .size = 8, .checksum = 1}, {.mtime = 6, .size = 8, .checksum = 1}))
        << "the same content, written again";
    EXPECT_FALSE(merged({"", 0}, {"cd", 6})) << "nothing is known of it";
    EXPECT_TRUE(merged({"ab", 5, false, true}, {"ab", 5})) << "in a run before";
    EXPECT_TRUE(merged({.elsewhere = true}, {"cd", 6})) << "the path led to another file before";
    EXPECT_TRUE(merged({"cd", 6}, {.elsewhere = true})) << "or does now";
    EXPECT_FALSE(merged({.build_id = "cd", .elsewhere = true}, {"cd", 6}))
        << "the same build of another root";
    SessionInfo info, first;
    first.images["/bin/b"].elsewhere = true;
    info.merge(first);
    info.images["/bin/a"].several_builds = true;
    EXPECT_TRUE(parse_session_info(to_json(info), "manifest").recorded("/bin/a", 0).several_builds);
    EXPECT_FALSE(info.recorded("/bin/b", 0).several_builds);
}

TEST(SessionInfo, merge_keeps_a_checksum_that_the_newer_run_did_not_read) {
    const auto merged = [](RecordedImage newer) {
        SessionInfo older, run;
        older.images["/bin/x"] = {.mtime = 9, .size = 5, .checksum = 7};
        run.images["/bin/x"] = newer;
        older.merge(run);
        return older.images.at("/bin/x").checksum;
    };
    EXPECT_EQ(merged({.mtime = 9, .size = 5}), 7u);
    EXPECT_EQ(merged({.mtime = 9, .size = 6}), 0u);
    EXPECT_EQ(merged({.mtime = 8, .size = 5}), 0u) << "another build";
}

TEST(SessionInfo, a_sample_file_has_the_time_that_the_manifest_lacks) {
    SessionInfo info;
    info.images["/bin/a"] = {.build_id = "ab", .mtime = 5, .size = 8};
    info.images["/bin/b"] = {.elsewhere = true};
    info.kernel_images = {{"/boot/vmlinux", 1, 2, "cc"}};
    EXPECT_EQ(info.recorded("/bin/a", 6), info.images["/bin/a"]);
    EXPECT_EQ(info.recorded("/bin/b", 6), (RecordedImage{.mtime = 6, .elsewhere = true}));
    EXPECT_EQ(info.recorded("/boot/vmlinux", 6), (RecordedImage{.build_id = "cc", .mtime = 6}));
    EXPECT_EQ(info.recorded("/bin/unknown", 0), RecordedImage{});
}

TEST(SessionInfo, the_name_of_an_image_is_its_path_or_the_path_with_a_suffix) {
    SessionInfo info;
    info.images["/bin/a@12"] = {.elsewhere = true, .path = "/bin/a", .root = "/srv/chroot"};
    info.images["/bin/b@12"] = {.path = "/etc/shadow"};
    info.images["/bin/c"] = {.path = "/bin/c"};
    const SessionInfo read = parse_session_info(to_json(info), "manifest");
    EXPECT_EQ(read.images.at("/bin/a@12"), info.images.at("/bin/a@12"));
    EXPECT_EQ(read.path("/bin/a@12"), "/bin/a");
    EXPECT_TRUE(read.is_elsewhere("/bin/a@12"));
    EXPECT_EQ(read.path("/bin/b@12"), "/bin/b@12") << "a manifest leads to no other file";
    EXPECT_EQ(read.path("/bin/c"), "/bin/c");
    EXPECT_EQ(read.path("/bin/unknown"), "/bin/unknown");
}

TEST(SessionInfo, merge_adds_the_times_of_an_event) {
    SessionInfo info, newer;
    info.events = {{"E", 0, 100}, {"E", 0, 200}, {"E", 0, 100, 0, false, true}};
    newer.events = info.events;
    info.events[0].time = {100, 40};
    info.events[2].time = {7, 7};
    newer.events[0].time = {50, most};
    newer.events[1].time = {3, 2};
    info.merge(newer);
    ASSERT_EQ(info.events.size(), 3u);
    EXPECT_EQ(info.events[0].time, (CountedTime{150, most}));
    EXPECT_EQ(info.events[1].time, (CountedTime{3, 2}));
    EXPECT_EQ(info.events[2].time, (CountedTime{7, 7}));
}

/// A manifest with an array of `count` of these.
std::string manifest_of(const char* array, size_t count, const char* element) {
    std::string text = std::string("{\"") + array + "\": [" + element;
    for (size_t i = 1; i < count; ++i)
        text += std::string(",") + element;
    return text + "]}";
}

TEST(SessionInfo, more_events_or_kernel_images_than_any_recording_has_are_refused) {
    const char* const event = "{}";
    EXPECT_EQ(parse_session_info(manifest_of("events", 1000, event), "m").events.size(), 1000u);
    for (const size_t count : {1001, 100'000})
        EXPECT_EQ(test::fault(ErrorKind::input,
                              [&] { parse_session_info(manifest_of("events", count, event), "m"); }),
                  "m: member 'events' is not an array of at most 1000");
    EXPECT_EQ(parse_session_info(manifest_of("kernel_images", 16384, "{}"), "m").kernel_images.size(),
              16384u);
    EXPECT_EQ(test::fault(ErrorKind::input,
                          [] { parse_session_info(manifest_of("kernel_images", 16385, "{}"), "m"); }),
              "m: member 'kernel_images' is not an array of at most 16384");
}

TEST(SessionInfo, many_images_are_read) {
    std::string text = "{\"images\": {\"/0\": {}";
    for (int i = 1; i < 100'000; ++i)
        text += ",\"/" + std::to_string(i) + "\": {}";
    EXPECT_EQ(parse_session_info(text + "}}", "m").images.size(), 100'000u);
}

TEST(SessionInfo, merge_into_nothing_is_the_newer_one) {
    SessionInfo info;
    info.merge(full_info());
    expect_same(info, full_info());
}

TEST(SessionInfo, merge_gives_no_id_to_a_session_that_began_without_one) {
    SessionInfo info;
    info.start_time = 1700000000;
    info.merge(full_info());
    EXPECT_EQ(info.session_id, "");
}

TEST(EventLabel, shows_a_unit_mask_only_where_it_is_not_0) {
    EXPECT_EQ(event_label("CYCLES", 100000), "CYCLES:100000");
    EXPECT_EQ(event_label("CYCLES", 100000, 0), "CYCLES:100000");
    EXPECT_EQ(event_label("LLC_REFS", 6000, 0x4f), "LLC_REFS:6000:0x4f");
    EXPECT_EQ(event_label("LLC_REFS", 6000, 1), "LLC_REFS:6000:0x01");
    EXPECT_EQ(event_label("LLC_REFS", 0, 1), "LLC_REFS:0x01") << "a count that is not known";
}

}  // namespace op
