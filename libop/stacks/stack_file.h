// SPDX-License-Identifier: GPL-2.0-or-later
// The files of a set of stacks that hold numbered entries: a header, then 64 bits an entry, added at the end
// only. Layout: doc/FORMATS.md, "Call stacks".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "libop/base/bytes.h"
#include "libop/stacks/stack_frame.h"

namespace op {

/// What the entries are.
enum class StackFileKind : uint32_t { frames = 1, nodes = 2 };

inline constexpr std::array<char, 4> stack_file_magic = {'O', 'P', 'S', '\n'};
inline constexpr uint32_t stack_file_version = 1;

/// Precedes the entries.
struct RawStackFileHeader {
    std::array<char, 4> magic;
    uint32_t version;
    uint32_t kind;  ///< StackFileKind
    uint32_t used;  ///< entries; what follows them has no meaning
};
static_assert(sizeof(RawStackFileHeader) == 16);
static_assert(offsetof(RawStackFileHeader, used) == 12);

/// The length in bytes of a file with that many entries.
constexpr size_t stack_file_length(uint32_t entries) noexcept {
    return sizeof(RawStackFileHeader) + size_t{entries} * sizeof(uint64_t);
}

/// Files grow by multiples of this, and none is longer than the limit.
inline constexpr size_t stack_file_step = 4096;
inline constexpr size_t stack_file_limit =
    (stack_file_length(most_stack_entries) + stack_file_step - 1) / stack_file_step * stack_file_step;

/// The used entries in a file's bytes, which must outlive it.
class StackEntries {
public:
    StackEntries() = default;
    StackEntries(std::span<const std::byte> bytes, uint32_t size) noexcept : bytes_(bytes), size_(size) {}

    uint32_t size() const noexcept { return size_; }
    /// Entry `number`, from 1 to size().
    uint64_t operator[](uint32_t number) const noexcept {
        uint64_t entry;
        std::memcpy(&entry, bytes_.data() + stack_file_length(number - 1), sizeof entry);
        settle_copies();
        return entry;
    }

private:
    std::span<const std::byte> bytes_;
    uint32_t size_ = 0;
};

struct ParsedStackFile {
    StackEntries entries;
    std::string
        fault;  ///< why there are not as many as there should be, as the end of a sentence; may be empty
};

/// Finds the entries of a file of that kind; none in an empty one, as a machine that crashes may leave it.
/// Throws an input error naming `label` if the bytes are not such a file of this byte order and version.
ParsedStackFile parse_stack_file(std::span<const std::byte> bytes, StackFileKind kind,
                                 const std::string& label);

}  // namespace op
