// SPDX-License-Identifier: GPL-2.0-or-later
// Warnings: problems that did not stop the work. Libraries add them; the tool prints them.
#pragma once

#include <cstddef>
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
    /// Warnings in the order they were first added.
    const std::vector<std::string>& warnings() const noexcept { return warnings_; }
    /// Hands over the warnings gathered so far and empties the list; the same texts are not added again. If
    /// some were only counted, the last warning is their number.
    std::vector<std::string> take() {
        auto taken = std::exchange(warnings_, {});
        if (const auto n = std::exchange(further_, 0)) taken.push_back(std::to_string(n) + " further notes");
        return taken;
    }

private:
    std::vector<std::string> warnings_;
    std::set<std::string> seen_;
    size_t further_ = 0;  ///< warnings beyond the limit, not reported yet
};

}  // namespace op
