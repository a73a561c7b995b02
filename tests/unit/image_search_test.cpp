// SPDX-License-Identifier: GPL-2.0-or-later
// Files that are gone from their path, while samples of several processes come in.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "libop/base/build_id.h"
#include "libop/base/clock.h"
#include "libop/base/text.h"
#include "tests/unit/collecting.h"

namespace op::collect {
namespace {

constexpr uint32_t ended_process = 0x7ffffff0;

/// A binary that this process and another one have mapped although it is deleted.
class CollectingDeleted : public Collecting {
protected:
    void SetUp() override {
        std::filesystem::copy_file("/bin/sleep", path_);
        const Fd file = open_regular(path_);
        build_id_ = build_id_of_fd(file);
        if (build_id_.empty()) GTEST_SKIP() << "/bin/sleep has no build-id";
        for (size_t i = 0; i < build_id_.size(); i += 2)
            bytes_.push_back(std::byte(*parse_number(build_id_.substr(i, 2), 16)));
        memory_ = ::mmap(nullptr, size_, PROT_READ | PROT_EXEC, MAP_PRIVATE, file.get(), 0);
        ASSERT_NE(memory_, MAP_FAILED);
        const auto start = reinterpret_cast<uintptr_t>(memory_);
        const std::string link = "/proc/self/map_files/" + hex(start) + "-" + hex(start + size_);
        if (Fd(::open(link.c_str(), O_RDONLY | O_CLOEXEC)).get() < 0) GTEST_SKIP() << "map_files is for root";
        std::filesystem::remove(path_);
        child_ = ::fork();
        if (child_ == 0)
            for (;;)
                ::pause();
    }
    ~CollectingDeleted() override {
        end_child();
        if (memory_ != MAP_FAILED) ::munmap(memory_, size_);
    }
    void end_child() {
        if (child_ <= 0) return;
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
        child_ = 0;
    }
    void feed_sample_of(pid_t process) {
        const auto tgid = static_cast<uint32_t>(process);
        const auto start = reinterpret_cast<uintptr_t>(memory_);
        feed({Mapping{0, tgid, {start}, size_, 0, false, path_, bytes_}, user(start, tgid)});
    }
    bool is_kept() const { return find_kept_image(session_.current_path(), build_id_).has_value(); }

    const size_t size_ = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    test::TempDir binaries_;
    std::string path_ = binaries_ / "program", build_id_;
    std::vector<std::byte> bytes_;
    void* memory_ = MAP_FAILED;
    pid_t child_ = 0;
};

}  // namespace

TEST_F(CollectingDeleted, a_file_not_found_in_a_process_that_has_ended_is_found_in_the_next) {
    collector({.images_are_local = true});
    feed_sample_of(ended_process);
    EXPECT_FALSE(is_kept());
    feed_sample_of(::getpid());
    EXPECT_TRUE(is_kept());
    files();
    EXPECT_EQ(account_.images.size(), 1u);
    EXPECT_TRUE(account_.images.at(path_).deleted);
    EXPECT_NE(account_.images.at(path_).mtime, 0u);
}

TEST_F(CollectingDeleted, a_run_keeps_its_files_though_the_process_of_the_run_before_has_ended) {
    collector({.images_are_local = true});
    feed_sample_of(child_);
    EXPECT_TRUE(is_kept());
    end_child();
    session_.reset();
    collector_->begin_run(1);
    feed_sample_of(::getpid());
    EXPECT_TRUE(is_kept());
}

TEST_F(CollectingDeleted, searches_in_further_processes_are_limited_in_rate) {
    collector({.images_are_local = true});
    feed_sample_of(ended_process);
    const uint64_t begin = monotonic_ns();
    feed_sample_of(ended_process + 1);
    feed_sample_of(::getpid());
    if (monotonic_ns() - begin > 50'000'000) GTEST_SKIP() << "this machine is too busy";
    EXPECT_FALSE(is_kept());
}

}  // namespace op::collect
