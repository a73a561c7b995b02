// SPDX-License-Identifier: GPL-2.0-or-later
// The CPU profile of gperftools (docs/cpuprofile-fileformat.html there): words of 4 or 8 bytes in the
// writer's byte order, then text as /proc/PID/maps. Gives what is in it, not what it means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace op::collect {

/// One stack of a profile.
struct GperfStack {
    uint64_t count = 0;                     ///< samples
    std::span<const std::byte> words = {};  ///< its addresses, the sampled one first
};

/// A profile in memory that outlives it.
class GperfProfile {
public:
    /// True if the bytes begin like a profile.
    static bool matches(std::span<const std::byte> bytes) noexcept;
    /// Reads the head. Throws an input error naming `label` if it is not one of a profile.
    GperfProfile(std::span<const std::byte> bytes, std::string_view label);

    uint64_t period_us() const noexcept { return period_us_; }
    size_t word_size() const noexcept { return form_.size; }
    /// The next stack; none at the end of the stacks, or where the profile is cut off or damaged.
    std::optional<GperfStack> next();
    /// Back to the first stack.
    void rewind() noexcept { at_ = begin_; }
    size_t position() const noexcept { return at_; }
    /// After the last stack: where the profile is cut off or damaged; none if it is whole.
    const std::optional<size_t>& damage() const noexcept { return damage_; }
    /// After the last stack: the text of the mappings; may be empty.
    std::string_view maps() const noexcept { return maps_; }
    /// Number `i` of a stack's addresses.
    uint64_t address(const GperfStack& stack, size_t i) const noexcept;
    size_t depth(const GperfStack& stack) const noexcept { return stack.words.size() / form_.size; }

private:
    /// How words are written.
    struct Form {
        size_t size = 0;  ///< bytes
        bool is_big_endian = false;
    };
    static uint64_t load(std::span<const std::byte> bytes, const Form& form) noexcept;
    static std::optional<Form> form_of(std::span<const std::byte> bytes) noexcept;
    uint64_t word(size_t at) const noexcept { return load(bytes_.subspan(at), form_); }
    void end_at_maps();

    std::span<const std::byte> bytes_;
    Form form_;
    uint64_t period_us_ = 0;
    size_t begin_ = 0, at_ = 0;
    std::optional<size_t> damage_;
    std::string_view maps_;
};

}  // namespace op::collect
