// SPDX-License-Identifier: GPL-2.0-or-later
// What images may cost a session: what is beyond it is counted, and the host's own images have a share that
// strangers cannot use up.
#include "daemon/collect/image_limits.h"

#include <gtest/gtest.h>

#include <deque>

#include "tests/unit/collecting.h"

namespace op::collect {
namespace {

class CollectorLimits : public Collecting {
protected:
    void limit(const ImageLimits& limits, Separation separation = {.library = true, .kernel = true}) {
        collector({.separation = separation, .images_are_local = true, .limits = limits});
    }
    /// Samples of process 7 in a mapping of that file, at so many addresses.
    void sample_in(const std::string& path, uint32_t addresses = 1) {
        const uint64_t start = next_ += 0x100000;
        feed({Mapping{0, 7, {start}, 0x100000, 0, false, paths_.emplace_back(path), {}}});
        for (uint32_t i = 0; i < addresses; ++i)
            feed({user(start + i)});
    }
    void sample_in_many_files_of_strangers(int n) {
        for (int i = 0; i < n; ++i)
            sample_in("/nowhere/" + std::to_string(i));
    }
    void sample_until_some_are_lost() {
        sample_in_many_files_of_strangers(20);
        EXPECT_GT(lost(), 5u);
        EXPECT_LT(lost(), 20u);
    }
    uint64_t lost() {
        account_ = collector_->flush_and_account();
        EXPECT_TRUE(account_.ledger.balanced());
        return account_.ledger.lost(LossCause::image_limit);
    }
    /// A sample of the driver's in each of the images with the cookies 1 to n, which are their own programs.
    void sample_in_cookies(uint32_t n) {
        for (uint32_t i = 1; i <= n; ++i)
            feed({PlacedSample{7, 7, 0, i, 0, CpuMode::user, 0, {0x10, i}, {}}});
    }
    void announce_cookies(uint32_t n) {
        for (uint32_t i = 1; i <= n; ++i) {
            const std::string& path = paths_.emplace_back("/nowhere/" + std::to_string(i));
            feed({ImageCookie{i, false, 0, {0}, 0, 0, 0, path}});
        }
    }
    /// True if one more sample in the file is stored.
    bool is_stored(const std::string& path) {
        const uint64_t before = lost();
        sample_in(path);
        return lost() == before;
    }

    uint64_t next_ = 0x10000000;
    std::deque<std::string> paths_;
    std::string own_file_ = dir_.write("own", "");
};

constexpr ImageLimits few_images{.manifest_bytes = 2000}, few_files{.file_bytes = 100'000};

}  // namespace

TEST_F(CollectorLimits, a_path_of_very_many_directories_is_not_made) {
    limit({.components = 5, .path = 20});
    EXPECT_TRUE(is_stored("/1/2/3/4/5"));
    EXPECT_FALSE(is_stored("/1/2/3/4/5/6"));
    EXPECT_FALSE(is_stored("/a-name-that-is-long-enough"));
    EXPECT_EQ(notes_.warnings().size(), 1u);
    sample_in("[heap of more than twenty bytes]");
    EXPECT_EQ(lost(), 3u) << "labels are names, too";
}

TEST_F(CollectorLimits, a_component_that_no_file_system_takes_is_not_made) {
    limit({});
    const std::string directory = "/deep/";
    EXPECT_TRUE(is_stored(directory + std::string(255, 'a')));
    EXPECT_FALSE(is_stored(directory + std::string(256, 'a')));
    const std::byte one[] = {std::byte{1}}, two[] = {std::byte{2}};
    const std::string path = directory + std::string(254, 'b');
    const size_t before = files().size();
    feed({Mapping{0, 7, {0xb00000}, 0x1000, 0, false, path, one},
          Mapping{0, 7, {0xc00000}, 0x1000, 0, false, path, two}, user(0xb00000), user(0xc00000)});
    EXPECT_EQ(files().size(), before + 1) << "the second name has a suffix";
    EXPECT_EQ(account_.ledger.lost(LossCause::image_limit), 2u);
    EXPECT_EQ(account_.ledger.lost(LossCause::sample_file), 0u);
}

TEST_F(CollectorLimits, directories_of_files_that_cannot_be_made_count) {
    info_.events[0].name = std::string(300, 'E');
    limit(few_files);
    sample_in_many_files_of_strangers(40);
    EXPECT_GT(lost(), 0u);
    EXPECT_GT(account_.ledger.lost(LossCause::sample_file), 5u);
    EXPECT_EQ(account_.ledger.lost(), 40u);
}

TEST_F(CollectorLimits, images_end_where_the_manifest_would_be_too_long_to_read) {
    limit(few_images);
    sample_until_some_are_lost();
    EXPECT_FALSE(is_stored("/nowhere/new"));
    EXPECT_TRUE(is_stored("/nowhere/0")) << "an image that is known is counted on";
    EXPECT_EQ(notes_.warnings().size(), 1u);
}

TEST_F(CollectorLimits, sample_files_end_where_they_take_too_much_of_the_disk) {
    limit(few_files);
    sample_until_some_are_lost();
    EXPECT_TRUE(is_stored("/nowhere/0"));
    collector_->reopen_files();
    EXPECT_TRUE(is_stored("/nowhere/0")) << "a file that is there is opened";
    EXPECT_FALSE(is_stored("/nowhere/new"));
}

TEST_F(CollectorLimits, sample_files_grow_to_the_limit_only) {
    limit({.file_bytes = 40'000});
    sample_in("/nowhere/one", 50'000);
    EXPECT_GT(lost(), 40'000u);
    EXPECT_GT(account_.ledger.stored(), 200u);
    EXPECT_EQ(account_.ledger.lost(LossCause::disk_full), 0u);
}

TEST_F(CollectorLimits, the_hosts_images_have_a_share_of_their_own) {
    for (const ImageLimits& limits : {few_images, few_files}) {
        session_.begin(false);
        limit(limits);
        sample_in_many_files_of_strangers(40);
        EXPECT_FALSE(is_stored("/nowhere/more"));
        const uint64_t before = lost();
        feed({Name{0, 8, 8, true, "own"}, Mapping{0, 8, {0x400000}, 0x1000, 0, false, own_file_, {}},
              user(0x400010, 8), kernel(kernel_start + 1, 8)});
        EXPECT_EQ(lost(), before);
    }
}

TEST_F(CollectorLimits, begin_again_with_another_session) {
    for (const ImageLimits& limits : {few_images, few_files}) {
        session_.begin(false);
        limit(limits);
        sample_in_many_files_of_strangers(40);
        EXPECT_FALSE(is_stored("/nowhere/more"));
        session_.reset();
        collector_->begin_run(1);
        EXPECT_TRUE(is_stored("/nowhere/more"));
        EXPECT_EQ(lost(), 0u);
    }
    for (uint64_t i = 0; i < 65'537; ++i)
        feed({Mapping{0, 8, {0x10000000 + i * 0x2000}, 0x1000, 0, false, "/lib/many.so", {}}});
    lost();
    EXPECT_GT(account_.mappings_left_out, 0u);
    collector_->begin_run(2);
    lost();
    EXPECT_EQ(account_.mappings_left_out, 0u);
}

TEST_F(CollectorLimits, begin_again_for_the_drivers_images) {
    limit(few_images);
    announce_cookies(40);
    sample_in_cookies(40);
    const uint64_t first = lost();
    EXPECT_GT(first, 0u);
    session_.reset();
    collector_->begin_run(1);
    feed({PlacedSample{7, 7, 0, 40, 0, CpuMode::user, 0, {0x10, 40}, {}}});
    EXPECT_EQ(lost(), 0u) << "it was beyond them in the session before";
    sample_in_cookies(40);
    EXPECT_EQ(lost(), first) << "those with names count, too";
}

TEST_F(CollectorLimits, programs_that_are_not_wanted_use_up_nothing) {
    collector({.images_are_local = true, .only_images = {"/bin/wanted"}, .limits = few_images});
    for (uint32_t i = 0; i < 40; ++i)
        feed({Name{0, 100 + i, 100 + i, true, "x"},
              Mapping{0,
                      100 + i,
                      {0x1000},
                      0x1000,
                      0,
                      false,
                      paths_.emplace_back("/nowhere/" + std::to_string(i)),
                      {}},
              user(0x1000, 100 + i)});
    announce_cookies(40);
    sample_in_cookies(40);
    feed({Name{0, 8, 8, true, "wanted"}, Mapping{0, 8, {0x1000}, 0x1000, 0, false, "/bin/wanted", {}},
          user(0x1000, 8)});
    EXPECT_EQ(lost(), 0u);
    EXPECT_EQ(account_.ledger.lost(LossCause::image_filtered), 80u);
    EXPECT_EQ(account_.ledger.stored(), 1u);
}

TEST_F(CollectorLimits, a_wanted_program_beyond_them_is_lost_as_that) {
    collector({.images_are_local = true, .only_images = {"/a/b/c/deep"}, .limits = {.components = 2}});
    feed({Name{0, 8, 8, true, "deep"}, Mapping{0, 8, {0x400000}, 0x1000, 0, false, "/a/b/c/deep", {}},
          ImageCookie{1, false, 0, {0}, 0, 0, 0, "/a/b/c/deep"}, user(0x400010, 8),
          PlacedSample{8, 8, 0, 1, 0, CpuMode::user, 0, {0x10, 1}, {}}});
    EXPECT_EQ(lost(), 2u);
}

TEST_F(CollectorLimits, a_warning_reports_them_if_only_arcs_meet_them) {
    limit({.path = 20});
    feed({Mapping{0, 7, {0xb00000}, 0x1000, 0, false, "/a-name-that-is-long-enough", {}}});
    const uint64_t chain[] = {0xb00010};
    Sample sample = user(0x400010);
    sample.chain = chain;
    feed({sample});
    EXPECT_EQ(lost(), 0u);
    EXPECT_EQ(account_.arcs_lost, 1u);
    EXPECT_EQ(notes_.warnings().size(), 1u);
}

TEST_F(CollectorLimits, count_what_earlier_runs_left) {
    for (const ImageLimits& limits : {few_images, few_files}) {
        session_.begin(false);
        limit(limits);
        sample_in_many_files_of_strangers(40);
        EXPECT_GT(lost(), 0u);
        const SessionInfo earlier = account_;
        limit(limits);
        collector_->add_earlier(earlier);
        collector_->count_earlier(session_.list());
        EXPECT_FALSE(is_stored("/nowhere/more"));
    }
}

TEST_F(CollectorLimits, the_kernels_files_of_earlier_runs_are_of_the_hosts_share) {
    limit({.file_bytes = 200'000});
    for (uint64_t i = 0; i < 50'000; ++i)
        feed({kernel(kernel_start + i, 99)});
    EXPECT_GT(lost(), 0u);
    const SessionInfo earlier = account_;
    limit({.file_bytes = 200'000});
    collector_->add_earlier(earlier);
    collector_->count_earlier(session_.list());
    EXPECT_TRUE(is_stored("/nowhere/new"));
}

TEST_F(CollectorLimits, a_program_beyond_them_is_no_trouble_where_programs_are_not_kept_apart) {
    limit({.components = 2}, {.library = false, .kernel = false});
    feed({Name{0, 8, 8, true, "deep"}, Mapping{0, 8, {0x400000}, 0x1000, 0, false, "/a/b/c/deep", {}},
          Mapping{0, 8, {0x900000}, 0x1000, 0, false, "/lib", {}}, user(0x900010, 8), user(0x400010, 8)});
    EXPECT_EQ(lost(), 1u);
    EXPECT_EQ(account_.ledger.stored(), 1u);
}

}  // namespace op::collect
