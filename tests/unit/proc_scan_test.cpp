// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/source/proc_scan.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "libop/base/fd.h"

namespace op::collect {

TEST(Maps, only_executable_lines_count_and_paths_keep_their_blanks) {
    const auto lines = parse_maps(
        "00400000-00401000 r--p 00000000 08:01 12  /bin/a b\n"
        "00401000-00402000 r-xp 00001000 08:01 12                 /bin/a b\n"
        "7f0000000000-7f0000001000 rwxp 00000000 00:00 0 \n"
        "7ffff7fc1000-7ffff7fc3000 r-xp 00000000 00:00 0          [vdso]\n");
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0].path, "/bin/a b");
    EXPECT_EQ(lines[0].file_offset, 0x1000u);
    EXPECT_EQ(lines[0].file, (FileIdentity{makedev(8, 1), 12}));
    EXPECT_FALSE(lines[1].file.is_known());
    EXPECT_EQ(lines[1].path, "");
    EXPECT_EQ(lines[2].path, "[vdso]");
    EXPECT_EQ(lines[2].end, 0x7ffff7fc3000u);
}

TEST(Maps, a_newline_in_a_path_is_read_and_the_same_four_characters_of_a_name_are_kept) {
    const auto lines = parse_maps(
        "1000-2000 r-xp 0 08:01 12  /tmp/a\\012b\\012\n"
        "2000-3000 r-xp 0 08:01 13  /tmp/c\\012\n"
        "3000-4000 r-xp 0 08:01 14  /tmp/c\\012 (deleted)\n"
        "4000-5000 r-xp 0 08:01 15  /tmp/d\n");
    ASSERT_EQ(lines.size(), 4u);
    const InodeOf inode_of = [](const std::string& path) {
        return path == "/tmp/c\\012" ? std::optional<uint64_t>(13) : std::nullopt;
    };
    EXPECT_EQ(mapped_path(lines[0], inode_of), "/tmp/a\nb\n");
    EXPECT_EQ(mapped_path(lines[1], inode_of), "/tmp/c\\012");
    EXPECT_EQ(mapped_path(lines[2], inode_of), "/tmp/c\n (deleted)");
    EXPECT_EQ(mapped_path(lines[3], inode_of), "/tmp/d");
}

TEST(Maps, lines_not_understood_are_passed_over) {
    EXPECT_TRUE(parse_maps("").empty());
    EXPECT_TRUE(parse_maps("garbage\n\n1000 r-xp\n2000-1000 r-xp 0 0:0 0\nzz-zz r-xp 0 0:0 0\n").empty());
}

namespace {

constexpr uint64_t enough = UINT64_MAX;

size_t mappings_in(const RecordList& list) {
    return static_cast<size_t>(std::ranges::count_if(list.records(), [](const Record& record) {
        const auto* const mapping = std::get_if<Mapping>(&record);
        return mapping && mapping->length != 0;
    }));
}

/// Executable memory in so many pieces that have lines of their own, each of 300 bytes and more.
class Pieces {
public:
    explicit Pieces(size_t count) : bytes_(count * 2 * page_) {
        const Fd file(::memfd_create(std::string(240, 'x').c_str(), MFD_CLOEXEC));
        memory_ = ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file.get(), 0);
        for (size_t at = 0; at < bytes_ && memory_ != MAP_FAILED; at += 2 * page_)
            ::mprotect(static_cast<char*>(memory_) + at, page_, PROT_READ | PROT_EXEC);
    }
    ~Pieces() { ::munmap(memory_, bytes_); }
    Pieces(const Pieces&) = delete;
    Pieces& operator=(const Pieces&) = delete;

private:
    const size_t page_ = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    size_t bytes_;
    void* memory_;
};

}  // namespace

TEST(ProcScan, a_scan_ends_with_its_budget_and_counts_whom_it_leaves_out) {
    const auto self = static_cast<uint32_t>(::getpid());
    const Pieces pieces(2000);
    RecordList all, some, none;
    ScanBudget large(enough), small(100'000);
    EXPECT_EQ(scan_process(self, self, large, all), Look::done);
    EXPECT_GE(mappings_in(all), 2000u);
    EXPECT_EQ(large.cut(), 0u);
    EXPECT_EQ(scan_process(self, self, small, some), Look::done);
    EXPECT_LT(mappings_in(some), 200u);
    EXPECT_EQ(small.cut(), 1u);
    EXPECT_LE(small.spent(), 100'000u);
    ScanBudget spent(0);
    scan_all_processes(spent, none);
    EXPECT_TRUE(none.records().empty());
    EXPECT_GT(spent.cut(), 0u);
}

TEST(ProcScan, what_one_process_costs_is_limited_whatever_the_budget) {
    const auto self = static_cast<uint32_t>(::getpid());
    const Pieces pieces(20'000);
    ScanBudget budget(enough);
    RecordList list;
    EXPECT_EQ(scan_mappings(self, self, budget, list), Look::done);
    EXPECT_EQ(budget.cut(), 1u);
    EXPECT_LE(budget.spent(), ScanBudget::of_process);
    EXPECT_LE(list.bytes() + list.records().size_bytes(), ScanBudget::of_process);
}

/// 6000 lines of 300 bytes take the kernel milliseconds; each thread ends a little later than the one before.
TEST(ProcScan, maps_of_a_thread_that_ends_meanwhile_are_read_once) {
    const auto self = static_cast<uint32_t>(::getpid());
    const Pieces pieces(6000);
    for (int i = 0; i < 30; ++i) {
        std::atomic<uint32_t> tid = 0;
        std::atomic<bool> is_read = false;
        std::jthread ending([&] {
            tid = static_cast<uint32_t>(::gettid());
            is_read.wait(false);
            const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(i * 300);
            while (std::chrono::steady_clock::now() < end) {
            }
        });
        while (tid == 0)
            std::this_thread::yield();
        is_read = true;
        is_read.notify_one();
        ScanBudget budget(enough);
        RecordList list;
        EXPECT_EQ(scan_mappings(self, tid, budget, list), Look::done);
        std::set<uint64_t> starts;
        for (const Record& record : list.records())
            starts.insert(std::get<Mapping>(record).start.value());
        EXPECT_EQ(starts.size(), list.records().size());
    }
}

TEST(ProcScan, is_over_when_somebody_wants_an_end) {
    ScanBudget budget(enough);
    RecordList list;
    int asked = 0;
    scan_all_processes(budget, list, [&] { return ++asked > 1; });
    EXPECT_EQ(asked, 2);
}

TEST(ProcScan, this_process_is_found_with_its_executable_first) {
    RecordList list;
    ScanBudget budget(enough);
    EXPECT_EQ(scan_process(::getpid(), ::getpid(), budget, list), Look::done);
    ASSERT_GE(list.records().size(), 2u);
    EXPECT_TRUE(std::get<Name>(list.records()[0]).exec);
    EXPECT_NE(std::get<Mapping>(list.records()[1]).path.find("unit_tests"), std::string_view::npos);
}

TEST(ProcScan, a_process_that_is_gone_gives_nothing) {
    RecordList list;
    ScanBudget budget(enough);
    EXPECT_EQ(scan_process(0x7ffffff0, 0x7ffffff0, budget, list), Look::gone);
    EXPECT_TRUE(list.records().empty());
    EXPECT_TRUE(threads_of(0x7ffffff0).empty());
}

TEST(ProcScan, entries_that_are_no_tasks_are_left_out) {
    EXPECT_EQ(parse_task_name("4194304"), 4194304u);
    for (const char* entry : {"", "self", "0", "-1", "12x", "4294967297"})
        EXPECT_FALSE(parse_task_name(entry)) << entry;
    EXPECT_EQ(parse_comm("a\nb\n"), "a\nb");
}

TEST(ProcScan, a_thread_that_ends_meanwhile_costs_no_other_its_name) {
    const auto self = static_cast<uint32_t>(::getpid());
    RecordList list;
    std::jthread named([&] {
        ::prctl(PR_SET_NAME, "worker");
        const uint32_t threads[] = {0x7ffffff0, static_cast<uint32_t>(::gettid())};
        add_thread_names(self, threads, "unit_tests", list);
    });
    named.join();
    ASSERT_EQ(list.records().size(), 1u);
    EXPECT_EQ(std::get<Name>(list.records()[0]).comm, "worker");
}

}  // namespace op::collect
