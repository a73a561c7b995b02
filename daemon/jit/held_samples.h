// SPDX-License-Identifier: GPL-2.0-or-later
// Samples in code made at run time that wait until it is known which code ran.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace op::collect {

/// Samples with one address and about one time.
struct HeldSample {
    uint64_t time = 0;     ///< of the earliest, ns
    uint64_t address = 0;  ///< run-time
    uint32_t place = 0;    ///< what the holder's owner knows of it
    uint32_t weight = 0;   ///< samples

    bool operator==(const HeldSample&) const = default;
};

/// Those of one process, in the order in which they came. Not thread-safe.
class HeldSamples {
public:
    /// Samples that are so close to an earlier one of their address and place are counted with it, ns.
    static constexpr uint64_t resolution = 1'000'000;

    /// True if it is one entry more.
    bool add(const HeldSample& sample);
    const std::vector<HeldSample>& all() const noexcept { return samples_; }
    size_t size() const noexcept { return samples_.size(); }
    bool empty() const noexcept { return samples_.empty(); }
    /// Removes all and returns them.
    std::vector<HeldSample> take();

private:
    std::vector<HeldSample> samples_;
    std::array<uint32_t, 256> recent_{};  ///< by address and place: an index of samples_
};

}  // namespace op::collect
