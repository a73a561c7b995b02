// SPDX-License-Identifier: GPL-2.0-or-later
// The frame of every command: the only try/catch, exit status, messages on stderr, writing to stdout.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "libop/base/diagnostics.h"
#include "libop/base/error.h"

namespace op::tool {

/// The running command, as its body sees it.
struct Tool {
    std::string name;   ///< base name of argv[0]
    Diagnostics notes;  ///< printed as "warning: ..." when the body ends, or earlier by print_notes()

    /// Prints the warnings gathered so far on stderr, one a line, safe for a terminal.
    void print_notes();
    /// Prints a line on stderr, the same line once only.
    void say_once(const std::string& line);
    /// Prints "<name> error: <text>" on stderr.
    void complain(std::string_view text) const;
    /// Runs one step of a command whose other steps continue if this one fails. False if it threw: then the
    /// warnings so far and the reason have been printed.
    /// An error for which `ends_all` returns true is rethrown instead.
    bool attempt(const std::function<void()>& step,
                 const std::function<bool(const Error&)>& ends_all = nullptr);

private:
    std::set<std::string> printed_;
};

/// A command's body: returns the exit status or throws.
using Body = int (*)(Tool& tool, int argc, char** argv);

/// Runs a command: `int main(int argc, char** argv) { return op::tool::run(argc, argv, body); }`. Prints the
/// warnings, then, if the body threw, the reason (see Tool::complain). Returns the body's exit status, 1
/// after an exception. If the reader of stdout went away, the status is 1 and no message is printed.
/// If another program truncated a file in use, the last message reports it and the status is not 0 (see
/// guard_mappings); other signal dispositions are not changed. Standard descriptors that are closed are
/// occupied (see occupy_standard_descriptors).
int run(int argc, char** argv, Body body);

/// Writes all bytes to stdout; nothing is buffered. Throws a system error "cannot write standard output".
void write_stdout(std::string_view bytes);
/// Writes bytes to stderr; failure is ignored, since it could not be reported.
void write_stderr(std::string_view bytes) noexcept;

}  // namespace op::tool
