// SPDX-License-Identifier: GPL-2.0-or-later
// proc(5), /proc/PID/mem: of a process that has called exec or ended there is nothing to be read.
#include "daemon/collect/code_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "daemon/collect/host_machine.h"
#include "daemon/unwind/call_code.h"
#include "daemon/unwind/frame_state.h"
#include "libop/base/clock.h"

namespace op::collect {

namespace {

/// Bytes before and from a place on: functions make and drop their frames within that.
constexpr uint64_t before = 16, behind = 496;

constexpr uint64_t fresh = 1'000'000'000;  ///< ns for which what was found holds

}  // namespace

/// Asks once for each process: where it is refused, the kernel may log that. One that has ended is not asked
/// for again soon: many stacks of its last moments may be left.
bool CodeMemory::open(uint32_t tgid) {
    if (refused_.contains(tgid) || (tgid == gone_ && now() < gone_until_)) return false;
    file_ = Fd(::open(("/proc/" + std::to_string(tgid) + "/mem").c_str(), O_RDONLY | O_CLOEXEC));
    tgid_ = tgid;
    if (file_) return true;
    if (refused_.size() >= most_refused) refused_.clear();
    if (errno == EACCES || errno == EPERM) refused_.insert(tgid);
    gone_ = tgid;
    gone_until_ = now() + fresh;
    return false;
}

/// The first of the bytes that can be read.
std::span<const std::byte> CodeMemory::read(uint32_t tgid, RuntimeAddress start, std::span<std::byte> bytes) {
    if (!is_local_) return {};
    const auto offset = static_cast<off_t>(start.value());
    const bool is_open = tgid == tgid_ && file_;
    if (!is_open && !open(tgid)) return {};
    ssize_t done = ::pread(file_.get(), bytes.data(), bytes.size(), offset);
    if (done <= 0 && is_open && open(tgid)) done = ::pread(file_.get(), bytes.data(), bytes.size(), offset);
    if (done <= 0) file_ = {};
    return bytes.first(done > 0 ? static_cast<size_t>(done) : 0);
}

UnwindRule CodeMemory::rule_without_frame(const Region& region, uint32_t tgid, RuntimeAddress address) {
    if (&host_machine != &unwind_x86_64) return {};
    std::array<std::byte, before + behind> bytes;
    const uint64_t back = std::min<uint64_t>(before, address - region.start);
    const uint64_t size = std::min<uint64_t>(back + behind, region.end - (address - back));
    const auto code = read(tgid, address - back, std::span(bytes).first(size));
    return op::collect::rule_without_frame(code, back);
}

bool CodeMemory::is_after_no_call(const Region& region, uint32_t tgid, RuntimeAddress address) {
    std::array<std::byte, longest_call + longest_target> bytes;
    if (address - region.start < longest_call) return false;
    Seen& known = seen(tgid, address - 1);
    if (known.is_called) return false;
    const uint64_t size = longest_call + std::min<uint64_t>(longest_target, region.end - address);
    const auto code = read(tgid, address - longest_call, std::span(bytes).first(size));
    if (code.size() < longest_call) return false;
    known.is_called = ends_with_call(code.first<longest_call>(), host_machine) ||
                      is_pushed_target(code.subspan(longest_call));
    return !known.is_called;
}

/// Of the stack that is walked.
uint64_t CodeMemory::now() {
    if (now_ == 0) now_ = monotonic_ns();
    return now_;
}

CodeMemory::Seen& CodeMemory::seen(uint32_t tgid, RuntimeAddress address) {
    if (seen_.empty()) seen_.resize(most_seen);
    const uint64_t key = address.value();
    const uint64_t hash = (key ^ uint64_t{tgid} << 40) * 0x9e3779b97f4a7c15;
    Seen& found = seen_[hash >> 32 & (most_seen - 1)];
    if (found.address != key || found.tgid != tgid || found.until < now())
        found = {.address = key, .tgid = tgid, .until = now() + fresh, .rule = {}};
    return found;
}

const UnwindRule* CodeMemory::known_by_entry(uint32_t tgid, RuntimeAddress address) {
    const Seen& known = seen(tgid, address);
    return known.has_rule ? &known.rule : nullptr;
}

bool CodeMemory::is_entered_by(const Region& region, uint32_t tgid, RuntimeAddress returns_to,
                               RuntimeAddress address) {
    constexpr std::byte near_call{0xe8};
    std::array<std::byte, 5> bytes;
    if (&host_machine != &unwind_x86_64 || returns_to - region.start < bytes.size()) return false;
    const auto code = read(tgid, returns_to - bytes.size(), bytes);
    if (code.size() != bytes.size() || code.front() != near_call) return false;
    int32_t distance = 0;
    std::memcpy(&distance, code.data() + 1, sizeof distance);
    return address - (returns_to + static_cast<uint64_t>(int64_t{distance})) < longest_thunk;
}

UnwindRule CodeMemory::find_by_entry(RuntimeAddress start, RuntimeAddress end, uint32_t tgid,
                                     RuntimeAddress address) {
    if (&host_machine != &unwind_x86_64 || !is_local_) return {};
    start = std::max(start, address - std::min(address.value(), farthest_entry));
    const auto found = entry_before(start, std::min(end, address + longest_entry), tgid, address);
    if (!found) return {.cfa = sized_.contains(tgid) ? CfaFrom::unsupported : CfaFrom::no_info};
    if (found->entry.frame == FunctionEntry::Frame::of_size) {
        if (sized_.size() >= most_sized) sized_.clear();
        sized_.insert(tgid);
    }
    Seen& known = seen(tgid, address);
    known.has_rule = true;
    return known.rule = found->entry.rule(found->at);
}

/// The last entry in a range, of no frame if it has none, and how far before the address it is; none if that
/// cannot be read, or is more than one stack may need.
std::optional<FoundEntry> CodeMemory::entry_before(RuntimeAddress start, RuntimeAddress end, uint32_t tgid,
                                                   RuntimeAddress address) {
    constexpr uint64_t piece = 2048;
    std::array<std::byte, piece + longest_entry> bytes;
    RuntimeAddress from;
    for (RuntimeAddress last = address;; last = from - 1) {
        from = std::max(start, last - std::min(last.value(), piece - 1));
        const uint64_t size = std::min(end, last + longest_entry) - from;
        if (size > left_) return std::nullopt;
        left_ -= size;
        const auto code = read(tgid, from, std::span(bytes).first(size));
        if (code.size() != size) return std::nullopt;
        const FoundEntry found = last_entry(code, last - from);
        if (found.entry.frame != FunctionEntry::Frame::none || from == start)
            return FoundEntry{found.entry, address - from - found.at};
    }
}

}  // namespace op::collect
