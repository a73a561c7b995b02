// SPDX-License-Identifier: GPL-2.0-or-later
#include "libop/session/sample_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <optional>
#include <random>
#include <thread>

#include "libop/base/error.h"
#include "tests/unit/sample_file_bytes.h"

namespace op {

using test::Bytes;
using test::Entries;
using test::FileSizeLimit;
using test::Folder;
using test::four_slots;
using test::header_0x13;
using test::put_u32;
using test::some_header;

TEST(SampleFile, writes_the_bytes_of_version_0x13) {
    Folder folder;
    {
        SampleFile file = folder.open();
        file.add(0x10);
        file.add(0x1111, 7);    // (0x1111 ^ 0x11) & 127 = 0
        file.add(0x100000002);  // folds to 3
        file.add(0x8080);       // (0x8080 ^ 0x80) & 127 = 0: the chain's new head
        file.add(0x10);
    }
    Bytes expected = header_0x13();
    expected.u32(128).u32(5).zeros(24).zeros(16);
    expected.u64(0x10).u32(2).u32(0).u64(0x1111).u32(7).u32(0);
    expected.u64(0x100000002).u32(1).u32(0).u64(0x8080).u32(1).u32(2).zeros(123 * 16);
    expected.u32(4).u32(0).u32(0).u32(3).zeros(12 * 4).u32(1).zeros(111 * 4);
    const std::string bytes = expected;
    ASSERT_EQ(bytes.size(), 2664u);
    EXPECT_EQ(folder.bytes(), bytes);
}

TEST(SampleFile, grows_to_512_slots_for_300_keys) {
    Folder folder;
    {
        SampleFile file = folder.open();
        for (uint64_t key = 1; key <= 300; ++key)
            file.add(key * 16);
        EXPECT_EQ(file.flush_and_count().stored, 300u);
        EXPECT_EQ(file.size(), 300u);
    }
    EXPECT_EQ(folder.bytes().size(), 10344u);
    const SampleFileContent content = folder.content();
    ASSERT_EQ(content.entries.size(), 300u);
    for (uint64_t i = 0; i < 300; ++i)
        EXPECT_EQ(content.entries[i], (SampleEntry{(i + 1) * 16, 1}));
}

TEST(SampleFile, fills_all_slots_but_the_first_before_it_grows) {
    Folder folder;
    SampleFile file = folder.open();
    for (uint64_t key = 0; key < 127; ++key)
        file.add(key);
    file.flush();
    EXPECT_EQ(folder.bytes().size(), 2664u);
    file.add(127);
    file.flush();
    EXPECT_EQ(folder.bytes().size(), 5224u);
}

TEST(SampleFile, counts_like_a_map_over_reopening) {
    std::mt19937_64 random(7);
    Folder folder;
    std::map<uint64_t, uint64_t> expected;
    for (int round = 0; round < 6; ++round) {
        SampleFile file = folder.open();
        uint64_t added = 0;
        for (int i = 0; i < 20000; ++i) {
            const uint64_t spread = random() % 3 == 0 ? 50 : 30000;
            const uint64_t key = random() % spread * (random() % 2 ? 1 : 0x100000001);
            const uint32_t n = random() % 4 == 0 ? random() % 5 : 1;
            n == 1 ? file.add(key) : file.add(key, n);
            added += n;
            if (n != 0) expected[key] += n;
        }
        EXPECT_EQ(file.flush_and_count().stored, added);
        EXPECT_EQ(file.size(), expected.size());
        EXPECT_EQ(folder.sums(), expected);
    }
    EXPECT_EQ(folder.notes.warnings().size(), 0u);
}

TEST(SampleFile, finds_a_new_key_that_repeats_within_a_batch) {
    Folder folder;
    SampleFile file = folder.open();
    for (int i = 0; i < 64; ++i)
        file.add(i % 3);
    file.flush();
    EXPECT_EQ(folder.content().entries, (Entries{{0, 22}, {1, 21}, {2, 21}}));
}

TEST(SampleFile, drops_and_counts_what_exceeds_the_largest_count) {
    Folder folder;
    SampleFile file = folder.open();
    file.add(1, UINT32_MAX - 2);
    file.add(1, 5);
    for (int i = 0; i < 40; ++i)
        file.add(1);
    const SampleFileCounts counts = file.flush_and_count();
    EXPECT_EQ(counts.stored, UINT32_MAX);
    EXPECT_EQ(counts.lost_saturated, 43u);
    EXPECT_EQ(folder.content().entries, (Entries{{1, UINT32_MAX}}));
}

TEST(SampleFile, adding_no_samples_makes_no_entry) {
    Folder folder;
    SampleFile file = folder.open();
    file.add(1, 0);
    EXPECT_EQ(file.flush_and_count().stored, 0u);
    EXPECT_EQ(file.size(), 0u);
}

TEST(SampleFile, replaces_the_header_and_keeps_the_counts) {
    Folder folder;
    folder.open({}).add(0x10);
    folder.open().add(0x10);
    EXPECT_EQ(folder.content().header, some_header);
    EXPECT_EQ(folder.content().entries, (Entries{{0x10, 2}}));
    EXPECT_EQ(folder.notes.warnings().size(), 0u);
}

TEST(SampleFile, moving_carries_deferred_samples_along) {
    Folder folder;
    std::optional<SampleFile> other;
    {
        SampleFile file = folder.open();
        file.add(1);
        other.emplace(std::move(file));
    }
    other->add(1);
    EXPECT_EQ(other->flush_and_count().stored, 2u);
    SampleFile third = std::move(*other);
    third.add(2);
    third = SampleFile(std::move(third));
    EXPECT_EQ(third.flush_and_count().stored, 3u);
    EXPECT_EQ(folder.content().total, 3u);
}

TEST(SampleFile, a_full_disk_loses_new_keys_only_and_is_tried_again_after_flush) {
    Folder folder;
    SampleFile file = folder.open();
    for (uint64_t key = 1; key <= 127; ++key)
        file.add(key);
    file.flush();
    {
        const FileSizeLimit full(4000);
        for (uint64_t key = 1; key <= 200; ++key)
            file.add(key);
        EXPECT_EQ(file.flush_and_count().stored, 127u * 2);
        EXPECT_EQ(file.flush_and_count().lost_no_space, 73u);
        EXPECT_EQ(folder.bytes().size(), 2664u);
    }
    for (uint64_t key = 1; key <= 200; ++key)
        file.add(key);
    EXPECT_EQ(file.flush_and_count().stored, 127u * 2 + 200);
    EXPECT_EQ(file.flush_and_count().lost_no_space, 73u);
    EXPECT_EQ(folder.content().total, 127u * 2 + 200);
}

TEST(SampleFile, a_full_disk_is_tried_again_after_a_thousand_losses) {
    Folder folder;
    SampleFile file = folder.open();
    const FileSizeLimit full(4000);
    for (uint64_t key = 1; key <= 129; ++key)
        file.add(key, 1);
    full.set(1 << 20);
    for (uint64_t key = 1000; key < 4000; ++key)
        file.add(key, 1);
    const SampleFileCounts counts = file.flush_and_count();
    EXPECT_EQ(counts.stored + counts.lost_no_space, 3129u);
    EXPECT_GT(counts.lost_no_space, 500u);
    EXPECT_LT(counts.lost_no_space, 1100u);
}

TEST(SampleFile, no_room_for_a_new_file_is_a_system_error_and_leaves_nothing) {
    Folder folder;
    const FileSizeLimit full(100);
    EXPECT_THROW(folder.open(), Error);
    EXPECT_EQ(folder.count_files(), 0u);
}

TEST(SampleFile, a_killed_writer_loses_only_deferred_samples) {
    Folder folder;
    const pid_t child = ::fork();
    if (child == 0) {
        SampleFile file = folder.open();
        for (uint64_t key = 0; key < 1000; ++key)
            file.add(key);
        ::kill(::getpid(), SIGKILL);
    }
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_EQ(folder.content().total, 1000u / 32 * 32);
    folder.open().add(5000);
    EXPECT_EQ(folder.content().total, 1000u / 32 * 32 + 1);
    EXPECT_EQ(folder.notes.warnings().size(), 0u);
}

namespace {

/// Writes random indexes all over a file through a mapping of its own until it is destroyed.
class Scribbler {
public:
    Scribbler(const std::string& path, size_t length) : file_(open_file(path, O_RDWR)), length_(length) {
        words_ = static_cast<uint32_t*>(
            ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0));
        thread_ = std::thread([this] { scribble(); });
    }
    Scribbler(const Scribbler&) = delete;
    Scribbler& operator=(const Scribbler&) = delete;
    ~Scribbler() {
        over_ = true;
        thread_.join();
        ::munmap(words_, length_);
    }

private:
    void scribble() {
        std::mt19937 random(3);
        while (!over_) {
            const auto small = static_cast<uint32_t>(random() % 200);
            const uint32_t value = random() % 2 ? small : static_cast<uint32_t>(random());
            __atomic_store_n(&words_[random() % (length_ / 4)], value, __ATOMIC_RELAXED);
        }
    }

    Fd file_;
    size_t length_;
    uint32_t* words_;
    std::atomic<bool> over_ = false;
    std::thread thread_;
};

}  // namespace

TEST(SampleFile, a_file_that_somebody_else_writes_to_leads_nothing_astray) {
    constexpr uint64_t added = 60000;
    for (const uint64_t keys : {100, 9000}) {
        Folder folder;
        SampleFile file = folder.open();
        const Scribbler scribbler(folder.path("f"), 2664);
        for (uint64_t i = 0; i < added; ++i)
            file.add(i % keys * 8);
        const SampleFileCounts counts = file.flush_and_count();
        EXPECT_EQ(counts.stored + counts.lost_saturated + counts.lost_no_space, added);
    }
}

TEST(SampleFile, a_file_that_changes_while_it_is_opened_is_taken_over_or_rebuilt) {
    Folder folder;
    for (int round = 0; round < 60; ++round) {
        folder.write(four_slots(header_0x13()));
        const Scribbler scribbler(folder.path("f"), four_slots(header_0x13()).size());
        SampleFile file = folder.open();
        for (uint64_t key = 0; key < 40; ++key)
            file.add(key);
        EXPECT_LE(file.flush_and_count().stored, 40u);
    }
}

TEST(SampleFile, a_chain_that_is_led_in_a_circle_ends) {
    Folder folder;
    folder.write(four_slots(header_0x13()));
    SampleFile file = folder.open();
    std::string bytes = folder.bytes();
    const size_t nodes_at = bytes.size() - 4 * 20, buckets_at = bytes.size() - 4 * 4;
    put_u32(bytes, nodes_at + 1 * 16 + 12, 2);  // the two nodes one after the other
    put_u32(bytes, nodes_at + 2 * 16 + 12, 1);
    for (size_t bucket = 0; bucket < 4; ++bucket)
        put_u32(bytes, buckets_at + bucket * 4, bucket % 2 ? 1 : UINT32_MAX);
    const Fd other = open_file(folder.path("f"), O_WRONLY);
    ASSERT_EQ(::pwrite(other.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
    for (uint64_t key = 0; key < 40; ++key)
        file.add(key);
    EXPECT_EQ(file.flush_and_count().stored, 40u);
}

}  // namespace op
