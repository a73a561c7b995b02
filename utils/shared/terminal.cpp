// SPDX-License-Identifier: GPL-2.0-or-later
// What the terminal can do.
#include "utils/shared/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace op::tool {

bool is_terminal(int fd) {
    const char* const kind = std::getenv("TERM");
    return ::isatty(fd) && kind && *kind && std::string_view(kind) != "dumb";
}

size_t terminal_width(int fd) {
    constexpr size_t narrowest = 20, usual = 80;
    winsize size{};
    if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual;
    return std::max<size_t>(size.ws_col, narrowest);
}

}  // namespace op::tool
