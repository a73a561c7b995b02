// SPDX-License-Identifier: GPL-2.0-or-later
#include "fleet/restore.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "libop/base/error.h"
#include "libop/base/gzip.h"
#include "tests/unit/temp_dir.h"

namespace op::fleet {
namespace {

constexpr const char* plain_path = "{root}/bin/a/{dep}/{root}/bin/a/E.1.0.all.all.all";

/// A slice with one sample file of one counter.
FetchedSlice small_slice() {
    FetchedSlice slice;
    const auto name = *parse_sample_path(plain_path);
    const IndexedFile file{name, {}, false, {}};
    slice.files.push_back({slice_index_name, gzip(index_text(std::span(&file, 1)))});
    RecordedEvent event;
    event.name = "E";
    event.count = 1;
    const uint64_t image = number_image(name.image, slice.info).number;
    slice.samples[{event_number(event), image, image, 0x10}] = 5;
    return slice;
}

/// Restores in a directory of its own and returns the names there, but for the lock.
class Restored {
public:
    std::vector<std::string> names(const FetchedSlice& slice, const std::string& name) {
        Diagnostics notes;
        const SessionWriter writer(dir_ / "sessions", true, notes);
        try {
            restore_session(writer, slice, name, notes);
        } catch (const Error& error) {
            message_ = error.what();
            EXPECT_EQ(message_.find('\n'), std::string::npos);
        }
        std::vector<std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator(dir_ / "sessions/samples"))
            if (entry.path().filename() != ".shown") found.push_back(entry.path().filename());
        EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir_ / "."), {}), 1)
            << "outside of the sessions";
        return found;
    }
    std::string path(const std::string& name) { return dir_ / ("sessions/samples/" + name); }
    const std::string& message() const { return message_; }

private:
    std::string message_;
    test::TempDir dir_;
};

}  // namespace

TEST(RestoreSession, has_the_counters_of_the_rows) {
    Restored restored;
    EXPECT_EQ(restored.names(small_slice(), "day"), std::vector<std::string>{"day"});
    Diagnostics notes;
    const SessionReader session(restored.path("day"));
    ASSERT_EQ(session.list(), std::vector<std::string>{plain_path});
    const auto content = session.read(plain_path, notes);
    EXPECT_EQ(content.entries, (std::vector<SampleEntry>{{0x10, 5}}));
}

TEST(RestoreSession, takes_no_name_that_leads_elsewhere) {
    for (const char* name : {"", ".", "..", "../x", "a/b", "/tmp/x", ".hidden", "a\nb", "a,b"})
        EXPECT_TRUE(Restored().names(small_slice(), name).empty()) << name;
    EXPECT_TRUE(Restored().names(small_slice(), std::string(300, 'x')).empty());
}

TEST(RestoreSession, takes_no_file_that_sessions_do_not_have) {
    for (const char* file : {"../x.gz", "/x.gz", "manifest.json.gz", "stacks/../x.gz", "stacks/x.gz",
                             "stacks/x/frames.gz", "stacks.gz", "stats/x.gz", "images/00.gz",
                             "{root}/../{dep}/{anon:anon}/7.jo.gz", "", ".gz", "kallsyms.gz/x.gz"}) {
        FetchedSlice slice = small_slice();
        slice.files.push_back({file, gzip("x")});
        EXPECT_TRUE(Restored().names(slice, "day").empty()) << file;
    }
}

TEST(RestoreSession, overwrites_nothing) {
    Restored restored;
    restored.names(small_slice(), "day");
    struct stat before {
    }, after{};
    ::stat(restored.path("day").c_str(), &before);
    FetchedSlice other = small_slice();
    other.info.host = "other";
    EXPECT_EQ(restored.names(other, "day"), std::vector<std::string>{"day"});
    ::stat(restored.path("day").c_str(), &after);
    EXPECT_EQ(before.st_ino, after.st_ino);
    Diagnostics notes;
    EXPECT_EQ(SessionReader(restored.path("day")).info(notes)->host, "");
}

TEST(RestoreSession, misses_no_row) {
    FetchedSlice slice = small_slice();
    slice.samples[{1, 2, 3, 4}] = 1;
    EXPECT_THROW(restored_files(slice), Error);
    slice.files.clear();
    EXPECT_THROW(restored_files(slice), Error);
}

TEST(RestoreSession, refuses_counts_that_a_sample_file_cannot_hold) {
    FetchedSlice slice = small_slice();
    slice.samples.begin()->second = uint64_t{1} << 32;
    Restored restored;
    EXPECT_TRUE(restored.names(slice, "day").empty());
    EXPECT_NE(restored.message().find("more samples of a place than a sample file can count"),
              std::string::npos)
        << restored.message();
    slice.samples.begin()->second -= 1;
    EXPECT_EQ(restored.names(slice, "day"), std::vector<std::string>{"day"});
}

}  // namespace op::fleet
