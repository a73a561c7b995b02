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
    Candidates() : finder_({.archive = "", .root = "", .image_paths = {}, .sessions = {dir_.path()}}) {
        dir_.write("images/ab12", "kept");
    }

    /// The files in order, "kept" for that of the session.
    std::vector<std::string> of(const RecordedImage& recorded) {
        ImageCandidates candidates(
            finder_, &server_, recorded, [] { return "/bin/x"; }, [] { return std::nullopt; });
        std::vector<std::string> paths;
        while (const auto file = candidates.next()) {
            EXPECT_EQ(file->is_by_build_id, file->path != "/bin/x");
            paths.push_back(file->path.ends_with("images/ab12") ? "kept" : file->path);
        }
        return paths;
    }

    using Paths = std::vector<std::string>;
    const test::TempDir dir_;
    const ImageFinder finder_;
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
    ImageCandidates candidates(
        finder_, &server_, recorded, [] { return "/bin/x"; }, [] { return "/old/x"; });
    EXPECT_EQ(candidates.next()->path, "/bin/x");
    EXPECT_EQ(candidates.next()->path, "/old/x");
    EXPECT_TRUE(candidates.next()->path.ends_with("images/ab12"));
}

TEST_F(Candidates, nothing_is_fetched_before_its_turn) {
    const RecordedImage recorded{.build_id = "ab12"};
    ImageCandidates candidates(
        finder_, &server_, recorded, [] { return "/bin/x"; }, [] { return std::nullopt; });
    candidates.next();
    candidates.next();
    EXPECT_EQ(server_.asked, 0);
    candidates.next();
    EXPECT_EQ(server_.asked, 1);
    EXPECT_FALSE(candidates.next());
}

TEST_F(Candidates, what_is_found_by_build_id_counts_only_with_it) {
    const RecordedImage recorded{.build_id = "ab12"};
    EXPECT_EQ(candidate_change({"/x", true}, "", recorded), FileChange::other_build);
    EXPECT_EQ(candidate_change({"/x", true}, "ab12", recorded), FileChange::none);
    EXPECT_EQ(candidate_change({"/x"}, "", recorded), FileChange::none) << "nothing to compare";
}

}  // namespace op::pp
