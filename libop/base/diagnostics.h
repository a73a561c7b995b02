// SPDX-License-Identifier: GPL-2.0-or-later
// Warnings: problems that did not stop the work. Libraries add them; the tool prints them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace op {

/// An ordered list of one-line notes. Adding a text that is already there changes nothing, so a fault that
/// repeats for every sample is reported once. Texts beyond the first `limit` different ones are only counted,
/// so that memory does not grow with time.
class Diagnostics {
public:
    static constexpr size_t limit = 1000;

    /// Adds a warning: the result is usable but not what the user may think.
    void warn(std::string text) {
        if (seen_.contains(text)) return;
        if (seen_.size() >= limit) {
            ++further_;
            return;
        }
        seen_.insert(text);
        warnings_.push_back(std::move(text));
    }
    /// Adds a warning on the result as a whole, as that it is empty: it is last, and shown where not all are.
    /// A run has a few of them: they are not limited.
    void conclude(std::string text) {
        if (seen_.insert(text).second) conclusions_.push_back(std::move(text));
    }
    /// Warnings in the order they were first added, without conclusions.
    const std::vector<std::string>& warnings() const noexcept { return warnings_; }
    /// Hands over the warnings gathered so far and empties the list; the same texts are not added again. If
    /// some were only counted, their number is the last but for the conclusions.
    std::vector<std::string> take() {
        auto taken = std::exchange(warnings_, {});
        if (const auto n = std::exchange(further_, 0)) taken.push_back(std::to_string(n) + " further notes");
        std::ranges::move(take_conclusions(), std::back_inserter(taken));
        return taken;
    }
    /// As a new object: texts that were there are added again.
    void start_over() { *this = {}; }
    /// The same as take() for conclusions alone.
    std::vector<std::string> take_conclusions() { return std::exchange(conclusions_, {}); }

private:
    std::vector<std::string> warnings_, conclusions_;
    std::set<std::string> seen_;
    size_t further_ = 0;  ///< warnings beyond the limit, not reported yet
};

}  // namespace op
