// SPDX-License-Identifier: GPL-2.0-or-later
// The collector's work on samples that the driver placed, and on its ways to name files.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>

#include "libop/stream/stream.h"
#include "tests/unit/collecting.h"

namespace op::collect {
namespace {

constexpr uint32_t app = 1, libc = 2, heap = 3, deleted = 4;
constexpr std::string_view bin_app = "{root}/bin/app/", lib_libc = "{root}/lib/libc.so/";

ImageCookie file(uint32_t cookie, std::string_view path, uint64_t device = 0, uint64_t inode = 0) {
    return {cookie, false, 0, {0}, 0, device, inode, path};
}

/// The samples of each command name, in the names' order.
std::string names_of(const SessionInfo& info) {
    std::string text;
    for (const auto& [command, samples] : info.names.commands())
        text += command.second + "=" + std::to_string(samples) + " ";
    return text;
}

/// Process 7 runs /bin/app; the kernel lies where the fixture put it.
class CollectingPlaced : public Collecting {
protected:
    void announce(CollectorOptions options = {}, FillGaps fill = {}) {
        collector(std::move(options), std::move(fill));
        feed({file(app, "/bin/app"), file(libc, "/lib/libc.so"), file(deleted, "/lib/old.so (deleted)"),
              ImageCookie{heap, true, 7, {0x900000}, 0x1000, 0, 0, "[heap]"}});
    }
    static PlacedSample at(Place place, CpuMode mode = CpuMode::user) {
        return {7, 7, 0, app, 0, mode, 0, place, {}};
    }
    static PlacedSample of_kernel(uint64_t pc, uint32_t app_cookie = app) {
        PlacedSample s = at({pc, 0}, CpuMode::kernel);
        s.app = app_cookie;
        return s;
    }
    static std::string name(std::string_view a, std::string_view image) {
        return std::string(a) + "{dep}/" + std::string(image) + tail;
    }
    /// The account must balance.
    const Ledger& ledger() {
        account_ = collector_->flush_and_account();
        EXPECT_TRUE(account_.ledger.balanced());
        return account_.ledger;
    }
};

}  // namespace

TEST_F(CollectingPlaced, offsets_in_a_file_are_its_keys) {
    announce();
    feed({at({0x1010, app}), at({0x1010, app}), at({0x20, libc}), at({0x30, deleted})});
    EXPECT_EQ(files(), (std::vector{name(bin_app, bin_app) + " 1010=2", name(bin_app, lib_libc) + " 20=1",
                                    name(bin_app, "{root}/lib/old.so/") + " 30=1"}));
    EXPECT_EQ(ledger().stored(), 4u);
    EXPECT_TRUE(account_.images.at("/lib/old.so").deleted);
}

TEST_F(CollectingPlaced, samples_count_as_many_as_their_weight) {
    announce();
    PlacedSample heavy = at({0x1010, app}), lost = at({0x10, 99});
    heavy.weight = 300;
    lost.weight = 40;
    feed({heavy, heavy, lost, RawSample{at({0x1010, app}), {}}});
    EXPECT_EQ(files().at(0), name(bin_app, bin_app) + " 1010=601");
    EXPECT_EQ(ledger().sampled(), 641u);
    EXPECT_EQ(ledger().stored(), 601u);
}

TEST_F(CollectingPlaced, offsets_in_a_region_count_from_its_start) {
    announce();
    feed({at({4, heap})});
    EXPECT_EQ(files().at(0), name(bin_app, "{anon:[heap]}/7.0x900000.0x900fff/") + " 4=1");
}

TEST_F(CollectingPlaced, placed_and_plain_samples_of_one_spot_share_a_key) {
    announce();
    feed({at({0x1010, app}), user(0x400010), at({4, heap}), user(0x900004), of_kernel(kernel_start + 0x30),
          kernel(kernel_start + 0x30)});
    EXPECT_EQ(files(), (std::vector{name(bin_app, "{anon:[heap]}/7.0x900000.0x900fff/") + " 4=2",
                                    name(bin_app, bin_app) + " 1010=2",
                                    name(bin_app, "{root}/proc/kallsyms/") + " 30=2"}));
}

TEST_F(CollectingPlaced, kernel_addresses_are_looked_up_in_the_kernel_map) {
    announce();
    feed({of_kernel(kernel_start + 0x30), of_kernel(0xffffffffc0000040), of_kernel(kernel_start + 0x30, 0)});
    EXPECT_EQ(files(), (std::vector{name(bin_app, "{kern}/ext4/") + " 40=1",
                                    name(bin_app, "{root}/proc/kallsyms/") + " 30=1",
                                    name("{root}/proc/kallsyms/", "{root}/proc/kallsyms/") + " 30=1"}))
        << "a kernel thread is its own application";
    EXPECT_TRUE(collector_->saw_kernel());
}

TEST_F(CollectingPlaced, a_module_loaded_later_ends_what_the_cache_knew) {
    announce();
    const PlacedSample sample = of_kernel(0xffffffffc0008010);
    feed({sample, Mapping{0, 0, {0xffffffffc0008000}, 0x1000, 0, true, "late", {}}, sample});
    EXPECT_EQ(files(), (std::vector{name(bin_app, "{kern}/late/") + " 10=1",
                                    name(bin_app, "{kern}/no-vmlinux/") + " ffffffffc0008010=1"}));
}

TEST_F(CollectingPlaced, a_user_address_without_image_is_looked_up_in_its_process) {
    int asked = 0;
    const std::vector<Record> answer{Mapping{0, 8, {0x400000}, 0x1000, 0, false, "/lib/late.so", {}}};
    announce({}, [&](const Sample& s, Gap) -> std::span<const Record> {
        ++asked;
        EXPECT_EQ(s.pc.value(), 0x400010u);
        return answer;
    });
    PlacedSample other = at({0x400010, 0});
    other.tgid = 8;
    feed({at({0x400010, 0}), other, at({0x400010, 0}), other});
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(files(), (std::vector{name(bin_app, bin_app) + " 1010=2",
                                    name(bin_app, "{root}/lib/late.so/") + " 10=2"}));
}

TEST_F(CollectingPlaced, a_cookie_never_announced_is_no_mapping) {
    announce();
    PlacedSample stranger = at({0x10, libc});
    stranger.app = 99;
    feed({at({0, 99}), at({0, 0}), stranger});
    EXPECT_EQ(ledger().lost(LossCause::no_mapping), 2u);
    EXPECT_EQ(files(), std::vector{name(lib_libc, lib_libc) + " 10=1"})
        << "without a known application the image is used as the application";
    feed({file(99, "/bin/late"), stranger});
    EXPECT_EQ(files().size(), 2u) << "it is known now";
}

TEST_F(CollectingPlaced, a_reused_cookie_means_the_new_image) {
    announce();
    feed({at({0x10, libc}), file(libc, "/lib/new.so"), at({0x10, libc})});
    EXPECT_EQ(files(), (std::vector{name(bin_app, lib_libc) + " 10=1",
                                    name(bin_app, "{root}/lib/new.so/") + " 10=1"}));
}

TEST_F(CollectingPlaced, every_loss_has_its_cause) {
    info_.events[1].user = false;
    announce();
    PlacedSample guest = at({0, app}, CpuMode::guest), stranger = at({0, app}), unwanted = at({0, app});
    stranger.event = 9;
    unwanted.event = 1;
    feed({guest, stranger, unwanted, at({0, app}), Lost{5, 1, LossCause::nested}, file(50, ""),
          file(51, "relative"), ImageCookie{52, true, 7, {0x5000}, 0, 0, 0, "anon"}, at({0, 50}), at({0, 51}),
          at({0, 52})});
    EXPECT_EQ(ledger().sampled(), 12u);
    EXPECT_EQ(account_.ledger.stored(), 1u);
    EXPECT_EQ(account_.ledger.lost(LossCause::guest), 1u);
    EXPECT_EQ(account_.ledger.lost(LossCause::unknown_event), 1u);
    EXPECT_EQ(account_.ledger.lost(LossCause::user_filtered), 1u);
    EXPECT_EQ(account_.ledger.lost(LossCause::nested), 5u);
    EXPECT_EQ(account_.ledger.lost(LossCause::sample_file), 3u);
}

TEST_F(CollectingPlaced, separation_shows_in_the_names) {
    announce({.separation = by_thread_and_cpu});
    PlacedSample other = at({0x10, app});
    other.tid = 8;
    other.cpu = 1;
    feed({at({0x10, app}), other, at({0x10, app}), other});
    EXPECT_EQ(files(),
              (std::vector<std::string>{"{root}/bin/app/{dep}/{root}/bin/app/TIMER.1000000.0.7.7.0 10=2",
                                        "{root}/bin/app/{dep}/{root}/bin/app/TIMER.1000000.0.7.8.1 10=2"}));
}

TEST_F(CollectingPlaced, without_separation_an_image_is_its_own_application) {
    announce({.separation = {}});
    feed({at({0x10, libc}), of_kernel(kernel_start), at({4, heap}), user(0x7f0010), kernel(kernel_start)});
    EXPECT_EQ(files(), (std::vector{name(bin_app, "{anon:[heap]}/7.0x900000.0x900fff/") + " 4=1",
                                    name(lib_libc, lib_libc) + " 10=2",
                                    name("{root}/proc/kallsyms/", "{root}/proc/kallsyms/") + " 0=2"}))
        << "anonymous memory stays with its process";
}

TEST_F(CollectingPlaced, libraries_may_go_by_application_and_the_kernel_not) {
    announce({.separation = {.library = true}});
    feed({at({0x10, libc}), of_kernel(kernel_start)});
    EXPECT_EQ(files(), (std::vector{name(bin_app, lib_libc) + " 10=1",
                                    name("{root}/proc/kallsyms/", "{root}/proc/kallsyms/") + " 0=1"}));
}

TEST_F(CollectingPlaced, samples_of_filtered_programs_are_counted_as_lost) {
    announce({.separation = {.kernel = true}, .only_images = {"/bin/app"}});
    const Place caller[] = {{0x30, libc}};
    PlacedSample other = at({0x10, libc});
    other.app = libc;
    other.chain = caller;
    const Sample plain = user(0x7f0010);
    feed({at({0x10, libc}), other, other, of_kernel(kernel_start), of_kernel(kernel_start, 0), plain,
          Name{0, 8, 8, true, "x"}, Mapping{0, 8, {0x1000}, 0x1000, 0, false, "/bin/x", {}}, user(0x1000, 8),
          user(0x1000, 8)});
    EXPECT_EQ(ledger().lost(LossCause::image_filtered), 5u);
    EXPECT_EQ(account_.ledger.stored(), 3u);
    EXPECT_EQ(account_.arcs_stored + account_.arcs_lost, 0u);
    EXPECT_FALSE(account_.images.contains("/bin/x"));
}

TEST_F(CollectingPlaced, call_chains_become_arcs) {
    announce();
    const Place chain[] = {{kernel_start + 0x500, 0}, {0x1100, app}, {0x20, libc}, {0x5, 99}, {0x30, libc}};
    PlacedSample s = of_kernel(kernel_start + 0x30);
    s.chain = chain;
    s.kernel_frames = 1;
    feed({s});
    const std::string a = "{root}/bin/app/", kallsyms = "{root}/proc/kallsyms/";
    const std::string libc_name(lib_libc);
    EXPECT_EQ(files(), (std::vector{a + "{dep}/" + a + "{cg}/" + kallsyms + tail + " 110000000500=1",
                                    a + "{dep}/" + libc_name + "{cg}/" + a + tail + " 2000001100=1",
                                    a + "{dep}/" + kallsyms + tail + " 30=1",
                                    a + "{dep}/" + kallsyms + "{cg}/" + kallsyms + tail + " 50000000030=1"}));
    EXPECT_EQ(account_.arcs_stored, 3u);
    EXPECT_EQ(account_.arcs_lost, 2u) << "to and from a cookie never announced";
    EXPECT_EQ(ledger().stored(), 1u);
}

TEST_F(CollectingPlaced, a_file_that_is_not_the_one_that_ran_is_left_alone) {
    const std::string here = dir_.write("here.so", "x"), there = dir_.write("there.so", "x");
    struct stat st {};
    ASSERT_EQ(::stat(here.c_str(), &st), 0);
    announce({.images_are_local = true});
    feed({file(60, here, st.st_dev, st.st_ino), file(61, there, st.st_dev, st.st_ino), at({1, 60}),
          at({1, 61})});
    ledger();
    EXPECT_EQ(account_.images.at(here).mtime, static_cast<uint64_t>(st.st_mtim.tv_sec));
    EXPECT_FALSE(account_.images.at(here).elsewhere);
    EXPECT_EQ(account_.images.at(there).mtime, 0u);
    EXPECT_TRUE(account_.images.at(there).elsewhere);
}

TEST_F(CollectingPlaced, cookies_of_one_path_and_two_inodes_are_two_images) {
    announce();
    feed({file(60, "/lib/up.so", 0x801, 5), file(61, "/lib/up.so", 0x801, 6), at({1, 60}), at({2, 61}),
          file(62, "/lib/up.so", 0x801, 5), at({3, 62})});
    EXPECT_EQ(files(), (std::vector{name(bin_app, "{root}/lib/up.so/") + " 1=1 3=1",
                                    name(bin_app, "{root}/lib/up.so@801-6/") + " 2=1"}));
}

TEST_F(CollectingPlaced, many_images_need_few_open_files_and_lose_nothing) {
    announce({.open_files = 8});
    std::deque<std::string> paths;
    for (uint32_t i = 0; i < 100; ++i)
        feed({file(100 + i, paths.emplace_back("/lib/" + std::to_string(i)))});
    std::mt19937 random(3);
    for (int i = 0; i < 5000; ++i)
        feed({at({random() % 64, 100 + static_cast<uint32_t>(random() % 100)})});
    EXPECT_EQ(files().size(), 100u);
    EXPECT_EQ(ledger().stored(), 5000u);
}

TEST_F(CollectingPlaced, a_program_started_from_a_memfd_is_a_deleted_file) {
    announce();
    feed({file(7, "/memfd:hidden (deleted)"), at({0x1010, 7})});
    files();
    EXPECT_TRUE(account_.images.at("/memfd:hidden").deleted);
}

TEST_F(CollectingPlaced, samples_are_counted_by_program_and_command_name) {
    announce();
    PlacedSample other = at({0x10, app});
    other.tgid = other.tid = 8;
    const PlacedSample one = at({0x10, app}), lost = at({0x10, 99});
    feed({PlacedName{7, 7, app, "one.sh"}, one, one, lost, Lost{5, 0, LossCause::kernel_buffer}, one,
          PlacedName{8, 8, app, "two.sh"}, other, PlacedName{7, 7, app, "one.sh"}, one,
          PlacedName{0, 0, 0, "swapper/0"}, of_kernel(kernel_start + 0x30, 0)});
    ledger();
    EXPECT_EQ(names_of(account_), "one.sh=4 two.sh=1 ");
    ledger();
    EXPECT_EQ(names_of(account_), "one.sh=4 two.sh=1 ") << "an account counts nothing twice";
    collector_->begin_run(0);
    feed({PlacedName{7, 7, app, "one.sh"}, one});
    ledger();
    EXPECT_EQ(names_of(account_), "one.sh=1 ");
}

TEST_F(CollectingPlaced, sampled_threads_have_names) {
    announce({.separation = by_thread});
    feed({PlacedName{7, 7, app, "main"}, at({0x10, app}), PlacedName{7, 7, app, "renamed"}, at({0x10, app}),
          PlacedName{9, 9, app, "unsampled"}});
    ledger();
    ASSERT_EQ(account_.names.threads().size(), 1u);
    EXPECT_EQ(account_.names.threads().begin()->second, "renamed");
}

TEST_F(CollectingPlaced, a_threads_name_is_that_of_its_run_not_that_of_an_earlier_look_at_the_process) {
    announce({.separation = by_thread});
    PlacedSample other = at({0x10, app});
    other.tid = 8;
    feed({Name{0, 7, 7, true, "before_exec"}, PlacedName{7, 7, app, "renamed"}, at({0x10, app}), other,
          PlacedName{7, 9, app, ""}, at({0x20, app})});
    ledger();
    EXPECT_EQ(account_.names.threads(),
              (std::map<RecordedNames::Thread, std::string>{{{7, 7}, "renamed"}, {{7, 8}, "before_exec"}}))
        << "the table has the names of threads that no run has";
}

TEST_F(CollectingPlaced, a_cookie_that_gets_another_image_leaves_the_samples_before_to_the_first) {
    announce();
    feed({PlacedName{7, 7, app, "x"}, at({0x10, app}), at({0x10, app}), file(app, "/bin/other"),
          at({0x10, app})});
    ledger();
    EXPECT_EQ(account_.names.commands(),
              (std::map<RecordedNames::Command, uint64_t>{{{"/bin/app", "x"}, 2}, {{"/bin/other", "x"}, 1}}));
}

TEST_F(CollectingPlaced, an_application_announced_after_its_context_has_all_the_runs_samples) {
    announce();
    PlacedSample of_late = at({0x10, libc});
    of_late.app = 99;
    feed({PlacedName{7, 7, 99, "x"}, of_late, file(99, "/bin/late"), of_late});
    ledger();
    EXPECT_EQ(account_.names.commands(),
              (std::map<RecordedNames::Command, uint64_t>{{{"/bin/late", "x"}, 2}}));
}

TEST_F(CollectingPlaced, plain_samples_between_two_names_are_counted_once) {
    announce();
    const Sample plain = user(0x400010), unplaced = user(0x10), stranger = user(0x10, 99);
    feed({PlacedName{7, 7, app, "one"}, at({0x10, app}), plain, plain, unplaced, stranger, at({0x10, app}),
          PlacedName{8, 8, app, "two"}, at({0x10, app}), plain, PlacedName{0, 0, 0, "idle"}, plain,
          of_kernel(kernel_start, 0)});
    ledger();
    EXPECT_EQ(names_of(account_), "app=4 one=2 two=1 ");
    collector_->begin_run(0);
    feed({PlacedName{7, 7, app, "one"}, at({0x10, app}), plain});
    ledger();
    EXPECT_EQ(names_of(account_), "app=1 one=1 ");
}

TEST_F(CollectingPlaced, plain_samples_that_are_not_wanted_take_none_from_a_run) {
    announce({.only_images = {"/bin/app"}});
    const Sample plain = user(0x400010), unwanted = user(0x1000, 8);
    feed({Name{0, 8, 8, true, "x"}, Mapping{0, 8, {0x1000}, 0x1000, 0, false, "/bin/x", {}},
          PlacedName{7, 7, app, "one"}, at({0x10, app}), plain, unwanted, unwanted, at({0x10, app})});
    ledger();
    EXPECT_EQ(account_.ledger.lost(LossCause::image_filtered), 2u);
    EXPECT_EQ(names_of(account_), "app=1 one=2 ");
}

TEST_F(CollectingPlaced, what_the_kernel_maps_everywhere_is_one_image_for_all_processes) {
    announce();
    const auto region = [](uint32_t cookie, uint32_t tgid, uint64_t start, std::string_view label) {
        return ImageCookie{cookie, true, tgid, {start}, 0x2000, 0, 0, label};
    };
    feed({region(10, 7, 0x5000, "[sigpage]"), region(11, 8, 0x9000, "[sigpage]"), region(12, 0, 0, "[vdso]"),
          region(13, 8, 0x3000, "anon"), at({4, 10}), at({4, 11}), at({8, 12}), at({8, 13})});
    EXPECT_EQ(files(), (std::vector{name(bin_app, "{anon:[sigpage]}/0.0x0.0x1fff/") + " 4=2",
                                    name(bin_app, "{anon:[vdso]}/0.0x0.0x1fff/") + " 8=1",
                                    name(bin_app, "{anon:anon}/8.0x3000.0x4fff/") + " 8=1"}));
}

TEST_F(CollectingPlaced, the_vdso_of_a_program_that_is_not_known_to_be_64_bit_is_another_image) {
    announce({.images_are_local = true});
    const std::string program = std::filesystem::read_symlink("/proc/self/exe");
    const std::string small = dir_.write("small", "\x7f\x45LF\x01");
    feed({file(20, program), file(21, small), ImageCookie{12, true, 0, {0}, 0x2000, 0, 0, "[vdso]"}});
    for (const uint32_t program_cookie : {20u, 21u, app}) {
        PlacedSample sample = at({8, 12});
        sample.app = program_cookie;
        feed({sample});
    }
    std::vector expected{name(bin_app, "{anon:[vdso32]}/0.0x0.0x1fff/") + " 8=1",
                         name("{root}" + small + "/", "{anon:[vdso32]}/0.0x0.0x1fff/") + " 8=1",
                         name("{root}" + program + "/", "{anon:[vdso]}/0.0x0.0x1fff/") + " 8=1"};
    std::ranges::sort(expected);  // this program may lie anywhere
    EXPECT_EQ(files(), expected);
}

TEST_F(CollectingPlaced, a_name_that_was_recorded_for_one_thread_is_no_other_threads) {
    announce();
    PlacedSample other = at({0x10, app});
    other.tgid = other.tid = 8;
    RecordEncoder encoder;
    std::string bytes;
    for (const Record& record : {Record(PlacedName{7, 7, app, "one"}), Record(other), Record(other),
                                 Record(at({0x10, app})), Record(other)})
        encoder.encode(record, bytes);
    std::vector<uint64_t> aligned(bytes.size() / sizeof(uint64_t));
    std::memcpy(aligned.data(), bytes.data(), bytes.size());
    std::vector<Record> records;
    RecordDecoder().decode(std::as_bytes(std::span(aligned)), records, 100);
    feed(records);
    EXPECT_EQ(ledger().stored(), 4u);
    EXPECT_EQ(names_of(account_), "one=1 ");
}

TEST_F(CollectingPlaced, a_loss_without_bounds_names_no_samples) {
    announce();
    feed({PlacedName{7, 7, app, "one"}, at({0x10, app}), PlacedName{7, 7, app, "two"}, at({0x10, app}),
          Lost{UINT64_MAX, 0, LossCause::damaged_stream}, at({0x10, app}), user(0x400010)});
    ledger();
    EXPECT_EQ(names_of(account_), "app=1 one=1 ");
}

}  // namespace op::collect
