// SPDX-License-Identifier: GPL-2.0-or-later
// Throwing helpers.
#include "libop/base/error.h"

#include <cerrno>
#include <system_error>

namespace op {

namespace {

/// Of faults that have the same remedy everywhere.
std::string remedy_of(int code) {
    return code == EMFILE ? "; raise the limit (ulimit -n)" : "";
}

}  // namespace

void throw_usage(const std::string& message) {
    throw Error(ErrorKind::usage, message);
}

void throw_input(const std::string& message) {
    throw Error(ErrorKind::input, message);
}

void throw_system(const std::string& what, int code) {
    throw Error(ErrorKind::system, what + ": " + errno_text(code) + remedy_of(code), code);
}

void throw_refused(const std::string& what, const std::string& remedy, int code) {
    const bool is_refused = code == EACCES || code == EPERM || code == EROFS;
    throw Error(ErrorKind::system,
                what + ": " + errno_text(code) + (is_refused ? "; " + remedy : remedy_of(code)), code);
}

std::string errno_text(int code) {
    return std::generic_category().message(code);
}

}  // namespace op
