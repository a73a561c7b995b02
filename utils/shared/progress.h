// SPDX-License-Identifier: GPL-2.0-or-later
// Progress messages on a terminal.
#pragma once

#include <chrono>
#include <functional>
#include <string_view>

namespace op::tool {

/// One line on stderr that is overwritten by the next. Prints nothing if stderr is not a terminal, or in the
/// first second after construction.
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
    /// Clears the line before a message of another kind.
    void clear();

private:
    std::function<Clock::time_point()> now_;
    bool is_terminal_, is_shown_ = false;
    Clock::time_point next_;  ///< the earliest time of the next text
};

}  // namespace op::tool
