// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <array>
#include <deque>
#include <filesystem>
#include <random>

#include "daemon/import/recorded_files.h"
#include "daemon/source/own_vdso.h"
#include "libop/base/text.h"
#include "libop/session/kept_images.h"
#include "tests/unit/collecting.h"

namespace op::collect {
namespace {

constexpr uint64_t end_of_32_bits = uint64_t{1} << 32;

/// The number above all open descriptors, including inherited ones.
rlim_t first_unused_descriptor() {
    rlim_t first = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
        first = std::max<rlim_t>(first, std::stoul(entry.path().filename()) + 1);
    return first;
}

/// While it lives, this process may open `files` more descriptors than it has.
class DescriptorLimit {
public:
    explicit DescriptorLimit(rlim_t files) {
        ::getrlimit(RLIMIT_NOFILE, &old_);
        const rlimit limit{first_unused_descriptor() + files, old_.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
    ~DescriptorLimit() { ::setrlimit(RLIMIT_NOFILE, &old_); }
    DescriptorLimit(const DescriptorLimit&) = delete;
    DescriptorLimit& operator=(const DescriptorLimit&) = delete;

private:
    rlimit old_{};
};

class CollectingMany : public Collecting {
protected:
    void expect_a_hundred_images_are_collected() {
        std::deque<std::string> paths;
        for (uint32_t i = 0; i < 100; ++i)
            feed({Mapping{0,
                          7,
                          {0x10000000 + i * 0x1000},
                          0x1000,
                          0,
                          false,
                          paths.emplace_back("/lib/" + std::to_string(i)),
                          {}}});
        std::mt19937 random(3);
        for (int i = 0; i < 5000; ++i)
            feed({user(0x10000000 + random() % 100 * 0x1000 + random() % 64)});
        EXPECT_EQ(files().size(), 100u);
        EXPECT_EQ(account_.ledger.stored(), 5000u);
        EXPECT_TRUE(account_.ledger.balanced());
        EXPECT_TRUE(notes_.warnings().empty());
    }
};

}  // namespace

TEST_F(Collecting, a_weighted_sample_counts_as_many_and_the_account_balances) {
    collector();
    const uint64_t callers[] = {0x400100, 0x1};
    Sample known = user(0x400010), lost = user(0x1);
    known.weight = 300;
    known.chain = callers;
    lost.weight = 50;
    feed({known, lost, user(0x400010)});
    EXPECT_EQ(files(), (std::vector<std::string>{
                           std::string("{root}/bin/app/{dep}/{root}/bin/app/") + tail + " 1010=301",
                           std::string("{root}/bin/app/{dep}/{root}/bin/app/{cg}/{root}/bin/app/") + tail +
                               " 110000001010=300"}));
    EXPECT_EQ(account_.ledger.sampled(), 351u);
    EXPECT_EQ(account_.ledger.stored(), 301u);
    EXPECT_EQ(account_.ledger.lost(LossCause::no_mapping), 50u);
    EXPECT_TRUE(account_.ledger.balanced());
    EXPECT_EQ(account_.arcs_stored, 300u);
    EXPECT_EQ(account_.arcs_lost, 300u);
}

TEST_F(Collecting, weights_saturate_a_count_and_what_is_beyond_is_lost) {
    collector();
    Sample heavy = user(0x400010);
    heavy.weight = UINT32_MAX;
    feed({heavy, heavy});
    files();
    EXPECT_EQ(account_.ledger.stored(), uint64_t{UINT32_MAX});
    EXPECT_EQ(account_.ledger.lost(LossCause::saturated), uint64_t{UINT32_MAX});
    EXPECT_TRUE(account_.ledger.balanced());
}

TEST_F(Collecting, a_user_sample_is_keyed_by_file_offset_under_its_application) {
    collector();
    feed({user(0x400010), user(0x400010), user(0x7f0020)});
    EXPECT_EQ(files(), (std::vector<std::string>{
                           std::string("{root}/bin/app/{dep}/{root}/bin/app/") + tail + " 1010=2",
                           std::string("{root}/bin/app/{dep}/{root}/lib/libc.so/") + tail + " 20=1"}));
    EXPECT_EQ(account_.ledger.stored(), 3u);
    EXPECT_TRUE(account_.ledger.balanced());
}

TEST_F(Collecting, kernel_samples_count_from_their_images_start) {
    collector();
    feed({kernel(kernel_start + 0x30), kernel(0xffffffffc0000040), kernel(0xffffffffd0000000)});
    EXPECT_EQ(files(),
              (std::vector<std::string>{
                  std::string("{root}/bin/app/{dep}/{kern}/ext4/") + tail + " 40=1",
                  std::string("{root}/bin/app/{dep}/{kern}/no-vmlinux/") + tail + " ffffffffd0000000=1",
                  std::string("{root}/bin/app/{dep}/{root}/proc/kallsyms/") + tail + " 30=1"}));
    EXPECT_EQ(account_.kernel_images.size(), 2u) << "no-vmlinux is no image";
    EXPECT_TRUE(collector_->saw_kernel());
}

TEST_F(Collecting, a_kernel_thread_is_its_own_application) {
    collector();
    feed({kernel(kernel_start, 2)});
    EXPECT_EQ(files().at(0), std::string("{root}/proc/kallsyms/{dep}/{root}/proc/kallsyms/") + tail + " 0=1");
}

TEST_F(Collecting, processes_outside_the_pid_namespace_are_not_taken_for_one) {
    collector();
    feed({Name{0, 0, 0, true, "one"}, Mapping{0, 0, {0x400000}, 0x1000, 0, false, "/bin/one", {}},
          user(0x400010, 0), Fork{0, 0, 0, 0, 0}, Name{0, 0, 0, true, "two"},
          Mapping{0, 0, {0x400000}, 0x1000, 0, false, "/bin/two", {}}, user(0x400010, 0),
          kernel(kernel_start + 0x10, 0), Fork{0, 9, 9, 0, 0}, user(0x400010, 9)});
    EXPECT_EQ(files(),
              std::vector{std::string("{root}/proc/kallsyms/{dep}/{root}/proc/kallsyms/") + tail + " 10=1"});
    EXPECT_EQ(account_.ledger.lost(LossCause::no_process), 2u);
    EXPECT_EQ(account_.ledger.lost(LossCause::no_mapping), 1u) << "of the child";
    EXPECT_TRUE(account_.ledger.balanced());
}

TEST_F(Collecting, anonymous_memory_is_named_by_process_and_region) {
    collector();
    feed({user(0x900004)});
    EXPECT_EQ(files().at(0),
              std::string("{root}/bin/app/{dep}/{anon:[heap]}/7.0x900000.0x900fff/") + tail + " 4=1");
}

TEST_F(Collecting, a_program_started_from_a_memfd_has_its_own_file) {
    collector();
    feed({Name{0, 8, 8, true, "hidden"},
          Mapping{0, 8, {0x400000}, 0x1000, 0x1000, false, "/memfd:hidden (deleted)", {}},
          user(0x400010, 8)});
    EXPECT_EQ(files(),
              std::vector{std::string("{root}/memfd:hidden/{dep}/{root}/memfd:hidden/") + tail + " 1010=1"});
    EXPECT_TRUE(account_.images.at("/memfd:hidden").deleted);
}

TEST_F(Collecting, memory_of_an_unknown_program_goes_by_its_command_name) {
    collector();
    feed({Mapping{0, 8, {0x900000}, 0x1000, 0, false, "//anon", {}}, user(0x900000, 8),
          Name{0, 9, 9, true, "a/b"}, Mapping{0, 9, {0x900000}, 0x1000, 0, false, "//anon", {}},
          user(0x900000, 9)});
    const auto paths = files();
    EXPECT_TRUE(paths.at(0).starts_with("{root}/[a_b]/{dep}/{anon:anon}/9.")) << paths[0];
    EXPECT_TRUE(paths.at(1).starts_with("{root}/[unknown]/{dep}/{anon:anon}/8.")) << paths[1];
}

TEST_F(Collecting, the_vdso_is_one_image_for_all_processes) {
    collector();
    for (uint32_t tgid = 100; tgid < 150; ++tgid) {
        const uint64_t start = 0x7ffc00000000 + tgid * 0x10000;
        feed({Name{0, tgid, tgid, true, "app"},
              Mapping{0, tgid, {0x400000}, 0x1000, 0, false, "/bin/app", {}},
              Mapping{0, tgid, {start}, 0x2000, 0, false, "[vdso]", {}}, user(start + 0x940, tgid)});
    }
    EXPECT_EQ(files(), std::vector{std::string("{root}/bin/app/{dep}/{anon:[vdso]}/0.0x0.0x1fff/") + tail +
                                   " 940=50"});
}

TEST_F(Collecting, the_vdso_of_this_kernel_is_kept_by_its_build_id) {
    if (own_vdso_build_id().empty()) GTEST_SKIP() << "no vDSO with a build-id here";
    collector({.images_are_local = true});
    feed({Mapping{0, 7, {end_of_32_bits}, own_vdso_length(), 0, false, "[vdso]", {}},
          user(end_of_32_bits + 0x940)});
    files();
    const RecordedImage image = account_.images.at("[vdso]");
    EXPECT_EQ(image, (RecordedImage{.build_id = own_vdso_build_id(), .size = own_vdso_length()}));
    EXPECT_TRUE(find_kept_image(session_.current_path(), image.build_id));
}

TEST_F(Collecting, the_vdso_of_a_32_bit_process_is_another_image) {
    collector();
    feed({Mapping{0, 7, {0xf7fc0000}, own_vdso_length(), 0, false, "[vdso]", {}}, user(0xf7fc0940)});
    EXPECT_NE(files().at(0).find("{anon:[vdso32]}/0.0x0."), std::string::npos);
    EXPECT_FALSE(account_.images.contains("[vdso]"));
}

TEST_F(Collecting, the_vdso_of_a_recording_is_kept_by_its_build_id_alone) {
    if (own_vdso_build_id().empty()) GTEST_SKIP() << "no vDSO with a build-id here";
    const std::string id = bytes_of_hex(own_vdso_build_id());
    Mapping known{0, 7, {end_of_32_bits}, own_vdso_length(), 0, false, "[vdso]", as_bytes(id)};
    collector({.images_are_local = false});
    feed({known, user(end_of_32_bits + 0x940)});
    files();
    EXPECT_EQ(account_.images.at("[vdso]").build_id, own_vdso_build_id());
    EXPECT_TRUE(find_kept_image(session_.current_path(), own_vdso_build_id()));
    known.tgid = 8;
    known.build_id = {};
    feed({known, user(end_of_32_bits + 0x940, 8)});
    files();
    EXPECT_EQ(account_.images.at("[vdso]"), RecordedImage{.several_builds = true});
}

TEST_F(Collecting, the_vdso_of_earlier_runs_is_known_by_their_manifest_alone) {
    collector({.images_are_local = true});
    const std::vector<std::string> earlier{std::string("{root}/bin/app/{dep}/{anon:[vdso]}/0.0x0.0x1fff/") +
                                           tail};
    collector_->count_earlier(earlier);
    feed({Mapping{0, 7, {end_of_32_bits}, own_vdso_length(), 0, false, "[vdso]", {}},
          user(end_of_32_bits + 0x940)});
    files();
    EXPECT_TRUE(account_.images.at("[vdso]").several_builds);
}

TEST_F(Collecting, separation_shows_in_the_names) {
    collector({.separation = by_thread_and_cpu});
    Sample other = user(0x400010, 7, 1);
    other.tid = 8;
    feed({user(0x400010), other, user(0x400010)});
    EXPECT_EQ(files(),
              (std::vector<std::string>{"{root}/bin/app/{dep}/{root}/bin/app/TIMER.1000000.0.7.7.0 1010=2",
                                        "{root}/bin/app/{dep}/{root}/bin/app/TIMER.1000000.0.7.8.1 1010=1"}));
}

TEST_F(Collecting, events_go_to_files_of_their_own) {
    collector();
    Sample other = user(0x400010);
    other.event = 1;
    feed({user(0x400010), other});
    EXPECT_EQ(files().size(), 2u);
    EXPECT_NE(files()[0].find("OTHER.5000.0"), std::string::npos);
}

TEST_F(Collecting, events_that_differ_in_their_modes_only_share_a_file) {
    info_.events[1] = info_.events[0];
    info_.events[1].kernel = false;
    collector();
    Sample other = user(0x400010);
    other.event = 1;
    feed({user(0x400010), other});
    EXPECT_EQ(files(), std::vector{std::string("{root}/bin/app/{dep}/{root}/bin/app/") + tail + " 1010=2"});
}

TEST_F(Collecting, user_samples_of_a_kernel_event_are_counted_out) {
    info_.events[0].user = false;
    collector();
    feed({user(0x400010), kernel(kernel_start)});
    const Ledger ledger = collector_->flush_and_account().ledger;
    EXPECT_EQ(ledger.lost(LossCause::user_filtered), 1u);
    EXPECT_EQ(ledger.stored(), 1u);
}

TEST_F(Collecting, every_loss_has_its_cause) {
    collector();
    Sample guest = user(1), stranger = user(0x400010);
    guest.mode = CpuMode::guest;
    stranger.event = 9;
    feed({guest, stranger, user(0x10), Lost{5, 1, LossCause::kernel_buffer}, user(0x400010)});
    const Ledger ledger = collector_->flush_and_account().ledger;
    EXPECT_EQ(ledger.sampled(), 9u);
    EXPECT_EQ(ledger.stored(), 1u);
    EXPECT_EQ(ledger.lost(LossCause::guest), 1u);
    EXPECT_EQ(ledger.lost(LossCause::unknown_event), 1u);
    EXPECT_EQ(ledger.lost(LossCause::no_mapping), 1u);
    EXPECT_EQ(ledger.lost(LossCause::kernel_buffer), 5u);
    EXPECT_TRUE(ledger.balanced());
}

TEST_F(Collecting, a_path_that_would_leave_the_session_is_a_counted_loss) {
    collector();
    feed({Name{0, 8, 8, true, "evil"}, Mapping{0, 8, {0x1000}, 0x1000, 0, false, "/a/../../../../etc/x", {}},
          user(0x1000, 8)});
    EXPECT_TRUE(files().empty());
    EXPECT_EQ(account_.ledger.lost(LossCause::sample_file), 1u);
    EXPECT_TRUE(account_.ledger.balanced());
    EXPECT_EQ(notes_.warnings().size(), 1u);
}

TEST_F(Collecting, a_gap_is_asked_about_and_filled) {
    std::vector<Record> answer{Mapping{0, 7, {0xa00000}, 0x1000, 0, false, "/lib/late.so", {}}};
    int asked = 0;
    collector({}, [&](const Sample&, Gap) -> std::span<const Record> {
        ++asked;
        return answer;
    });
    feed({user(0xa00010), user(0xa00010)});
    EXPECT_EQ(asked, 1);
    EXPECT_NE(files().at(0).find("/lib/late.so/"), std::string::npos);
}

TEST_F(Collecting, a_gap_in_an_unknown_process_is_filled_with_its_program) {
    std::vector<Record> answer{Name{0, 8, 8, true, "other"},
                               Mapping{0, 8, {0}, 0, 0, false, "/bin/other", {}},
                               Mapping{0, 8, {0x7f0000}, 0x1000, 0, false, "/lib/libc.so", {}}};
    std::vector<Gap> gaps;
    collector({}, [&](const Sample&, Gap gap) -> std::span<const Record> {
        gaps.push_back(gap);
        return answer;
    });
    feed({user(0x7f0010, 8), user(0x10, 7)});
    EXPECT_EQ(gaps, (std::vector{Gap::process, Gap::mapping}));
    EXPECT_EQ(files().at(0), std::string("{root}/bin/other/{dep}/{root}/lib/libc.so/") + tail + " 10=1");
}

TEST_F(Collecting, a_new_mapping_ends_what_the_cache_knew) {
    collector();
    feed({user(0x400010), Mapping{2, 7, {0x400000}, 0x1000, 0, false, "/lib/new.so", {}}, user(0x400010),
          Unmapping{3, 7, {0x400000}, 0x1000}, user(0x400010)});
    files();
    EXPECT_EQ(account_.ledger.stored(), 2u);
    EXPECT_EQ(account_.ledger.lost(LossCause::no_mapping), 1u);
}

TEST_F(Collecting, mappings_that_find_no_room_are_counted_and_asked_for_again) {
    const std::vector<Record> answer{Mapping{0, 7, {0x7f0000}, 0x10000, 0, false, "/lib/libc.so", {}}};
    collector({}, [&](const Sample&, Gap gap) -> std::span<const Record> {
        EXPECT_EQ(gap, Gap::mapping);
        return answer;
    });
    for (uint64_t i = 0; i < 65'536; ++i)
        feed({Mapping{0, 7, {0x10000000 + i * 0x2000}, 0x1000, 0, false, "/lib/many.so", {}}});
    feed({user(0x7f0010)});
    EXPECT_EQ(files(), std::vector{"{root}/bin/app/{dep}/{root}/lib/libc.so/" + std::string(tail) + " 10=1"});
    EXPECT_EQ(account_.mappings_left_out, 65'537u) << "and one that was there before";
}

TEST_F(Collecting, call_chains_become_arcs_from_caller_to_callee) {
    collector();
    const uint64_t chain[] = {kernel_start + 0x500, 0x400100, 0x400200};
    Sample s = kernel(kernel_start + 0x30);
    s.chain = chain;
    s.kernel_frames = 1;
    feed({s});
    const std::string app = "{root}/bin/app/", kallsyms = "{root}/proc/kallsyms/";
    EXPECT_EQ(files(), (std::vector<std::string>{
                           app + "{dep}/" + app + "{cg}/" + app + tail + " 120000001100=1",
                           app + "{dep}/" + app + "{cg}/" + kallsyms + tail + " 110000000500=1",
                           app + "{dep}/" + kallsyms + tail + " 30=1",
                           app + "{dep}/" + kallsyms + "{cg}/" + kallsyms + tail + " 50000000030=1"}));
    EXPECT_EQ(account_.arcs_stored, 3u);
    EXPECT_EQ(account_.ledger.stored(), 1u) << "arcs are no samples";
}

TEST_F(CollectingMany, many_images_need_few_open_files_and_lose_nothing) {
    collector({.open_files = 8});
    expect_a_hundred_images_are_collected();
}

TEST_F(CollectingMany, a_process_that_may_open_few_files_loses_nothing) {
    const DescriptorLimit limit(36);
    collector();
    expect_a_hundred_images_are_collected();
}

TEST_F(CollectingMany, descriptors_that_run_out_while_collecting_cost_no_sample) {
    collector();
    const DescriptorLimit limit(36);
    expect_a_hundred_images_are_collected();
}

TEST_F(Collecting, throttled_events_are_marked) {
    collector();
    feed({Throttle{1, 0, 1, true}, Throttle{2, 0, 1, false}});
    const SessionInfo info = collector_->flush_and_account();
    EXPECT_FALSE(info.events[0].throttled);
    EXPECT_TRUE(info.events[1].throttled);
}

TEST_F(Collecting, missed_periods_add_up_and_are_no_samples) {
    collector();
    feed({MissedPeriods{5, 0}, MissedPeriods{7, 1}});
    const SessionInfo info = collector_->flush_and_account();
    EXPECT_EQ(info.missed_periods, 12u);
    EXPECT_EQ(info.ledger.sampled(), 0u);
    EXPECT_TRUE(info.ledger.balanced());
}

TEST_F(Collecting, times_of_events_add_up_until_the_account_is_reset) {
    collector();
    feed({EventTime{1, {100, 40}}, EventTime{0, {100, 100}}, EventTime{1, {50, 30}}, EventTime{2, {7, 7}}});
    const SessionInfo info = collector_->flush_and_account();
    EXPECT_EQ(info.events[0].time, (CountedTime{100, 100}));
    EXPECT_EQ(info.events[1].time, (CountedTime{150, 70}));
    collector_->begin_run(5);
    feed({EventTime{1, {9, 8}}});
    EXPECT_EQ(collector_->flush_and_account().events[0].time, CountedTime{});
    EXPECT_EQ(collector_->flush_and_account().events[1].time, (CountedTime{9, 8}));
}

TEST_F(Collecting, files_of_one_path_have_names_and_sample_files_of_their_own) {
    const std::byte one[] = {std::byte{1}}, two[] = {std::byte{2}};
    Mapping by_inode{0, 9, {0xb00000}, 0x1000, 0, false, "/lib/up.so", {}};
    by_inode.file = {0x801, 0x1234};
    collector();
    feed({Mapping{0, 7, {0xb00000}, 0x1000, 0, false, "/lib/up.so", one},
          Mapping{0, 8, {0xb00000}, 0x1000, 0, false, "/lib/up.so", two}, by_inode, user(0xb00000),
          user(0xb00001, 8), user(0xb00002, 9), user(0xb00003)});
    const std::string app = "{root}/bin/app/{dep}/", up = "{root}/lib/up.so";
    EXPECT_EQ(files(),
              (std::vector<std::string>{app + up + "/" + tail + " 0=1 3=1",
                                        up + "@02/{dep}/" + up + "@02/" + tail + " 1=1",
                                        up + "@801-1234/{dep}/" + up + "@801-1234/" + tail + " 2=1"}));
    EXPECT_EQ(account_.images.at("/lib/up.so").build_id, "01");
    EXPECT_EQ(account_.images.at("/lib/up.so@02").build_id, "02");
    EXPECT_EQ(account_.images.at("/lib/up.so@02").path, "/lib/up.so");
    EXPECT_EQ(account_.path("/lib/up.so@801-1234"), "/lib/up.so");
}

TEST_F(Collecting, files_that_had_one_inode_in_turn_are_different_images) {
    Mapping first{0, 8, {0x1000}, 0x1000, 0, false, "/tmp/prog", {}, {0x801, 5, 1}};
    Mapping second = first;
    second.tgid = 9;
    second.file.generation = 2;
    collector();
    feed({first, user(0x1000, 8), second, user(0x1000, 9)});
    files();
    EXPECT_TRUE(account_.images.contains("/tmp/prog"));
    EXPECT_EQ(account_.path("/tmp/prog@801-5"), "/tmp/prog");
    EXPECT_EQ(account_.images.size(), 2u);
}

TEST_F(Collecting, a_file_that_is_written_to_between_two_mappings_is_another_image) {
    const std::string path = dir_.write("up.so", "one");
    struct stat st {};
    const auto look = [&] { return ::stat(path.c_str(), &st); };
    ASSERT_EQ(look(), 0);
    const FileIdentity id{st.st_dev, st.st_ino};
    collector({.images_are_local = true});
    feed({Mapping{0, 7, {0xb00000}, 0x1000, 0, false, path, {}, id}, user(0xb00000),
          Mapping{0, 8, {0xb00000}, 0x1000, 0, false, path, {}, id}, user(0xb00000, 8)});
    for (const int64_t before = st.st_ctim.tv_nsec; st.st_ctim.tv_nsec == before; look())
        dir_.write("up.so", "two");
    feed({Mapping{0, 9, {0xb00000}, 0x1000, 0, false, path, {}, id}, user(0xb00000, 9)});
    files();
    EXPECT_EQ(account_.images.size(), 2u);
    EXPECT_TRUE(account_.images.contains(path));
    EXPECT_EQ(account_.path(path + "@" + hex(id.device) + "-" + hex(id.inode)), path);
}

TEST_F(Collecting, a_run_that_is_added_keeps_the_files_of_earlier_runs_apart) {
    const std::byte one[] = {std::byte{1}}, two[] = {std::byte{2}};
    SessionInfo earlier;
    earlier.images["/lib/up.so"].build_id = "02";
    collector();
    collector_->add_earlier(earlier);
    feed({Mapping{0, 7, {0xb00000}, 0x1000, 0, false, "/lib/up.so", one},
          Mapping{0, 7, {0xc00000}, 0x1000, 0, false, "/lib/up.so", two}, user(0xb00000), user(0xc00000)});
    files();
    EXPECT_EQ(account_.images.at("/lib/up.so").build_id, "02");
    EXPECT_EQ(account_.images.at("/lib/up.so@01").build_id, "01");
}

TEST_F(Collecting, an_earlier_file_of_one_size_and_time_is_known_by_its_content) {
    const std::string path = dir_.write("prog", "12345");
    struct stat st {};
    ASSERT_EQ(::stat(path.c_str(), &st), 0);
    constexpr uint32_t sum = 0xcbf53a1c;  // CRC-32 of "12345"
    const auto images_with = [&](uint32_t earlier_sum) {
        SessionInfo earlier;
        earlier.images[path] = {.mtime = static_cast<uint64_t>(st.st_mtim.tv_sec), .size = 5};
        earlier.images[path].checksum = earlier_sum;
        account_ = {};
        collector({.images_are_local = true});
        collector_->add_earlier(earlier);
        feed({Mapping{0, 7, {0xb00000}, 0x1000, 0, false, path, {}, {st.st_dev, st.st_ino}}, user(0xb00000)});
        files();
        return account_.images.contains(path);
    };
    EXPECT_TRUE(images_with(sum));
    EXPECT_FALSE(images_with(sum + 1));
}

TEST_F(Collecting, the_work_for_checksums_has_an_end) {
    const std::string one = dir_.write("one", "12345"), two = dir_.write("two", "12345");
    CollectorOptions options;
    options.images_are_local = true;
    options.limits.bytes_for_checksums = 9;
    collector(options);
    feed({Mapping{0, 7, {0xb00000}, 0x1000, 0, false, one, {}},
          Mapping{0, 7, {0xc00000}, 0x1000, 0, false, two, {}}, user(0xb00000), user(0xc00000)});
    files();
    EXPECT_EQ(account_.images.at(one).checksum, 0xcbf53a1c);
    EXPECT_EQ(account_.images.at(two).checksum, 0u);
}

TEST_F(Collecting, an_earlier_file_that_was_elsewhere_is_known_by_its_build_id_only) {
    const std::string path = dir_.write("prog", "x");
    struct stat st {};
    ASSERT_EQ(::stat(path.c_str(), &st), 0);
    SessionInfo earlier;
    earlier.images[path].elsewhere = true;
    collector({.images_are_local = true});
    collector_->add_earlier(earlier);
    feed({Mapping{0, 7, {0xb00000}, 0x1000, 0, false, path, {}, {st.st_dev, st.st_ino}}, user(0xb00000)});
    files();
    EXPECT_FALSE(account_.images.contains(path));
    EXPECT_EQ(account_.path(path + "@" + hex(st.st_dev) + "-" + hex(st.st_ino)), path);
}

TEST_F(Collecting, a_name_with_a_suffix_keeps_its_path_in_later_runs) {
    const std::string path = dir_.write("up.so", "x");
    SessionInfo earlier;
    earlier.images[path].build_id = "01";
    earlier.images[path + "@02"] = {.build_id = "02", .path = path};
    const std::byte two[] = {std::byte{2}};
    collector({.images_are_local = true});
    collector_->add_earlier(earlier);
    feed({Mapping{0, 7, {0xb00000}, 0x1000, 0, false, path, two}, user(0xb00000)});
    files();
    EXPECT_EQ(account_.images.at(path + "@02").path, path);
    EXPECT_FALSE(account_.images.contains(path));
}

TEST_F(Collecting, a_path_that_looks_like_a_name_with_a_suffix_is_another_image) {
    const std::byte one[] = {std::byte{1}}, two[] = {std::byte{2}}, three[] = {std::byte{3}};
    collector();
    feed({Mapping{0, 7, {0xb00000}, 0x1000, 0, false, "/lib/up.so@02", three},
          Mapping{0, 7, {0xc00000}, 0x1000, 0, false, "/lib/up.so", one},
          Mapping{0, 7, {0xd00000}, 0x1000, 0, false, "/lib/up.so", two}, user(0xb00000), user(0xc00000),
          user(0xd00000)});
    files();
    EXPECT_EQ(account_.images.at("/lib/up.so@02").build_id, "03");
    EXPECT_EQ(account_.images.at("/lib/up.so@02'").build_id, "02");
}

TEST_F(Collecting, a_path_has_so_many_names_at_most_whoever_replaces_its_file) {
    collector();
    std::vector<std::array<std::byte, 2>> ids(100);
    for (size_t i = 0; i < ids.size(); ++i) {
        ids[i] = {std::byte(i), std::byte{1}};
        feed({Mapping{0, 7, {0xb00000}, 0x1000, 0, false, "/lib/up.so", ids[i]}, user(0xb00000)});
    }
    EXPECT_EQ(files().size(), 65u);
    EXPECT_TRUE(account_.images.at("/lib/up.so@other").several_builds);
    EXPECT_EQ(account_.ledger.stored(), ids.size());
}

TEST_F(Collecting, filters_go_by_path_whichever_file_it_is) {
    const std::byte one[] = {std::byte{1}}, two[] = {std::byte{2}};
    collector({.only_images = {"/bin/up"}});
    feed({Name{0, 8, 8, true, "up"}, Mapping{0, 8, {0x1000}, 0x1000, 0, false, "/bin/up", one},
          Name{0, 9, 9, true, "up"}, Mapping{0, 9, {0x1000}, 0x1000, 0, false, "/bin/up", two},
          user(0x1000, 8), user(0x1000, 9), user(0x400000)});
    EXPECT_EQ(files().size(), 2u);
    EXPECT_EQ(account_.ledger.stored(), 2u);
}

TEST_F(Collecting, a_file_named_like_a_deleted_one_keeps_its_name) {
    const std::string path = dir_.write("x (deleted)", "x"), gone = dir_ / "y (deleted)";
    struct stat st {};
    ASSERT_EQ(::stat(path.c_str(), &st), 0);
    collector({.images_are_local = true});
    feed({Mapping{0, 7, {0xb00000}, 0x1000, 0, false, path, {}, {st.st_dev, st.st_ino}},
          Mapping{0, 7, {0xc00000}, 0x1000, 0, false, gone, {}}, user(0xb00000), user(0xc00000)});
    files();
    EXPECT_FALSE(account_.images.at(path).deleted);
    EXPECT_TRUE(account_.images.at(dir_ / "y").deleted);
}

TEST_F(Collecting, a_file_that_somebody_names_like_a_deleted_one_is_not_that_one) {
    const std::string path = dir_.write("x (deleted)", "x"), nameless = "/" + path;
    const std::byte build[] = {std::byte{1}};
    collector({.images_are_local = true});
    feed({Mapping{0, 7, {0xb00000}, 0x1000, 0, false, path, build},
          Mapping{0, 7, {0xc00000}, 0x1000, 0, false, nameless, {}}, user(0xb00000), user(0xc00000)});
    files();
    EXPECT_TRUE(account_.images.at(dir_ / "x").deleted);
    EXPECT_EQ(account_.images.size(), 1u) << "memory is no file, whatever the kernel calls it";
}

}  // namespace op::collect
