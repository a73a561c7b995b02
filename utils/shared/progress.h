// SPDX-License-Identifier: GPL-2.0-or-later
// Telling a person who waits what is being done.
#pragma once

#include <chrono>
#include <functional>
#include <string_view>

namespace op::tool {

/// One line on stderr that is written over and over. Says nothing where stderr is no terminal, nor in the
/// first second after it was made.
class ProgressLine {
public:
    using Clock = std::chrono::steady_clock;

    explicit ProgressLine(std::function<Clock::time_point()> now = Clock::now);
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    /// Clears the line.
    ~ProgressLine() { clear(); }

    /// Shows the text, cut to the terminal's width; at most ten times a second.
    void show(std::string_view text);
    /// Removes what is shown, for the next message of another kind.
    void clear();

private:
    std::function<Clock::time_point()> now_;
    bool is_terminal_, is_shown_ = false;
    Clock::time_point next_;  ///< nothing is shown before
};

}  // namespace op::tool
