// SPDX-License-Identifier: GPL-2.0-or-later
// Records of running processes, read from /proc. See proc(5).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libop/stream/record.h"

namespace op::collect {

/// One executable line of /proc/PID/maps.
struct MapsLine {
    uint64_t start, end;  ///< run-time addresses, half-open
    uint64_t file_offset;
    FileIdentity file;
    std::string_view path;  ///< part of the text given; "" for anonymous memory
};
/// The inode of the file at a path; none if there is no such file.
using InodeOf = std::function<std::optional<uint64_t>(const std::string& path)>;
/// The path of a line without the kernel's spelling: a newline is "\012" there. If the file of the line has
/// these four characters in its name, it is found by `inode_of`.
std::string mapped_path(const MapsLine& line, const InodeOf& inode_of);
/// The executable mappings in the text of a maps file; lines that cannot be parsed are skipped.
std::vector<MapsLine> parse_maps(std::string_view text);

/// The process or thread that an entry of /proc or /proc/PID/task is named after; none for other entries.
std::optional<uint32_t> parse_task_name(std::string_view entry);
/// The name in the text of a comm file, which ends in a newline and may have others.
std::string parse_comm(std::string text);

/// Records with the texts they refer to.
class RecordList {
public:
    void add(Record record) { records_.push_back(record); }
    /// Keeps the text as long as the list exists.
    std::string_view keep(std::string text) {
        text.shrink_to_fit();  // what was read from /proc has room for much more
        bytes_ += text.size();
        return texts_.emplace_back(std::move(text));
    }
    /// Size of all texts.
    size_t bytes() const noexcept { return bytes_; }
    std::span<const Record> records() const noexcept { return records_; }
    void clear();

private:
    std::vector<Record> records_;
    std::deque<std::string> texts_;
    size_t bytes_ = 0;
};

/// How much of the texts of /proc is read and kept, whose length other users choose: bytes, for one scan.
class ScanBudget {
public:
    explicit ScanBudget(uint64_t bytes) : left_(bytes) {}

    /// Of one process. That of 60,000 mappings of libraries is shorter.
    static constexpr uint64_t of_process = uint64_t{8} << 20;

    /// False if there is not that much left, which is then used up.
    bool spend(uint64_t bytes) noexcept;
    uint64_t left() const noexcept { return left_; }
    uint64_t spent() const noexcept { return spent_; }
    /// Counts a process of which something is left out.
    void note_cut() noexcept { ++cut_; }
    uint64_t cut() const noexcept { return cut_; }

private:
    uint64_t left_, spent_ = 0, cut_ = 0;
};

/// What came of a look at a process.
enum class Look {
    done,     ///< as far as the budget goes; of one that is about to end, and of the kernel's, only the name
    gone,     ///< there is no such process
    refused,  ///< it may not be looked into, or cannot be now
};

/// Adds the name, executable, mappings and threads of one process; nothing unless it returns Look::done. They
/// are read through the thread `tid` if it is still running, else through another one: the first thread of a
/// process may have ended. What the budget has no room for is left out and counted there.
Look scan_process(uint32_t tgid, uint32_t tid, ScanBudget& budget, RecordList& out);
/// Adds its mappings only.
Look scan_mappings(uint32_t tgid, uint32_t tid, ScanBudget& budget, RecordList& out);
/// The executable lines of a process's maps file, as far as the budget goes; none if it is gone or may not be
/// looked into.
std::string executable_maps(uint32_t tgid, ScanBudget& budget);
/// Adds the names of those threads of a process that have another than `process`, its own. A thread that is
/// gone is passed over.
void add_thread_names(uint32_t tgid, std::span<const uint32_t> threads, std::string_view process,
                      RecordList& out);
/// Adds all processes, until the budget is used up or `is_over`, asked before each process, is true.
/// Processes that the budget leaves out are counted there.
void scan_all_processes(ScanBudget& budget, RecordList& out, const std::function<bool()>& is_over = {});
/// The threads of a process; empty if it is gone.
std::vector<uint32_t> threads_of(uint32_t tgid);

}  // namespace op::collect
