// SPDX-License-Identifier: GPL-2.0-or-later
// The account of samples.
#include "libop/session/ledger.h"

#include <iterator>

namespace op {

namespace {

struct CauseText {
    std::string_view name, text;
};

// In the order of LossCause.
constexpr CauseText causes[] = {
    {"kernel_buffer", "the kernel's buffer was full"},
    {"no_mapping", "user addresses in no known mapping"},
    {"kernel_address", "kernel addresses in no known kernel image or module"},
    {"guest", "taken in a virtual machine's guest or the hypervisor"},
    {"user_filtered", "user mode, which the event does not ask for"},
    {"unknown_event", "of no known event"},
    {"sample_file", "a sample file could not be opened or named"},
    {"disk_full", "no room on the disk for sample files"},
    {"saturated", "counts in sample files are at their maximum"},
    {"damaged_stream", "the recorded stream is cut off or damaged"},
    {"no_process",
     "processes were gone before their samples could be placed, or are outside this pid namespace"},
    {"nested", "taken while the same CPU was taking one"},
    {"pending", "sampling stopped before they could be placed"},
    {"image_filtered", "of programs outside the image filter"},
    {"image_limit", "beyond the limits on images and sample files"},
};
static_assert(std::size(causes) == loss_causes);

const CauseText& row(LossCause cause) {
    return causes[static_cast<size_t>(cause)];
}

}  // namespace

std::string_view loss_name(LossCause cause) {
    return row(cause).name;
}

std::string_view loss_text(LossCause cause) {
    return row(cause).text;
}

std::optional<LossCause> parse_loss_name(std::string_view name) {
    for (size_t i = 0; i < std::size(causes); ++i)
        if (causes[i].name == name) return static_cast<LossCause>(i);
    return std::nullopt;
}

void Ledger::set_stored(uint64_t n) noexcept {
    const uint64_t rest = sampled_ > stored_ ? sampled_ - stored_ : 0;
    stored_ = n;
    sampled_ = add_saturating(n, rest);
}

uint64_t Ledger::lost(LossCause cause) const {
    uint64_t sum = 0;
    for (auto at = lost_.lower_bound({cause, 0}); at != lost_.end() && at->first.first == cause; ++at)
        sum = add_saturating(sum, at->second);
    return sum;
}

uint64_t Ledger::lost() const {
    uint64_t sum = 0;
    for (const auto& [where, n] : lost_)
        sum = add_saturating(sum, n);
    return sum;
}

void Ledger::merge(const Ledger& other) {
    add_sampled(other.sampled_);
    add_stored(other.stored_);
    for (const auto& [where, n] : other.lost_)
        add_lost(where.first, where.second, n);
}

}  // namespace op
