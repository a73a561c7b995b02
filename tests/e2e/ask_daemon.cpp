// SPDX-License-Identifier: GPL-2.0-or-later
// Asks a daemon from a test: ask_daemon SOCKET REQUEST [wait]. Prints the answer; with "wait" then waits
// until the daemon is gone. Status 0: ok, 1: refused, 2: no daemon, 3: no answer.
#include <chrono>
#include <cstdio>
#include <cstring>

#include "libop/base/error.h"
#include "libop/control/control.h"

int main(int argc, char** argv) {
    using std::chrono::seconds;
    if (argc < 3) return 3;
    try {
        auto daemon = op::ControlClient::connect(argv[1]);
        if (!daemon) return 2;
        const op::ControlReply reply = daemon->ask(argv[2], seconds(20));
        std::fputs(op::to_text(reply).c_str(), stdout);
        if (argc > 3 && !std::strcmp(argv[3], "wait") && !daemon->wait_closed(seconds(20))) return 3;
        return reply.ok() ? 0 : 1;
    } catch (const op::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 3;
    }
}
