// SPDX-License-Identifier: GPL-2.0-or-later
// Reads a jitdump file, jit-PID.dump, as it grows. Its bytes are a stranger's.
// Format: jitdump-specification.txt of the kernel's perf, and what emitters make of it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libop/jit/code_symbol.h"
#include "libop/jit/ordered_bytes.h"

namespace op {

/// Code appears at an address. Views are valid during the call that delivers it.
struct JitLoad {
    uint64_t time = 0;  ///< ns, CLOCK_MONOTONIC of the process
    uint64_t address = 0, size = 0, index = 0;
    std::string_view name;
    std::span<const std::byte> code;   ///< `size` bytes
    std::vector<CodeLine> lines = {};  ///< sorted, within the code
};
/// Code is elsewhere from then on.
struct JitMove {
    uint64_t time = 0;
    uint64_t from = 0, to = 0, size = 0, index = 0;
};
/// The code that begins there is gone. No record of the format: libopagent's own.
struct JitUnload {
    uint64_t time = 0, address = 0;
};
/// What gets the records of a file.
struct JitdumpSink {
    std::function<void(const JitLoad&)> load;
    std::function<void(const JitMove&)> move;
    std::function<void(const JitUnload&)> unload;
};

/// A file being read. Not thread-safe.
class JitdumpReader {
public:
    /// Longer records end the reading.
    static constexpr uint32_t longest_record = uint32_t{64} << 20;
    static constexpr size_t longest_name = 4096, most_lines = 65536;

    explicit JitdumpReader(JitdumpSink sink) : sink_(std::move(sink)) {}

    /// Takes the next bytes of the file and delivers the records that are whole. After a fault it does
    /// nothing.
    void feed(std::span<const std::byte> bytes);
    /// Why the rest cannot be read; empty as long as all is well.
    std::string_view fault() const noexcept { return fault_; }
    /// Records of a known kind whose content cannot be.
    uint64_t bad_records() const noexcept { return bad_; }
    /// Lists of lines that are no such, whose functions have no lines.
    uint64_t bad_lines() const noexcept { return bad_lines_; }

private:
    size_t take_some(std::span<const std::byte> bytes);
    size_t take_header(std::span<const std::byte> bytes);
    size_t take_record(std::span<const std::byte> bytes);
    void deliver(uint32_t id, OrderedReader& record);
    void deliver_load(uint64_t time, OrderedReader& record);
    void deliver_move(uint64_t time, OrderedReader& record);
    void deliver_unload(uint64_t time, OrderedReader& record);
    void take_lines(OrderedReader& record);
    std::vector<CodeLine> lines_of(const JitLoad& load);
    size_t stop(std::string_view fault);

    JitdumpSink sink_;
    NumberLayout layout_;
    std::string rest_;      ///< the beginning of a record whose end has not come yet
    size_t needed_ = 0;     ///< bytes of it, before which there is nothing to do
    uint64_t to_skip_ = 0;  ///< bytes of a record that is not of use
    bool has_header_ = false;
    uint64_t lines_for_ = 0;  ///< the code that the next lines are of
    std::vector<CodeLine> lines_;
    std::string_view fault_;
    uint64_t bad_ = 0, bad_lines_ = 0;
};

}  // namespace op
