// SPDX-License-Identifier: GPL-2.0-or-later
// The one exception type of the project: thrown where a fault is discovered, caught once by tool::run.
#pragma once

#include <cerrno>
#include <stdexcept>
#include <string>
#include <string_view>

namespace op {

/// Where the fault is: in the command line, in an input file, in the system, or in this program.
enum class ErrorKind { usage, input, system, internal };

/// A fault with a one-line message that names the thing at fault (path, offset, word) and the remedy, if one
/// is known. Messages have no trailing newline and no program name.
class Error : public std::runtime_error {
public:
    Error(ErrorKind kind, const std::string& message, int code = 0)
        : std::runtime_error(message), kind_(kind), code_(code) {}

    ErrorKind kind() const noexcept { return kind_; }
    /// The errno value behind a system error, else 0.
    int code() const noexcept { return code_; }

private:
    ErrorKind kind_;
    int code_;
};

/// Throws a usage error: the command line is wrong.
[[noreturn]] void throw_usage(const std::string& message);
/// Throws an input error: a file's content is wrong.
[[noreturn]] void throw_input(const std::string& message);
/// Throws a system error "<what>: <strerror(code)>", of too many open files with the remedy.
[[noreturn]] void throw_system(const std::string& what, int code = errno);
/// Throws the same with a remedy: "<what>: <strerror(code)>; <remedy>", if the fault is that this user has no
/// permission, or that the file system is read-only; else without it.
[[noreturn]] void throw_refused(const std::string& what, const std::string& remedy, int code = errno);
/// The text of an errno value; thread-safe.
std::string errno_text(int code);

}  // namespace op
