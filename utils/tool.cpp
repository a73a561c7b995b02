// SPDX-License-Identifier: GPL-2.0-or-later
// What every command has in common.
#include "utils/tool.h"

#include <unistd.h>

#include <cerrno>
#include <exception>
#include <new>

#include "libop/error.h"
#include "libop/fd.h"
#include "libop/text.h"

namespace op::tool {

namespace {

/// Runs the body and turns what it throws into a message and a status.
int run_caught(Tool& tool, int argc, char** argv, Body body) {
    std::string reason;
    try {
        return body(tool, argc, argv);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::system && error.code() == EPIPE) return 1;
        reason = error.kind() == ErrorKind::internal ? "internal: " : "";
        reason += error.what();
    } catch (const std::bad_alloc&) {
        reason = "out of memory";
    } catch (const std::exception& error) {
        reason = std::string("internal: ") + error.what();
    }
    tool.print_notes();
    tool.complain(reason);
    return 1;
}

}  // namespace

void Tool::print_notes() {
    for (const auto& note : notes.take())
        write_stderr("warning: " + printable(note) + "\n");
}

void Tool::complain(std::string_view text) const {
    write_stderr(printable(name) + " error: " + printable(text) + "\n");
}

int run(int argc, char** argv, Body body) {
    Tool tool;
    tool.name = argc > 0 ? base_name(argv[0]) : "oprofile-ng";
    const int status = run_caught(tool, argc, argv, body);
    tool.print_notes();
    return status;
}

void write_stdout(std::string_view bytes) {
    write_fd(STDOUT_FILENO, bytes, "standard output");
}

void write_stderr(std::string_view bytes) noexcept {
    while (!bytes.empty()) {
        const ssize_t n = ::write(STDERR_FILENO, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        bytes.remove_prefix(static_cast<size_t>(n));
    }
}

std::string version_text(std::string_view name) {
    return std::string(name) + ": oprofile-ng " OP_VERSION "\n";
}

}  // namespace op::tool
