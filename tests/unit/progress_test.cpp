// SPDX-License-Identifier: GPL-2.0-or-later
#include "utils/shared/progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <string>

#include "libop/base/fd.h"

namespace op::tool {

namespace {

using namespace std::chrono_literals;

/// While it lives stderr is a terminal of our own, 20 columns wide.
class OwnTerminal {
public:
    OwnTerminal() : master_(::posix_openpt(O_RDWR | O_NOCTTY)), before_(::dup(STDERR_FILENO)) {
        ::grantpt(master_.get());
        ::unlockpt(master_.get());
        const Fd slave(::open(::ptsname(master_.get()), O_RDWR | O_NOCTTY));
        const winsize size{.ws_row = 5, .ws_col = 20, .ws_xpixel = 0, .ws_ypixel = 0};
        ::ioctl(slave.get(), TIOCSWINSZ, &size);
        ::dup2(slave.get(), STDERR_FILENO);
        ::setenv("TERM", "vt100", 1);
    }
    ~OwnTerminal() { ::dup2(before_.get(), STDERR_FILENO); }

    /// The text that was written to it and not taken yet.
    std::string take() const {
        std::string text;
        pollfd wait{master_.get(), POLLIN, 0};
        char buffer[512];
        while (::poll(&wait, 1, 0) == 1) {
            const ssize_t n = ::read(master_.get(), buffer, sizeof buffer);
            if (n <= 0) break;
            text.append(buffer, static_cast<size_t>(n));
        }
        return text;
    }

private:
    Fd master_, before_;
};

/// A clock that the test advances.
struct SetClock {
    ProgressLine::Clock::time_point time{};
    auto now() {
        return [this] { return time; };
    }
};

}  // namespace

TEST(ProgressLine, prints_nothing_in_the_first_second_and_then_at_most_ten_times_a_second) {
    const OwnTerminal terminal;
    SetClock clock;
    ProgressLine line(clock.now());
    line.show("early");
    clock.time += 999ms;
    line.show("still early");
    EXPECT_EQ(terminal.take(), "");
    clock.time += 1ms;
    line.show("1 of 9");
    EXPECT_EQ(terminal.take(), "\r\033[K1 of 9");
    clock.time += 99ms;
    line.show("2 of 9");
    EXPECT_EQ(terminal.take(), "");
    clock.time += 1ms;
    line.show("3 of 9");
    EXPECT_EQ(terminal.take(), "\r\033[K3 of 9");
}

TEST(ProgressLine, is_cut_to_the_terminal_and_holds_nothing_that_moves_the_cursor) {
    const OwnTerminal terminal;
    SetClock clock;
    ProgressLine line(clock.now());
    clock.time += 1s;
    line.show("\r\n\033[2Jreading images and samples");
    const std::string shown = terminal.take();
    EXPECT_EQ(shown.substr(0, 4), "\r\033[K");
    EXPECT_EQ(shown.size(), 4u + 19);
    EXPECT_EQ(shown.find_first_of("\r\n\033", 4), std::string::npos);
}

TEST(ProgressLine, is_erased_only_if_something_was_shown) {
    const OwnTerminal terminal;
    SetClock clock;
    { const ProgressLine quiet(clock.now()); }
    EXPECT_EQ(terminal.take(), "");
    {
        ProgressLine line(clock.now());
        clock.time += 1s;
        line.show("text");
        line.clear();
        EXPECT_EQ(terminal.take(), "\r\033[Ktext\r\033[K");
    }
    EXPECT_EQ(terminal.take(), "");
}

TEST(ProgressLine, is_for_terminals_only) {
    SetClock clock;
    testing::internal::CaptureStderr();
    {
        ProgressLine line(clock.now());
        clock.time += 1s;
        line.show("text");
    }
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace op::tool
