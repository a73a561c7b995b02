// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks from arcs: the call stacks of samples, as far as the calls of a session determine them without
// doubt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "libpp/profile/profile.h"

namespace op::pp {

/// Samples of one stack.
struct CallStack {
    std::vector<uint32_t> frames;  ///< indexes into Profile::locations: the sampled address, then callers'
                                   ///< return addresses, innermost first; as far as they are known
    std::vector<uint64_t> counts;  ///< one per column
};

/// Finds the stacks of a profile's samples. An arc records from where an address was reached, in how many
/// samples; it does not record how its caller was reached. So a sample's first caller is known, and a further
/// caller as long as all samples that came through here came from the same place. No frame is guessed:
/// elsewhere the stack ends.
class CallStacks {
public:
    /// The profile must outlive the object.
    explicit CallStacks(const Profile& profile);

    /// The stacks of one sample. Their counts add up to the sample's for any arcs.
    std::vector<CallStack> of(size_t sample) const;

private:
    /// An address in an application.
    struct Point {
        uint32_t app, image;
        ImageOffset offset;
        auto operator<=>(const Point&) const = default;
    };
    /// The calls into and out of a point.
    struct Calls {
        std::vector<size_t> into;  ///< indexes of arcs
        std::vector<uint64_t>
            excess;  ///< per column: samples on calls into it less those out of it, modulo 2^64
    };

    Point point(uint32_t app, uint32_t location) const;
    const size_t* only_way_up(const Point& from) const;
    void extend(CallStack& stack, size_t arc) const;

    const Profile& profile_;
    std::map<Point, Calls> calls_;
};

}  // namespace op::pp
