// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the text of a perf map, perf-PID.map: "START SIZE NAME" a line, in hexadecimal. The text is a
// stranger's. Only functions that contain an address asked for are kept, so that memory does not grow with
// the text. Format: jit-interface.txt of the kernel's perf, and what emitters make of it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libop/jit/code_symbol.h"

namespace op {

/// What a map was like.
struct PerfMapCounts {
    uint64_t lines = 0;    ///< whole lines, with those that are left out
    uint64_t bad = 0;      ///< lines that are none of a map's, among them longer ones than longest_line
    bool is_torn = false;  ///< bytes came behind the last newline: they are not used

    bool operator==(const PerfMapCounts&) const = default;
};

/// A map being read. A later line takes what it covers from the earlier ones. Not thread-safe.
class PerfMapReader {
public:
    static constexpr size_t longest_line = 65536, longest_name = 4096;  ///< bytes

    /// `wanted`: run-time addresses, sorted; must outlive the reader.
    explicit PerfMapReader(std::span<const uint64_t> wanted);

    /// Takes the next piece of the text, whatever its bounds.
    void feed(std::string_view text);
    /// The functions that contain an address asked for, sorted, without overlaps, each with that part of its
    /// range around such addresses that no later line covers. Nothing may be fed afterwards.
    std::vector<CodeSymbol> finish();
    const PerfMapCounts& counts() const noexcept { return counts_; }
    /// Addresses asked for that lines of different names contain.
    uint64_t replaced() const noexcept;

private:
    struct Part {
        uint64_t end;
        uint32_t name;  ///< index of names_
    };
    using Parts = std::map<uint64_t, Part>;  ///< by start; each contains an address asked for

    void take_line(std::string_view line);
    void take_whole(std::string_view line);
    void add(uint64_t start, uint64_t end, std::string_view name);
    void add_if_wanted(uint64_t start, const Part& part);
    bool is_wanted(uint64_t start, uint64_t end) const;
    void cut(uint64_t start, uint64_t end, std::string_view name);
    void note_replaced(uint64_t start, uint64_t end);
    void drop_unused_names();

    std::span<const uint64_t> wanted_;
    std::vector<bool> is_replaced_;  ///< for each address asked for
    Parts parts_;
    std::vector<std::string> names_;
    size_t drop_names_at_;
    std::string rest_;          ///< the beginning of a line whose end has not come yet
    bool is_skipping_ = false;  ///< up to the next newline: the line is too long
    PerfMapCounts counts_;
};

}  // namespace op
