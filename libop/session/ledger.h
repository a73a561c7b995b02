// SPDX-License-Identifier: GPL-2.0-or-later
// The account of samples: each is stored or lost by a named cause. sampled = stored + sum of losses.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace op {

/// Why a sample is not in a sample file. Names for people and for the manifest: loss_name().
enum class LossCause : uint8_t {
    kernel_buffer,   ///< the kernel's ring was full (LOST, LOST_SAMPLES)
    no_mapping,      ///< a user address in no known mapping of the process
    kernel_address,  ///< a kernel address in no known kernel image or module
    guest,           ///< taken in a virtual machine's guest or the hypervisor
    user_filtered,   ///< user mode, though the event asks for kernel mode only
    unknown_event,   ///< an event number that no event has
    sample_file,     ///< the sample file could not be opened or named
    disk_full,       ///< the sample file could not grow
    saturated,       ///< the key's count is at its maximum, 2^32-1
    damaged_stream,  ///< the recorded stream ended or was damaged before the sample
    no_process,      ///< gone before its sample could be placed, or outside this pid namespace
    nested,          ///< taken while the same CPU was taking one
    pending,         ///< sampling stopped before the sample could be placed
    image_filtered,  ///< of a program outside the image filter
    image_limit,     ///< beyond what images and their sample files may cost
};
inline constexpr int loss_causes = 15;
/// True for samples that the user asked not to have.
constexpr bool is_unwanted(LossCause cause) noexcept {
    return cause == LossCause::user_filtered || cause == LossCause::image_filtered;
}

/// The manifest's word for a cause, e.g. "no_mapping".
std::string_view loss_name(LossCause cause);
/// Why samples were lost, for people: "user addresses in no known mapping".
std::string_view loss_text(LossCause cause);

/// The cause of that manifest word; nothing for other words.
std::optional<LossCause> parse_loss_name(std::string_view name);

/// a + b, or the greatest number if the sum does not fit: a damaged manifest must not make a huge loss look
/// small.
constexpr uint64_t add_saturating(uint64_t a, uint64_t b) noexcept {
    return a + b < a ? ~uint64_t{0} : a + b;
}

/// Samples accounted for; every number saturates. Not thread-safe.
class Ledger {
public:
    void add_stored(uint64_t n) noexcept { stored_ = add_saturating(stored_, n); }
    void add_lost(LossCause cause, uint32_t cpu, uint64_t n) {
        if (n == 0) return;
        uint64_t& lost = lost_[{cause, cpu}];
        lost = add_saturating(lost, n);
    }
    /// All samples that the source took, including lost ones. The source counts them; they are not derived.
    void add_sampled(uint64_t n) noexcept { sampled_ = add_saturating(sampled_, n); }

    /// Corrects the number of stored samples, and `sampled` by the same amount, so that the balance is kept.
    void set_stored(uint64_t n) noexcept;

    uint64_t sampled() const noexcept { return sampled_; }
    uint64_t stored() const noexcept { return stored_; }
    uint64_t lost(LossCause cause) const;
    uint64_t lost() const;
    /// True if every sample is accounted for.
    bool balanced() const { return sampled_ == add_saturating(stored_, lost()); }
    /// Samples lost by (cause, cpu).
    const std::map<std::pair<LossCause, uint32_t>, uint64_t>& losses() const noexcept { return lost_; }
    /// Adds another account.
    void merge(const Ledger& other);
    bool operator==(const Ledger&) const = default;

private:
    uint64_t sampled_ = 0;
    uint64_t stored_ = 0;
    std::map<std::pair<LossCause, uint32_t>, uint64_t> lost_;
};

}  // namespace op
