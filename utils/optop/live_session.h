// SPDX-License-Identifier: GPL-2.0-or-later
// A session that is being recorded, looked at again and again. Knows no symbols and prints nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libop/base/diagnostics.h"
#include "libop/session/session.h"
#include "utils/optop/file_counts.h"
#include "utils/optop/followed_file.h"
#include "utils/optop/sample_tree.h"

namespace op::tool {

/// What a look found.
struct LiveState {
    bool is_there = false;     ///< the session's directory is there
    bool is_recorded = false;  ///< a process that is there holds the session's lock
    bool has_restarted =
        false;  ///< a recording took the place of the former one, or was reset, since the last look
    size_t unread_files = 0;          ///< that could not be read
    bool has_files_left_out = false;  ///< beyond LiveSession::most_files
};

/// A sample file of the session.
struct LiveFile {
    SampleName name;
    uint32_t event, image, app;  ///< numbers in LiveSession::events() and names()
    uint32_t number;             ///< of the file; no other one of the session has had it
    FollowedFile file;
    FileCounts counts = {};
};

/// The sample files of SESSION_DIR/samples/current. Nothing is written or locked.
class LiveSession {
public:
    /// So many files are followed.
    static constexpr size_t most_files = 100'000;
    /// What came with a look is remembered for two minutes, and up to so many numbers, of 8 bytes each.
    static constexpr double remembered_seconds = 120;
    static constexpr size_t most_remembered = 4'000'000;

    /// Keeps up to `most_open` files open.
    explicit LiveSession(const std::string& session_dir, size_t most_open = 0);

    /// Reads what changed. `now` is the time in seconds by any clock that does not go back. Where the session
    /// is gone, or a file cannot be read any more, the counts of the last look are kept. What the first look
    /// finds was there before. A look that finds nothing new is not counted where the session is gone or
    /// its recording had ended: the last look stays the one with the last samples. Throws a system error if
    /// what is there cannot be read by this user.
    LiveState look(double now);
    /// What is counted now becomes the baseline: what came before is forgotten.
    void set_base();
    /// There is no baseline any more.
    void clear_base();
    /// The time of the baseline; none without one.
    std::optional<double> base_time() const noexcept { return base_time_; }

    /// The number of the last look, from 1; 0 before the first.
    uint64_t looks() const noexcept { return looks_; }
    /// The looks that are remembered and whose samples came after time `from` and no later than `to`. A look
    /// has samples since the one before it.
    Looks looks_between(double from, double to) const;
    /// The seconds that these looks are for.
    double seconds(const Looks& looks) const;

    /// By path; arcs of calls are not among them.
    const std::map<std::string, LiveFile>& files() const noexcept { return files_; }
    /// The events that the files have or had, in the order in which they appeared.
    const std::vector<SampleClass>& events() const noexcept { return events_; }
    /// The images and applications of the files; only more are added.
    const std::vector<ImageName>& names() const noexcept { return names_; }
    /// The open session; none before it was there. Valid until the next look.
    const SessionReader* reader() const noexcept { return reader_ ? &*reader_ : nullptr; }
    /// Rises with each session that takes the place of another one.
    uint32_t generation() const noexcept { return generation_; }
    const std::string& path() const noexcept { return path_; }

private:
    /// When the samples of a look came.
    struct LookTime {
        uint64_t look;
        double from, to;
    };

    bool reopen(LiveState& state);
    void find_files(LiveState& state);
    bool read_files(LiveState& state);
    void remember(double now, bool has_restarted);
    void forget_before(uint64_t look);
    uint32_t event_number(const SampleName& name);
    uint32_t name_number(const ImageName& name);

    std::string dir_, path_;
    size_t most_open_;
    std::optional<SessionReader> reader_;
    std::optional<SampleTree> tree_;
    std::map<std::string, LiveFile> files_;
    std::vector<SampleClass> events_;
    std::map<SampleClass, uint32_t> event_numbers_;
    std::vector<ImageName> names_;
    std::map<ImageName, uint32_t> name_numbers_;
    std::deque<LookTime> times_;
    std::optional<double> base_time_, last_;
    uint64_t looks_ = 0;
    bool was_recorded_ = false;  ///< at the last look
    uint32_t generation_ = 0, next_number_ = 0;
};

}  // namespace op::tool
