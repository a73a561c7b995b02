// SPDX-License-Identifier: GPL-2.0-or-later
// A line that is written over: carriage return, text, "erase to the end of the line" (ECMA-48, EL).
#include "utils/shared/progress.h"

#include <unistd.h>

#include <string>
#include <utility>

#include "libop/base/text.h"
#include "utils/shared/terminal.h"
#include "utils/shared/tool.h"

namespace op::tool {

namespace {

constexpr std::chrono::seconds patience{1};
constexpr std::chrono::milliseconds interval{100};
constexpr std::string_view erase = "\r\033[K";

}  // namespace

ProgressLine::ProgressLine(std::function<Clock::time_point()> now)
    : now_(std::move(now)), is_terminal_(is_terminal(STDERR_FILENO)), next_(now_() + patience) {}

void ProgressLine::show(std::string_view text) {
    const auto now = now_();
    if (!is_terminal_ || now < next_) return;
    next_ = now + interval;
    is_shown_ = true;
    std::string line = printable(text);
    if (const size_t width = terminal_width(STDERR_FILENO); line.size() >= width) line.resize(width - 1);
    write_stderr(std::string(erase) + line);
}

void ProgressLine::clear() {
    if (is_shown_) write_stderr(erase);
    is_shown_ = false;
}

}  // namespace op::tool
