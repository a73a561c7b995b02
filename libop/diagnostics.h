// SPDX-License-Identifier: GPL-2.0-or-later
// Things to tell the user that did not stop the work. Libraries add; the tool prints.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace op {

/// An ordered list of one-line notes. Adding a text that is already there changes nothing, so a fault that
/// repeats for every sample is told once.
class Diagnostics {
public:
    /// Adds a warning: the result is usable but not what the user may think.
    void warn(std::string text) {
        if (seen_.insert(text).second) warnings_.push_back(std::move(text));
    }
    /// Warnings in the order they were first added.
    const std::vector<std::string>& warnings() const noexcept { return warnings_; }
    /// Hands over the warnings gathered so far and forgets them (but not that they were told).
    std::vector<std::string> take() { return std::exchange(warnings_, {}); }

private:
    std::vector<std::string> warnings_;
    std::set<std::string> seen_;
};

}  // namespace op
