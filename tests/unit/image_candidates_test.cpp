// SPDX-License-Identifier: GPL-2.0-or-later
#include "libpp/symbols/image_candidates.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/temp_dir.h"

namespace op::pp {

namespace {

class Server final : public BuildIdSource {
public:
    std::optional<std::string> executable(const std::string& build_id) override {
        ++asked;
        return "/cache/" + build_id;
    }
    std::optional<std::string> debug_file(const std::string&) override { return std::nullopt; }
    int asked = 0;
};

class Candidates : public testing::Test {
protected:
    Candidates()
        : root_(dir_.write("root/bin/x", "x").substr(0, dir_.path().size() + 5)),
          image_path_(dir_.write("old/x", "old").substr(0, dir_.path().size() + 4)),
          finder_({.archive = "", .root = root_, .image_paths = {}, .sessions = {dir_.path()}}),
          finder_below_(
              {.archive = "", .root = root_, .image_paths = {image_path_}, .sessions = {dir_.path()}}) {
        dir_.write("images/ab12", "kept");
    }

    ImageCandidates candidates(const ImageFinder& finder, const RecordedImage& recorded) {
        return {finder, &server_, name_, recorded, named_, notes_};
    }

    /// The files in order, "kept" for that of the session.
    std::vector<std::string> of(const RecordedImage& recorded) {
        ImageCandidates files = candidates(finder_, recorded);
        std::vector<std::string> paths;
        while (const auto file = files.next()) {
            const bool is_at_path = file->path == root_ + "/bin/x" || file->path == named_;
            EXPECT_EQ(file->is_by_build_id, !is_at_path);
            const bool is_kept = file->path.ends_with("images/ab12");
            paths.push_back(is_kept ? "kept" : file->path == root_ + "/bin/x" ? "/bin/x" : file->path);
        }
        return paths;
    }

    using Paths = std::vector<std::string>;
    const test::TempDir dir_;
    const std::string root_, image_path_;
    const ImageFinder finder_, finder_below_;
    const std::string name_ = "/bin/x";
    std::string named_;
    Diagnostics notes_;
    Server server_;
};

}  // namespace

TEST_F(Candidates, the_path_is_first_then_what_is_of_the_build) {
    EXPECT_EQ(of({.build_id = "ab12"}), (Paths{"/bin/x", "kept", "/cache/ab12"}));
    EXPECT_EQ(of({.build_id = "cd34"}), (Paths{"/bin/x", "/cache/cd34"}));
}

TEST_F(Candidates, a_kept_copy_is_first_if_the_path_led_elsewhere) {
    EXPECT_EQ(of({.build_id = "ab12", .elsewhere = true}), (Paths{"kept", "/bin/x", "/cache/ab12"}));
}

TEST_F(Candidates, without_one_build_there_is_only_the_path) {
    EXPECT_EQ(of({}), Paths{"/bin/x"});
    EXPECT_EQ(of({.build_id = "ab12", .several_builds = true}), Paths{"/bin/x"});
    EXPECT_EQ(server_.asked, 0);
}

TEST_F(Candidates, a_file_below_the_image_paths_comes_after_that_at_the_path) {
    const RecordedImage recorded{.build_id = "ab12"};
    ImageCandidates files = candidates(finder_below_, recorded);
    EXPECT_EQ(files.next()->path, root_ + "/bin/x");
    EXPECT_EQ(files.next()->path, image_path_ + "/x");
    EXPECT_TRUE(files.next()->path.ends_with("images/ab12"));
}

TEST_F(Candidates, the_file_that_the_user_named_takes_the_place_of_that_at_the_path) {
    named_ = "/boot/vmlinux";
    EXPECT_EQ(of({.build_id = "ab12"}), (Paths{"/boot/vmlinux", "kept", "/cache/ab12"}));
}

TEST_F(Candidates, below_the_image_paths_the_name_of_the_file_that_the_user_named_counts) {
    named_ = "/boot/vmlinux";
    dir_.write("old/vmlinux", "old");
    const RecordedImage recorded{};
    ImageCandidates files = candidates(finder_below_, recorded);
    EXPECT_EQ(files.next()->path, "/boot/vmlinux");
    EXPECT_EQ(files.next()->path, image_path_ + "/vmlinux");
}

TEST_F(Candidates, the_kernel_is_known_by_the_manifest_or_its_sample_file) {
    SessionInfo info;
    info.kernel_images = {{"/boot/vmlinux", 1, 2, ""}};
    EXPECT_TRUE(is_kernel_file("/boot/vmlinux", &info, false));
    EXPECT_FALSE(is_kernel_file("/boot/vmlinux", nullptr, false));
    EXPECT_FALSE(is_kernel_file("/bin/x", &info, false));
    EXPECT_TRUE(is_kernel_file("/bin/x", &info, true));
}

TEST_F(Candidates, nothing_is_fetched_before_its_turn) {
    const RecordedImage recorded{.build_id = "ab12"};
    ImageCandidates files = candidates(finder_, recorded);
    files.next();
    files.next();
    EXPECT_EQ(server_.asked, 0);
    files.next();
    EXPECT_EQ(server_.asked, 1);
    EXPECT_FALSE(files.next());
}

TEST_F(Candidates, what_is_found_by_build_id_counts_only_with_it) {
    const RecordedImage recorded{.build_id = "ab12"};
    EXPECT_EQ(candidate_change({"/x", true}, "", recorded), FileChange::other_build);
    EXPECT_EQ(candidate_change({"/x", true}, "ab12", recorded), FileChange::none);
    EXPECT_EQ(candidate_change({"/x"}, "", recorded), FileChange::none) << "nothing to compare";
}

}  // namespace op::pp
