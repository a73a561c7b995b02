// SPDX-License-Identifier: GPL-2.0-or-later
// What every command has in common.
#include "utils/shared/tool.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <new>
#include <optional>

#include "libop/base/error.h"
#include "libop/base/fd.h"
#include "libop/base/text.h"
#include "utils/shared/limits.h"
#include "utils/shared/sigbus_guard.h"

namespace op::tool {

namespace {

/// Runs a step and returns the reason if it threw, "" if the reason need not be printed. An error for which
/// `ends_all` returns true is rethrown.
template <class Step>
std::optional<std::string> reason_of_failure(Step&& step,
                                             const std::function<bool(const Error&)>& ends_all = nullptr) {
    try {
        step();
        return std::nullopt;
    } catch (const Error& error) {
        if (ends_all && ends_all(error)) throw;
        if (error.kind() == ErrorKind::system && error.code() == EPIPE) return "";
        return (error.kind() == ErrorKind::internal ? "internal: " : "") + std::string(error.what());
    } catch (const std::bad_alloc&) {
        return out_of_memory_text();
    } catch (const std::exception& error) {
        return std::string("internal: ") + error.what();
    }
}

}  // namespace

bool Tool::attempt(const std::function<void()>& step, const std::function<bool(const Error&)>& ends_all) {
    const auto reason = reason_of_failure(step, ends_all);
    if (!reason) return true;
    print_notes();
    if (!reason->empty()) complain(*reason);
    return false;
}

void Tool::print_notes() {
    for (const auto& note : notes.take())
        write_stderr("warning: " + printable(note) + "\n");
}

void Tool::say_once(const std::string& line) {
    if (printed_.insert(line).second) write_stderr(line + "\n");
}

void Tool::complain(std::string_view text) const {
    write_stderr(printable(name) + " error: " + printable(text) + "\n");
}

int run(int argc, char** argv, Body body) {
    Tool tool;
    tool.name = argc > 0 ? base_name(argv[0]) : "oprofile-ng";
    int status = 1;
    occupy_standard_descriptors();
    guard_mappings();
    tool.attempt([&] { status = body(tool, argc, argv); });
    tool.print_notes();
    if (!was_mapping_cut_off()) return status;
    tool.complain("a file was cut off by another program while it was in use here; what it held is missing");
    return std::max(status, 1);
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

}  // namespace op::tool
