// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/collect/image_keeper.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "libop/base/build_id.h"
#include "tests/unit/collecting.h"
#include "tests/unit/sample_file_bytes.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

std::string unhex(const std::string& text) {
    std::string bytes;
    for (size_t i = 0; i + 1 < text.size(); i += 2)
        bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
    return bytes;
}

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

/// A program that is likely to be built again after the run.
class OwnBuild : public Collecting {
protected:
    void SetUp() override {
        std::filesystem::copy_file("/bin/sleep", path_);
        build_id_ = build_id_of_file(path_);
        if (build_id_.empty()) GTEST_SKIP() << "/bin/sleep has no build-id";
    }
    void sample(const std::string& path) {
        const std::string id = unhex(build_id_);
        collector_->process(std::vector<Record>{
            Mapping{0, 7, {0x10000000}, 0x1000, 0, false, path, std::as_bytes(std::span(id))},
            user(0x10000010, 7)});
    }
    bool is_kept() {
        collector_->flush_and_account();
        collector_->keep_builds();
        return find_kept_image(session_.current_path(), build_id_).has_value();
    }

    test::TempDir binaries_;
    std::string path_ = binaries_ / "program", build_id_;
};

TEST_F(OwnBuild, is_kept_where_it_is_asked_for) {
    collector({.images_are_local = true, .keeps_builds = true});
    sample(path_);
    EXPECT_TRUE(is_kept());
    EXPECT_TRUE(notes_.warnings().empty());
}

TEST_F(OwnBuild, that_cannot_be_written_is_noted_once_and_ends_the_copies) {
    collector({.images_are_local = true, .keeps_builds = true});
    dir_.write("samples/current/images", "no directory");
    sample(path_);
    const std::string other = binaries_ / "other";
    std::filesystem::copy_file("/bin/cat", other);
    build_id_ = build_id_of_file(other);
    sample(other);
    EXPECT_FALSE(is_kept());
    ASSERT_EQ(notes_.warnings().size(), 1u);
    EXPECT_NE(notes_.warnings().front().find("is not kept"), std::string::npos) << notes_.warnings().front();
}

TEST_F(OwnBuild, that_is_larger_than_files_may_be_does_not_end_the_copies) {
    collector({.images_are_local = true, .keeps_builds = true});
    sample(path_);
    const auto size = std::filesystem::file_size(path_);
    std::filesystem::resize_file(path_, size + 4 * size);  // the same build-id, in a longer file
    const std::string other = binaries_ / "small";
    std::filesystem::copy_file("/bin/true", other);
    build_id_ = build_id_of_file(other);
    sample(other);
    collector_->flush_and_account();
    const test::FileSizeLimit limit(4 * size);
    collector_->keep_builds();
    EXPECT_TRUE(find_kept_image(session_.current_path(), build_id_).has_value());
    EXPECT_EQ(notes_.warnings().size(), 1u);
}

TEST_F(OwnBuild, of_another_user_is_not_kept) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can make a file another user's";
    constexpr uid_t somebody = 65534;
    ASSERT_EQ(::chown(path_.c_str(), somebody, somebody), 0);
    collector({.images_are_local = true, .keeps_builds = true});
    sample(path_);
    EXPECT_FALSE(is_kept());
}

TEST_F(OwnBuild, is_not_kept_otherwise) {
    collector({.images_are_local = true});
    sample(path_);
    EXPECT_FALSE(is_kept());
}

TEST_F(OwnBuild, of_the_systems_directories_is_not_kept) {
    if (build_id_of_file("/usr/bin/sleep") != build_id_)
        GTEST_SKIP() << "there is no /usr/bin/sleep of that build";
    collector({.images_are_local = true, .keeps_builds = true});
    sample("/usr/bin/sleep");
    EXPECT_FALSE(is_kept());
}

TEST_F(OwnBuild, that_is_too_large_or_built_again_is_left_out_without_a_note) {
    collector({.images_are_local = true, .keeps_builds = true});
    sample(path_);
    std::filesystem::resize_file(path_, kept_image_limit + 1);
    EXPECT_FALSE(is_kept());
    std::filesystem::remove(path_);
    std::filesystem::copy_file("/bin/cat", path_);
    EXPECT_FALSE(is_kept());
    EXPECT_TRUE(notes_.warnings().empty());
}

class ReplacedImages : public Collecting {
protected:
    void sample(const std::string& path, uint32_t tgid, std::span<const std::byte> build_id = {}) {
        collector_->process(std::vector<Record>{
            Mapping{0, tgid, {0x10000000}, 0x1000, 0, false, path, build_id}, user(0x10000010, tgid)});
    }
    bool is_elsewhere(const std::string& path) {
        collector_->keep_replaced();
        return collector_->flush_and_account().images.at(path).elsewhere;
    }
    void replace(const std::string& path) { std::filesystem::rename(dir_.write("new", "another"), path); }
};

TEST_F(ReplacedImages, are_marked_when_their_paths_lead_to_other_files) {
    const std::string path = dir_.write("program", "one");
    collector({.images_are_local = true});
    sample(path, 7);
    EXPECT_FALSE(is_elsewhere(path));
    std::filesystem::permissions(path, std::filesystem::perms(0755));
    EXPECT_FALSE(is_elsewhere(path)) << "another mode is no other file";
    replace(path);
    EXPECT_TRUE(is_elsewhere(path)) << "so that no report takes its symbols";
}

TEST_F(ReplacedImages, are_looked_at_in_turn) {
    collector({.images_are_local = true});
    std::vector<std::string> paths;
    for (uint32_t i = 0; i < 3; ++i) {
        paths.push_back(dir_.write(std::to_string(i), ""));
        sample(paths[i], 100 + i);
    }
    for (const std::string& path : paths)
        replace(path);
    for (size_t i = 0; i < paths.size(); ++i)
        collector_->keep_replaced(1);
    for (const auto& [path, image] : collector_->flush_and_account().images)
        EXPECT_TRUE(image.elsewhere) << path;
}

/// The first mapping is as /proc/PID/maps has it, the second as the kernel's record.
TEST_F(DeletedProgram, is_the_hosts_once_the_host_runs_that_build_at_its_path) {
    SessionInfo info;
    info.events = {{"TIMER", 0, 1000000}};
    Collector collector(session_, info, {.images_are_local = true}, notes_);
    const auto is_elsewhere_after = [&](const Mapping& mapping) {
        collector.process(std::vector<Record>{
            mapping, Sample{1, mapping.tgid, mapping.tgid, 0, 0, CpuMode::user, 0, {0x10000010}, {}}});
        return collector.flush_and_account().images.at(path_).elsewhere;
    };
    const std::string exe = "/proc/" + std::to_string(pid_) + "/exe";
    struct stat st {};
    ASSERT_EQ(::stat(exe.c_str(), &st), 0);
    Mapping deleted{0, facts_.tgid, {0x10000000}, 0x1000, 0, false, path_, {}};
    deleted.file = {st.st_dev, st.st_ino};
    EXPECT_TRUE(is_elsewhere_after(deleted));
    std::filesystem::copy_file(exe, path_);
    const std::string id = unhex(facts_.build_id);
    EXPECT_FALSE(is_elsewhere_after({0, 0x7ffffff0, {0x10000000}, 0x1000, 0, false, path_, as_bytes(id)}));
}

TEST_F(ReplacedImages, that_are_back_are_marked_no_longer) {
    const std::string path = dir_.write("program", "one");
    collector({.images_are_local = true});
    sample(path, 7);
    std::filesystem::rename(path, dir_ / "away");
    EXPECT_TRUE(is_elsewhere(path));
    std::filesystem::rename(dir_ / "away", path);
    EXPECT_FALSE(is_elsewhere(path));
}

TEST_F(ReplacedImages, are_not_marked_while_nobody_can_look) {
    std::filesystem::create_directory(dir_ / "mount");
    const std::string path = dir_.write("mount/program", "one");
    collector({.images_are_local = true});
    sample(path, 7);
    std::filesystem::rename(dir_ / "mount", dir_ / "away");
    std::filesystem::create_symlink("mount", dir_ / "mount");
    EXPECT_FALSE(is_elsewhere(path)) << "an error that is not that of a missing file (ELOOP)";
    std::filesystem::remove(dir_ / "mount");
    EXPECT_TRUE(is_elsewhere(path));
}

TEST_F(DeletedProgram, waits_no_longer_once_its_path_leads_to_it_again) {
    const std::string program = "/proc/" + std::to_string(pid_) + "/exe", id = unhex(facts_.build_id);
    std::filesystem::copy_file(program, path_);
    StringTable names;
    KnownImages images(names, true);
    ImagePool pool;
    const ImageRef image = images.of_file(pool.get_file(path_, {}, as_bytes(id)), facts_.tgid);
    images.note_used(image, {facts_.tgid});
    std::filesystem::remove(path_);
    EXPECT_EQ(images.find_replaced(SIZE_MAX), std::set{image.name});
    EXPECT_TRUE(images.is_pending(image.name));
    std::filesystem::copy_file(program, path_);
    EXPECT_TRUE(images.find_replaced(SIZE_MAX).empty());
    EXPECT_FALSE(images.is_pending(image.name));
}

TEST_F(DeletedProgram, is_kept_in_the_same_look_as_others_that_cannot_be) {
    const std::string program = "/proc/" + std::to_string(pid_) + "/exe", id = unhex(facts_.build_id);
    SessionInfo info;
    info.events = {{"TIMER", 0, 1000000}};
    Collector collector(session_, info, {.images_are_local = true}, notes_);
    const std::string gone[] = {binaries_ / "a", binaries_ / "b", binaries_ / "c"};
    for (const std::string& path : gone) {
        std::filesystem::copy_file(program, path);
        collector.process(
            std::vector<Record>{Mapping{0, 0x7ffffff0, {0x10000000}, 0x1000, 0, false, path, as_bytes(id)},
                                Sample{1, 0x7ffffff0, 0x7ffffff0, 0, 0, CpuMode::user, 0, {0x10000010}, {}}});
    }
    std::filesystem::copy_file(program, path_);
    collector.process(
        std::vector<Record>{Mapping{0, facts_.tgid, {0x10000000}, 0x1000, 0, false, path_, as_bytes(id)},
                            Sample{1, facts_.tgid, facts_.tgid, 0, 0, CpuMode::user, 0, {0x10000010}, {}}});
    for (const std::string& path : gone)
        std::filesystem::remove(path);
    std::filesystem::remove(path_);
    collector.keep_replaced(SIZE_MAX, 1 << 20);
    EXPECT_TRUE(is_kept());
}

/// The process of the first sample has ended.
TEST_F(DeletedProgram, is_kept_through_any_process_that_has_it_mapped) {
    std::filesystem::copy_file("/proc/" + std::to_string(pid_) + "/exe", path_);
    SessionInfo info;
    info.events = {{"TIMER", 0, 1000000}};
    Collector collector(session_, info, {.images_are_local = true}, notes_);
    const std::string id = unhex(facts_.build_id);
    for (const uint32_t tgid : {0x7ffffff0U, facts_.tgid})
        collector.process(
            std::vector<Record>{Mapping{0, tgid, {0x10000000}, 0x1000, 0, false, path_, as_bytes(id)},
                                Sample{1, tgid, tgid, 0, 0, CpuMode::user, 0, {0x10000010}, {}}});
    collector.keep_replaced();
    EXPECT_FALSE(is_kept()) << "its path still leads to that build";
    std::filesystem::remove(path_);
    collector.keep_replaced(SIZE_MAX, 0);
    EXPECT_FALSE(is_kept()) << "it waits for its turn";
    collector.keep_replaced(0, 1);
    EXPECT_TRUE(is_kept());
}

}  // namespace
}  // namespace op::collect
