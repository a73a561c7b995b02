// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/image_keeper.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "libop/base/build_id.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

/// A program that runs although its file is gone.
class DeletedProgram : public ::testing::Test {
protected:
    void SetUp() override {
        session_.begin(false);
        std::filesystem::copy_file("/bin/sleep", path_);
        facts_.build_id = build_id_of_fd(open_regular(path_));
        if (facts_.build_id.empty()) GTEST_SKIP() << "/bin/sleep has no build-id";
        ASSERT_EQ(::pipe2(gone_, O_CLOEXEC), 0);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::execl(path_.c_str(), path_.c_str(), "1000", nullptr);
            ::_exit(1);
        }
        ::close(gone_[1]);
        char byte;
        ASSERT_EQ(::read(gone_[0], &byte, 1), 0) << "the end that exec closes";
        ::close(gone_[0]);
        facts_.tgid = static_cast<uint32_t>(pid_);
        std::filesystem::remove(path_);
    }
    ~DeletedProgram() override {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    bool is_kept() const { return find_kept_image(session_.current_path(), facts_.build_id).has_value(); }

    test::TempDir dir_, binaries_;
    Diagnostics notes_;
    SessionWriter session_{dir_.path(), false, notes_};
    std::string path_ = binaries_ / "program";
    MappedFileFacts facts_{0, path_};
    pid_t pid_ = 0;
    int gone_[2];
};

TEST_F(DeletedProgram, is_kept) {
    ImageKeeper(session_, notes_).keep(facts_);
    EXPECT_TRUE(is_kept());
    EXPECT_TRUE(notes_.warnings().empty());
}

/// The session's limit does not begin again with each run.
TEST_F(DeletedProgram, is_not_kept_in_a_session_that_is_full_of_copies_of_earlier_runs) {
    std::filesystem::create_directory(dir_ / "samples/current/images");
    std::filesystem::resize_file(dir_.write("samples/current/images/abcd", ""), kept_images_limit);
    ImageKeeper keeper(session_, notes_);
    keeper.keep(facts_);
    EXPECT_FALSE(is_kept());
    EXPECT_EQ(notes_.warnings().size(), 1u);
    session_.reset();
    keeper.begin_run();
    keeper.keep(facts_);
    EXPECT_TRUE(is_kept());
}

}  // namespace
}  // namespace op::collect
