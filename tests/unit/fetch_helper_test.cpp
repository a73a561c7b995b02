// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/fetch_helper.h"

#include <gtest/gtest.h>

#include <csignal>

#include "libop/base/text.h"

namespace op::tool {

namespace {

/// Has "/EXECUTABLE" of "e1" and nothing else; dies of "bad".
class FragileSource final : public pp::BuildIdSource {
public:
    explicit FragileSource(Diagnostics& notes) : notes_(notes) {}
    std::optional<std::string> executable(const std::string& build_id) override {
        if (build_id == "bad") std::raise(SIGKILL);
        notes_.warn("asked for " + build_id);
        return build_id == "e1" ? std::optional<std::string>("/e1.so") : std::nullopt;
    }
    std::optional<std::string> debug_file(const std::string& build_id) override { return "/" + build_id; }

private:
    Diagnostics& notes_;
};

}  // namespace

TEST(FetchHelper, returns_what_the_source_has_and_its_notes) {
    Diagnostics notes;
    FetchHelper helper(std::make_unique<FragileSource>(notes), notes);
    EXPECT_EQ(helper.executable("e1"), "/e1.so");
    EXPECT_EQ(helper.executable("e2"), std::nullopt);
    EXPECT_EQ(helper.debug_file("e2"), "/e2");
    EXPECT_EQ(notes.take(), (std::vector<std::string>{"asked for e1", "asked for e2"}));
}

TEST(FetchHelper, that_crashed_has_no_more_files_and_is_noted_once) {
    Diagnostics notes;
    FetchHelper helper(std::make_unique<FragileSource>(notes), notes);
    EXPECT_EQ(helper.executable("bad"), std::nullopt);
    EXPECT_EQ(helper.executable("e1"), std::nullopt);
    EXPECT_EQ(helper.debug_file("e1"), std::nullopt);
    const auto noted = notes.take();
    ASSERT_EQ(noted.size(), 1u);
    EXPECT_EQ(noted.front().substr(0, 36), "no more files are fetched by build-i");
}

}  // namespace op::tool
