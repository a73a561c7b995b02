// SPDX-License-Identifier: GPL-2.0-or-later
// How often a session is looked at: as asked for, or less often where looking costs too much.
#pragma once

#include <algorithm>

namespace op::tool {

/// Seconds between looks.
class Pace {
public:
    static constexpr double least = 0.5, most = 60;
    /// A look may take a tenth of the interval. The interval is halved again when it would then be a
    /// twentieth.
    static constexpr double costly = 0.1, cheap = 0.05;

    explicit Pace(double asked) : asked_(asked) {}

    /// Seconds from one look to the next.
    double interval() const noexcept { return std::min(most, asked_ * factor_); }
    /// What the user asked for.
    double asked() const noexcept { return asked_; }
    bool is_stretched() const noexcept { return interval() > asked_; }

    void ask(double seconds) noexcept {
        asked_ = std::clamp(seconds, least, most);
        factor_ = 1;
    }
    /// A look, with all that follows from it, took that many seconds of a CPU.
    void spent(double seconds) noexcept {
        if (seconds > costly * interval() && interval() < most)
            factor_ *= 2;
        else if (factor_ > 1 && seconds < cheap * interval() / 2)
            factor_ /= 2;
    }

private:
    double asked_, factor_ = 1;
};

}  // namespace op::tool
