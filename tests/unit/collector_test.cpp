// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collector.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <deque>
#include <random>

#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

constexpr uint64_t kernel_start = 0xffffffff81000000;

/// While it lives, this process may hold `files` descriptors.
class DescriptorLimit {
public:
    explicit DescriptorLimit(rlim_t files) {
        ::getrlimit(RLIMIT_NOFILE, &old_);
        const rlimit limit{files, old_.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
    ~DescriptorLimit() { ::setrlimit(RLIMIT_NOFILE, &old_); }
    DescriptorLimit(const DescriptorLimit&) = delete;
    DescriptorLimit& operator=(const DescriptorLimit&) = delete;

private:
    rlimit old_{};
};

/// A collector over a session of its own, with one process 7 running /bin/app.
class Collecting : public ::testing::Test {
protected:
    Collecting() : session_(dir_.path(), false, notes_) {
        session_.begin(false);
        info_.cpu_type = 4;
        info_.events = {{"TIMER", 0, 1000000}, {"OTHER", 1, 5000}};
    }

    Collector& collector(CollectorOptions options = {}, FillGaps fill = {}) {
        collector_ = std::make_unique<Collector>(session_, info_, options, notes_, std::move(fill));
        feed({Mapping{0, 0, {0}, UINT64_MAX, 0, true, no_vmlinux, {}},
              Mapping{0, 0, {kernel_start}, 0x100000, 0, true, "/proc/kallsyms", {}},
              Mapping{0, 0, {0xffffffffc0000000}, 0x4000, 0, true, "ext4", {}}, Name{0, 7, 7, true, "app"},
              Mapping{0, 7, {0x400000}, 0x10000, 0x1000, false, "/bin/app", {}},
              Mapping{0, 7, {0x7f0000}, 0x10000, 0, false, "/lib/libc.so", {}},
              Mapping{0, 7, {0x900000}, 0x1000, 0, false, "[heap]", {}}});
        return *collector_;
    }
    void feed(const std::vector<Record>& records) { collector_->process(records); }
    static Sample user(uint64_t pc, uint32_t tgid = 7, uint32_t cpu = 0) {
        return {1, tgid, tgid, cpu, 0, CpuMode::user, 0, {pc}, {}};
    }
    static Sample kernel(uint64_t pc, uint32_t tgid = 7) {
        return {1, tgid, tgid, 0, 0, CpuMode::kernel, 0, {pc}, {}};
    }

    /// All sample files as "path key=count ...", sorted.
    std::vector<std::string> files() {
        account_ = collector_->account();
        const SessionReader reader(session_.current_path());
        std::vector<std::string> lines;
        for (const std::string& path : reader.list()) {
            auto content = reader.read(path, notes_);
            std::ranges::sort(content.entries, {}, &SampleEntry::key);
            std::string line = path;
            for (const auto& e : content.entries)
                line += " " + hex_of(e.key) + "=" + std::to_string(e.count);
            lines.push_back(line);
        }
        return lines;
    }
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
    static std::string hex_of(uint64_t v) {
        char text[20];
        std::snprintf(text, sizeof text, "%lx", static_cast<unsigned long>(v));
        return text;
    }

    test::TempDir dir_;
    Diagnostics notes_;
    SessionWriter session_;
    SessionInfo info_, account_;
    std::unique_ptr<Collector> collector_;
};

constexpr const char* tail = "TIMER.1000000.0.all.all.all";

}  // namespace

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

TEST_F(Collecting, anonymous_memory_is_named_by_process_and_region) {
    collector();
    feed({user(0x900004)});
    EXPECT_EQ(files().at(0),
              std::string("{root}/bin/app/{dep}/{anon:[heap]}/7.0x900000.0x900fff/") + tail + " 4=1");
}

TEST_F(Collecting, separation_shows_in_the_names) {
    collector({.separate_thread = true, .separate_cpu = true});
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
    const Ledger ledger = collector_->account().ledger;
    EXPECT_EQ(ledger.lost(LossCause::user_filtered), 1u);
    EXPECT_EQ(ledger.stored(), 1u);
}

TEST_F(Collecting, every_loss_has_its_cause) {
    collector();
    Sample guest = user(1), stranger = user(0x400010);
    guest.mode = CpuMode::guest;
    stranger.event = 9;
    feed({guest, stranger, user(0x10), Lost{5, 1, LossCause::kernel_buffer}, user(0x400010)});
    const Ledger ledger = collector_->account().ledger;
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
    collector({}, [&](const Sample&) -> std::span<const Record> {
        ++asked;
        return answer;
    });
    feed({user(0xa00010), user(0xa00010)});
    EXPECT_EQ(asked, 1);
    EXPECT_NE(files().at(0).find("/lib/late.so/"), std::string::npos);
}

TEST_F(Collecting, a_new_mapping_ends_what_the_cache_knew) {
    collector();
    feed({user(0x400010), Mapping{2, 7, {0x400000}, 0x1000, 0, false, "/lib/new.so", {}}, user(0x400010),
          Unmapping{3, 7, {0x400000}, 0x1000}, user(0x400010)});
    files();
    EXPECT_EQ(account_.ledger.stored(), 2u);
    EXPECT_EQ(account_.ledger.lost(LossCause::no_mapping), 1u);
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

TEST_F(Collecting, many_images_need_few_open_files_and_lose_nothing) {
    collector({.open_files = 8});
    expect_a_hundred_images_are_collected();
}

TEST_F(Collecting, a_process_that_may_open_few_files_loses_nothing) {
    const DescriptorLimit limit(40);
    collector();
    expect_a_hundred_images_are_collected();
}

TEST_F(Collecting, descriptors_that_run_out_while_collecting_cost_no_sample) {
    collector();
    const DescriptorLimit limit(40);
    expect_a_hundred_images_are_collected();
}

TEST_F(Collecting, throttled_events_are_marked) {
    collector();
    feed({Throttle{1, 0, 1, true}, Throttle{2, 0, 1, false}});
    const SessionInfo info = collector_->account();
    EXPECT_FALSE(info.events[0].throttled);
    EXPECT_TRUE(info.events[1].throttled);
}

TEST_F(Collecting, a_replaced_image_is_told) {
    const std::byte one[] = {std::byte{1}}, two[] = {std::byte{2}};
    collector();
    feed({Mapping{0, 7, {0xb00000}, 0x1000, 0, false, "/lib/up.so", one},
          Mapping{0, 8, {0xb00000}, 0x1000, 0, false, "/lib/up.so", two}, user(0xb00000)});
    EXPECT_EQ(collector_->account().images.at("/lib/up.so").build_id, "02");
    EXPECT_EQ(notes_.warnings().size(), 1u);
}

}  // namespace op::collect
