// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/source/kallsyms_cache.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "daemon/source/kallsyms_copy.h"
#include "libop/base/gzip.h"
#include "libop/base/kernel_file.h"
#include "libop/base/machine_root.h"
#include "tests/unit/in_child.h"
#include "tests/unit/temp_dir.h"

namespace op::collect {
namespace {

namespace fs = std::filesystem;

const std::string own =
    "ffffffff81000000 T _text\nffffffff813a1200 T begin_new_exec\nffffffff813a1a80 T setup_new_exec\n"
    "ffffffff81e02000 T _etext\n";
const std::string others =
    "ffffffffc0001000 t far\t[module]\nffffffffc0100000 t bpf_prog_6deef7357e7b4530\t[bpf]\n";
constexpr KernelRange code{0xffffffff81000000, 0xffffffff81e02000};
constexpr KernelRange exec_code{0xffffffff813a1200, 0xffffffff813a1a80};

Fd in_memory(std::string_view text) {
    Fd file(::memfd_create("kallsyms", MFD_CLOEXEC));
    EXPECT_EQ(write_part(file.get(), text), text.size());
    return file;
}

/// A directory like /run.
class KallsymsCacheTest : public ::testing::Test {
protected:
    KallsymsCache cache(std::string boot = "boot/id") const { return {run_.path(), std::move(boot)}; }
    std::string path() const { return run_ / "oprofile/kallsyms"; }
    std::string content() const { return read_file(path()); }
    bool is_usable() const { return cache().open(in_memory(own + others)).has_value(); }
    void store() const { cache().store(in_memory(own + others), code, exec_code); }

    test::TempDir run_;
};

TEST_F(KallsymsCacheTest, what_was_stored_is_found_without_modules_and_bpf_programs) {
    EXPECT_FALSE(is_usable());
    store();
    const auto found = cache().open(in_memory(own + "ffffffffc0777000 t new\t[other]\n"));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->code, code);
    EXPECT_EQ(found->exec_code, exec_code);
    EXPECT_TRUE(content().ends_with('\n' + own)) << content();
    EXPECT_EQ(gunzip(packed_functions(found->file), "S"), own);
}

TEST_F(KallsymsCacheTest, belongs_to_its_owner_alone) {
    const mode_t mask = ::umask(0);
    store();
    ::umask(mask);
    struct stat st {};
    ASSERT_EQ(::stat(path().c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 07777, 0600U);
    ASSERT_EQ(::stat((run_ / "oprofile").c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 07777, 0700U);
}

TEST_F(KallsymsCacheTest, another_boot_or_another_kernel_does_not_use_it) {
    store();
    EXPECT_FALSE(cache("boot/other").open(in_memory(own)));
    EXPECT_FALSE(cache("boot").open(in_memory(own)));
    EXPECT_TRUE(cache().open(in_memory(own)));
}

TEST_F(KallsymsCacheTest, who_is_shown_other_addresses_or_none_does_not_use_it) {
    store();
    std::string moved = own, hidden = own;
    moved[9] = '2';
    for (size_t at = 0; at != hidden.npos && at < hidden.size(); at = hidden.find('\n', at) + 1)
        hidden.replace(at, 16, 16, '0');
    for (const std::string& other : {moved, hidden, std::string(), others})
        EXPECT_FALSE(cache().open(in_memory(other))) << other;
    // Not even if zeros were stored.
    cache().store(in_memory(hidden), code, exec_code);
    EXPECT_FALSE(cache().open(in_memory(hidden)));
}

TEST_F(KallsymsCacheTest, a_file_that_is_cut_or_damaged_is_not_used) {
    store();
    const std::string whole = content();
    for (size_t size = 0; size < whole.size(); ++size) {
        ASSERT_EQ(::truncate(path().c_str(), static_cast<off_t>(size)), 0);
        EXPECT_FALSE(is_usable()) << size;
        run_.write("oprofile/kallsyms", whole);
    }
    EXPECT_TRUE(is_usable());
    run_.write("oprofile/kallsyms", whole + "x");
    EXPECT_FALSE(is_usable());
    std::string damaged = whole;
    for (size_t at = 0; at < whole.find('\n'); ++at, damaged = whole) {
        damaged[at] = damaged[at] == 'x' ? 'y' : 'x';
        run_.write("oprofile/kallsyms", damaged);
        EXPECT_FALSE(is_usable()) << damaged.substr(0, damaged.find('\n'));
    }
}

TEST_F(KallsymsCacheTest, what_others_have_access_to_is_not_used_and_gets_replaced) {
    store();
    ASSERT_EQ(::chmod(path().c_str(), 0620), 0);
    EXPECT_FALSE(is_usable());
    store();
    EXPECT_TRUE(is_usable());
    fs::create_hard_link(path(), run_ / "second");
    EXPECT_FALSE(is_usable());
    fs::remove(run_ / "second");
    EXPECT_TRUE(is_usable());
    fs::rename(path(), run_ / "aside");
    fs::create_symlink(run_ / "aside", path());
    EXPECT_FALSE(is_usable());
    fs::remove(path());
    ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
    EXPECT_FALSE(is_usable());
    store();
    EXPECT_TRUE(is_usable());
    if (::geteuid() != 0) return;
    ASSERT_EQ(::chown(path().c_str(), 65534, 0), 0);
    EXPECT_FALSE(is_usable());
}

TEST_F(KallsymsCacheTest, a_directory_that_others_may_write_to_is_not_used) {
    store();
    for (const std::string& directory : {run_.path(), run_ / "oprofile"}) {
        ASSERT_EQ(::chmod(directory.c_str(), 0777), 0);
        EXPECT_FALSE(is_usable()) << directory;
        ASSERT_EQ(::chmod(directory.c_str(), 0700), 0);
        EXPECT_TRUE(is_usable());
    }
    fs::rename(run_ / "oprofile", run_ / "aside");
    fs::create_directory_symlink(run_ / "aside", run_ / "oprofile");
    EXPECT_FALSE(is_usable());
    fs::remove(run_ / "aside/kallsyms");
    store();
    EXPECT_TRUE(fs::is_empty(run_ / "aside"));
}

TEST_F(KallsymsCacheTest, what_cannot_be_written_to_its_end_leaves_nothing) {
    store();
    const std::string before = content();
    EXPECT_EQ(test::in_child([this] {
                  ::signal(SIGXFSZ, SIG_IGN);
                  const rlimit limit{100, 100};  // as on a full disk
                  ::setrlimit(RLIMIT_FSIZE, &limit);
                  cache("later/id").store(in_memory(own.substr(0, 90)), code, exec_code);
                  return std::string("done");
              }),
              "done");
    EXPECT_EQ(content(), before);
    EXPECT_EQ(std::distance(fs::directory_iterator(run_ / "oprofile"), {}), 1);
}

TEST_F(KallsymsCacheTest, only_root_has_one) {
    // A recorded machine has none.
    const bool has_boot = !read_kernel_line(machine_path("/proc/sys/kernel/random/boot_id")).empty();
    EXPECT_EQ(KallsymsCache::of_this_boot().has_value(), has_boot && ::geteuid() == 0);
    if (::geteuid() != 0) return;
    EXPECT_EQ(test::in_child([] {
                  const bool is_another = ::seteuid(65534) == 0;
                  return std::string(is_another && !KallsymsCache::of_this_boot() ? "none" : "one");
              }),
              "none");
}

TEST_F(KallsymsCacheTest, a_copy_of_it_has_the_same_symbols_of_the_kernel) {
    const Fd kallsyms = in_memory(own + others);
    KernelPages pages;
    pages.note(0xffffffff81000010);
    std::string first;
    for (const bool is_second : {false, true}) {
        KallsymsCopy copy(kallsyms);
        copy.use_cache(cache());
        EXPECT_EQ(copy.read(), code);
        EXPECT_EQ(copy.exec_code(), exec_code);
        const std::string chosen = gunzip(copy.snapshot(&pages), "S");
        EXPECT_TRUE(chosen.starts_with("ffffffff81000000 T _text\n")) << chosen;
        EXPECT_EQ(is_second ? first : chosen, chosen);
        first = chosen;
        EXPECT_TRUE(is_usable());
    }
}

TEST_F(KallsymsCacheTest, symbols_of_modules_are_read_from_the_kernel) {
    store();
    const std::string now = own + "ffffffffc0009000 t loaded_since\t[module]\n";
    const Fd kallsyms = in_memory(now);
    KallsymsCopy copy(kallsyms);
    copy.use_cache(cache());
    EXPECT_EQ(copy.read(), code);
    EXPECT_EQ(gunzip(copy.snapshot(nullptr), "S"), now);
}

TEST_F(KallsymsCacheTest, its_symbols_are_not_read_from_the_kernel) {
    const std::string lines = own + std::string(8192, '#') + '\n';  // behind what is compared
    cache().store(in_memory(lines), code, exec_code);
    const Fd kallsyms = in_memory(lines);
    ASSERT_EQ(::lseek(kallsyms.get(), 17, SEEK_SET), 17);
    KallsymsCopy copy(kallsyms);
    copy.use_cache(cache());
    EXPECT_EQ(copy.read(), code);
    EXPECT_EQ(::lseek(kallsyms.get(), 0, SEEK_CUR), 17);
}

}  // namespace
}  // namespace op::collect
