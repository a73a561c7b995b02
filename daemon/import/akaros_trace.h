// SPDX-License-Identifier: GPL-2.0-or-later
// Entries of the traces that Akaros' and Harvey's kernels write (doc/FORMATS.md, "Akaros traces"): the
// layouts and which of them a file has. Does not order entries and gives them no meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace op::collect {

/// The kernel's code begins there.
inline constexpr uint64_t akaros_kernel = 0xffffffffc0000000;

/// What the kernels of three years wrote. No file names its own.
enum class AkarosLayout : uint8_t {
    words,  ///< generation 1: words of 8 bytes, what op2 read
    v1,     ///< records, October 2015
    v2,     ///< records, December 2015: traces begin with what caused them
    v3,     ///< records, June 2016: the kernel's traces have a process
};

/// One entry. Views are into the trace's bytes.
struct AkarosEntry {
    enum class Kind : uint8_t { kernel_trace, user_trace, mapping, process };

    static constexpr uint32_t no_pid = UINT32_MAX;

    Kind kind;
    uint64_t time;  ///< ns since the machine's start or the epoch
    uint64_t info = 0;
    uint32_t pid = no_pid;
    uint16_t cpu = 0;
    std::span<const std::byte> addresses = {};   ///< traces: at least one of 8 bytes, the sampled one first
    uint64_t start = 0, length = 0, offset = 0;  ///< mappings
    std::string_view path = {};                  ///< mappings, processes: up to its NUL

    bool is_trace() const noexcept { return kind == Kind::kernel_trace || kind == Kind::user_trace; }
    size_t depth() const noexcept { return addresses.size() / 8; }
    /// Address number `i`, which is less than depth().
    uint64_t address(size_t i) const noexcept;
};

/// What lies at a position of a trace.
enum class AkarosPart : uint8_t {
    entry,
    alien,    ///< an entry of another kind, whole
    damaged,  ///< bytes up to the next ones that make sense, or to the end
    end,
};

/// The entries of a trace at any position. `bytes` must outlive it.
class AkarosTrace {
public:
    /// Of a layout that is known.
    AkarosTrace(std::span<const std::byte> bytes, AkarosLayout layout) : bytes_(bytes), layout_(layout) {}
    /// Of the layout that fits most of the first entries.
    explicit AkarosTrace(std::span<const std::byte> bytes);

    AkarosLayout layout() const noexcept { return layout_; }
    size_t size() const noexcept { return bytes_.size(); }

    /// Decodes what lies at `at`, which becomes the position of what follows. Sets `entry` if it is one.
    AkarosPart read(size_t& at, AkarosEntry& entry) const;

private:
    AkarosPart read_words(size_t& at, AkarosEntry& entry) const;
    AkarosPart read_record(size_t& at, AkarosEntry& entry) const;
    bool begins_record(size_t at) const;
    size_t after_damaged_words(size_t at) const;
    size_t after_damaged_records(size_t at) const;

    std::span<const std::byte> bytes_;
    AkarosLayout layout_;
};

}  // namespace op::collect
