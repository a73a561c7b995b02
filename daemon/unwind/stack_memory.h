// SPDX-License-Identifier: GPL-2.0-or-later
// The copy of a thread's stack that a sample brings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace op::collect {

/// Words of a copied stack. The bytes must outlive the object.
class StackMemory {
public:
    /// `start` is the run-time address of the first byte; `requested` the bytes that a full copy would have;
    /// with `is_whole` it would reach the end of the stack.
    StackMemory(std::span<const std::byte> bytes, uint64_t start, uint64_t requested, bool is_whole = false)
        : bytes_(bytes), start_(start), requested_(requested), is_whole_(is_whole) {}

    /// The word at an address; none if it lies outside the copy.
    template <class Word = uint64_t>
    std::optional<Word> word(uint64_t address) const noexcept {
        const uint64_t at = address - start_;
        if (bytes_.size() < sizeof(Word) || at > bytes_.size() - sizeof(Word)) {
            missed_ = at;
            return std::nullopt;
        }
        Word value;
        std::memcpy(&value, bytes_.data() + at, sizeof value);
        return value;
    }
    uint64_t start() const noexcept { return start_; }
    uint64_t size() const noexcept { return bytes_.size(); }
    /// Bytes from the start to the last word that was asked for and is outside; 0 = none was.
    uint64_t missed() const noexcept { return missed_; }
    /// False if pages were absent: a larger copy would not have more.
    bool is_full() const noexcept { return bytes_.size() >= requested_; }
    /// True if the stack has nothing beyond the copy.
    bool is_whole() const noexcept { return is_whole_ && is_full(); }

private:
    std::span<const std::byte> bytes_;
    uint64_t start_, requested_;
    bool is_whole_;
    mutable uint64_t missed_ = 0;
};

}  // namespace op::collect
