// SPDX-License-Identifier: GPL-2.0-or-later
// What the collector does after records of processes and mappings were lost.
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <map>

#include "tests/unit/collecting.h"

namespace op::collect {
namespace {

/// A collector whose world is played by `world_`: the processes there are, by number.
class Doubting : public Collecting {
protected:
    void begin(const CollectorOptions& options = {}) {
        collector(options, [this](const Sample& sample, Gap gap) -> std::optional<std::span<const Record>> {
            asked_.push_back(gap);
            if (is_too_soon_) return std::nullopt;
            return std::span<const Record>(world_[sample.tgid]);
        });
    }
    void is_running(uint32_t tgid, std::string_view path) {
        world_[tgid] = {Name{0, tgid, tgid, true, "now"},
                        Mapping{0, tgid, {0x400000}, 0x1000, 0, false, path, {}}};
    }
    /// The files without what all names have in common.
    std::vector<std::string> images() {
        std::vector<std::string> names = files();
        for (std::string& name : names)
            name = name.substr(name.find("{dep}/") + 6);
        return names;
    }
    static std::string counted(const std::string& path, const std::string& counts) {
        return "{root}" + path + "/" + tail + " " + counts;
    }

    std::map<uint32_t, std::vector<Record>> world_;
    std::vector<Gap> asked_;
    bool is_too_soon_ = false;
};

}  // namespace

TEST_F(Doubting, an_exec_whose_records_were_lost_is_noticed_after_the_loss) {
    begin();
    feed({user(0x400010)});
    is_running(7, "/bin/next");
    feed({LostSideBand{5}, user(0x400010), user(0x400010)});
    EXPECT_EQ(images(), (std::vector{counted("/bin/app", "1010=1"), counted("/bin/next", "10=2")}));
    EXPECT_EQ(asked_, std::vector{Gap::changes}) << "once";
    EXPECT_EQ(account_.side_band_lost, 5u);
    EXPECT_EQ(account_.unsure_samples, 0u);
    EXPECT_EQ(account_.ledger.sampled(), 3u) << "they are no samples";
    EXPECT_TRUE(account_.ledger.balanced());
}

TEST_F(Doubting, a_file_that_a_gap_is_filled_with_is_looked_at_as_of_then) {
    const std::string path = dir_.write("up.so", "one");
    struct stat st {};
    ASSERT_EQ(::stat(path.c_str(), &st), 0);
    const FileIdentity id{st.st_dev, st.st_ino};
    const auto mapping_of = [&](uint32_t tgid) {
        return Mapping{0, tgid, {0xb00000}, 0x1000, 0, false, path, {}, id};
    };
    collector({.images_are_local = true}, [&](const Sample&, Gap) {
        for (const int64_t before = st.st_ctim.tv_nsec; st.st_ctim.tv_nsec == before;
             ::stat(path.c_str(), &st))
            dir_.write("up.so", "two");
        world_[9] = {Name{0, 9, 9, true, "now"}, mapping_of(9)};
        return std::optional(std::span<const Record>(world_[9]));
    });
    feed({mapping_of(7), user(0xb00000), mapping_of(8), user(0xb00000, 8), user(0xb00000, 9)});
    files();
    EXPECT_EQ(account_.images.size(), 2u);
}

TEST_F(Doubting, a_process_that_is_gone_is_dropped) {
    begin();
    feed({LostSideBand{1}, user(0x400010)});
    EXPECT_TRUE(files().empty());
    EXPECT_EQ(account_.ledger.lost(LossCause::no_mapping), 1u);
}

TEST_F(Doubting, a_process_that_is_about_to_end_is_stored_for_what_it_was) {
    begin();
    world_[7] = {Name{0, 7, 7, true, "app"}};  // without memory
    feed({LostSideBand{1}, user(0x400010)});
    EXPECT_EQ(images(), std::vector{counted("/bin/app", "1010=1")});
    EXPECT_EQ(account_.unsure_samples, 1u);
}

TEST_F(Doubting, while_it_is_too_soon_to_look_samples_are_stored_and_counted_as_unsure) {
    begin();
    is_running(7, "/bin/next");
    is_too_soon_ = true;
    feed({LostSideBand{1}, user(0x400010), user(0x400010)});
    is_too_soon_ = false;
    feed({user(0x400010), user(0x400010)});
    EXPECT_EQ(images(), (std::vector{counted("/bin/app", "1010=2"), counted("/bin/next", "10=2")}));
    EXPECT_EQ(account_.unsure_samples, 2u);
    collector_->begin_run(1);
    EXPECT_EQ(collector_->flush_and_account().unsure_samples, 0u);
    EXPECT_EQ(collector_->flush_and_account().side_band_lost, 0u);
}

TEST_F(Doubting, samples_that_are_not_stored_are_not_unsure) {
    is_too_soon_ = true;
    begin({.only_images = {"/bin/other"}});
    feed({LostSideBand{1}, user(0x400010), kernel(kernel_start)});
    EXPECT_TRUE(files().empty());
    EXPECT_EQ(account_.ledger.lost(LossCause::image_filtered), 2u);
    EXPECT_EQ(account_.unsure_samples, 0u);
}

TEST_F(Doubting, samples_of_the_kernel_are_unsure_only_where_programs_are_kept_apart) {
    is_too_soon_ = true;
    for (const bool is_apart : {false, true}) {
        begin({.separation = {.library = is_apart, .kernel = is_apart}});
        feed({LostSideBand{1}, kernel(kernel_start), user(0x400010)});
        EXPECT_EQ(collector_->flush_and_account().unsure_samples, is_apart ? 2u : 1u);
    }
}

TEST_F(Doubting, what_begins_after_the_loss_is_known) {
    begin();
    feed({LostSideBand{1}, Name{2, 8, 8, true, "new"},
          Mapping{2, 8, {0x400000}, 0x1000, 0, false, "/bin/new", {}}, user(0x400010, 8)});
    EXPECT_TRUE(asked_.empty());
    EXPECT_EQ(images(), std::vector{counted("/bin/new", "10=1")});
}

TEST_F(Doubting, a_child_is_known_as_well_as_its_parent) {
    begin();
    is_running(8, "/bin/child");
    feed({LostSideBand{1}, Fork{2, 8, 8, 7, 7}, user(0x400010, 8)});
    EXPECT_EQ(images(), std::vector{counted("/bin/child", "10=1")});
}

TEST_F(Doubting, where_nobody_can_look_samples_are_unsure_until_the_next_exec) {
    collector();
    feed({LostSideBand{1}, user(0x400010), Name{2, 7, 7, true, "new"},
          Mapping{2, 7, {0x400000}, 0x1000, 0, false, "/bin/new", {}}, user(0x400010)});
    EXPECT_EQ(images(), (std::vector{counted("/bin/app", "1010=1"), counted("/bin/new", "10=1")}));
    EXPECT_EQ(account_.unsure_samples, 1u);
}

TEST_F(Doubting, processes_whose_ends_are_lost_do_not_pile_up) {
    ProcessTable table;
    for (uint32_t i = 1; i <= 400'000; ++i) {
        table.apply(Name{i, i, i, true, "x"});
        if (i % 1000 == 0) table.lose_track();
    }
    EXPECT_LT(table.size(), 150'000u);
}

}  // namespace op::collect
